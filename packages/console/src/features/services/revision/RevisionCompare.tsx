/** Differences between this revision and another one: image, settings and secret versions, from their snapshots. */
import { revisionList, revisionView, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { X } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { secretChanges, settingsOf } from '#entities/diagnosis/revision-changes.ts';
import { PlanDiff } from '#entities/plan/PlanDiff.tsx';
import { VersionChanges } from '#entities/plan/VersionChanges.tsx';
import { firstRevisions } from './RevisionList.tsx';

export interface RevisionCompareProps {
  revision: Revision;
  /** Name of the other revision. */
  other: string;
  onOther: (name: string) => void;
  /** URL of this page without the comparison. */
  closeHref: string;
}

export default function RevisionCompare({ revision, other, onOther, closeHref }: RevisionCompareProps) {
  const place = { app: revision.app, env: revision.environment, service: revision.service };
  const list = useQuery(revisionList, firstRevisions(place));
  const against = useQuery(revisionView, { params: { ...place, revision: other } });
  const names = [...new Set([other, ...(list.data?.content ?? []).map(({ name }) => name)])].filter((name) => name !== revision.name);
  const serving = list.data?.content.find(({ isServing }) => isServing)?.name;
  const panel = useRef<HTMLElement>(null);
  // The comparison opens above the content in view.
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [other]);
  return (
    <Panel id="compare" ref={panel} aria-labelledby="compare-title">
      <PanelHead title={`Revision ${revision.number} compared with`} titleId="compare-title">
        <Select
          aria-label="Compare with"
          value={other}
          onChange={onOther}
          options={names.map((name) => ({ value: name, label: name === serving ? `${name}, serving` : name }))}
        />
        <LinkButton href={closeHref} variant="quiet" icon={<X aria-hidden="true" />}>
          Close
        </LinkButton>
      </PanelHead>
      {against.error && !against.data ? (
        <ListError what={`revision ${other}`} query={against} />
      ) : (
        <Loading isLoading={!against.data} label="Loading the other revision" skeleton={<Skeleton height={120} />}>
          {against.data && <Differences from={against.data} to={revision} />}
        </Loading>
      )}
    </Panel>
  );
}

function Differences({ from, to }: { from: Revision; to: Revision }) {
  const changes = useMemo(() => serviceChanges(settingsOf(from), settingsOf(to)), [from, to]);
  const secrets = secretChanges(from, to);
  const image = { before: from.imageTag, after: to.imageTag };
  const isOtherImage = from.imageDigest !== to.imageDigest;
  if (changes.length === 0 && secrets.length === 0 && !isOtherImage) {
    return (
      <EmptyState kind="no-match" isCompact title="Nothing differs">
        Both run the image {to.imageTag} with the same settings and the same secret versions.
      </EmptyState>
    );
  }
  return (
    <PanelBody className="stack">
      <VersionChanges image={isOtherImage ? image : null} secretVersions={secrets} />
      {isOtherImage && image.before === image.after && <p>The same tag {to.imageTag}, pushed again with another content.</p>}
      {changes.length > 0 ? <PlanDiff changes={changes} /> : <p className="quiet">Settings are the same.</p>}
    </PanelBody>
  );
}
