/** The versions of a schema, newest first: author, time, and, after counting, the share of messages that use each. */
import { schemaSampleView, type SchemaSample } from '@slipway/contract/streaming/schema-sample.ts';
import { schemaVersionList, type Schema } from '@slipway/contract/streaming/schema.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { errorSentence } from '#kit/error/describe-error.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { LineList } from '#features/streaming/parts/LineList.tsx';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { versionsRead } from './ComparePanel.tsx';
import { shareLabel } from './share-label.ts';
import css from './VersionsPanel.module.css';

interface VersionsPanelProps {
  place: SchemaPlace;
  schema: Schema;
  /** Counting reads messages, so it is for members only. */
  isMember: boolean;
}

export function VersionsPanel({ place: { app, env, schema: name }, schema, isMember }: VersionsPanelProps) {
  const list = useQuery(schemaVersionList, { params: { app, env, schema: name }, query: { size: versionsRead } });
  const onLinks = useInPageLinks();
  const [sample, setSample] = useState<SchemaSample>();
  const [isCounting, setCounting] = useState(false);
  const { content = [], totalElements = 0 } = list.data ?? {};
  const take = async (): Promise<void> => {
    setCounting(true);
    try {
      setSample(await call(schemaSampleView, { params: { app, env, schema: name } }));
    } catch (error) {
      toast.failure('The messages could not be counted', { detail: errorSentence(error) });
    }
    setCounting(false);
  };
  return (
    <Panel aria-labelledby="versions" onClickCapture={onLinks}>
      <PanelHead title="Versions" titleId="versions">
        {isMember && schema.usedBy.length > 0 && (
          <Button size="sm" isBusy={isCounting} busyLabel="Counting" onClick={() => void take()}>
            Count in messages
          </Button>
        )}
      </PanelHead>
      <LineList
        items={content.map(({ revisionId, createdBy, createdAt, registryId, isNewest }) => ({
          key: String(revisionId),
          main: <strong>Version {revisionId}</strong>,
          below: (
            <>
              {createdBy.displayName}, <RelativeTime at={createdAt} isShort />
              {registryId !== null && `, id\u00a0${registryId}`}
            </>
          ),
          end: (
            <span className="row">
              {sample && sample.messages > 0 && <span className="num">{shareLabel(messagesOf(sample, revisionId), sample.messages)}</span>}
              {isNewest ? <span className="meta">newest</span> : <Link href={`?from=${revisionId}`}>Compare</Link>}
            </span>
          ),
        }))}
      />
      {sample && <Sampled sample={sample} />}
      {totalElements > content.length && <PanelFoot>{totalElements - content.length} older ones</PanelFoot>}
    </Panel>
  );
}

const messagesOf = ({ versions }: SchemaSample, revisionId: number): number =>
  versions.find((version) => version.revisionId === revisionId)?.messages ?? 0;

/** Summary of the sample. Mentions messages that use no version of this schema. */
function Sampled({ sample: { messages, topics, isPartial, other, none, at } }: { sample: SchemaSample }) {
  const of = topics.map(({ topic }) => topic);
  return (
    <PanelFoot>
      <span role="status" className={`stack stack-8 ${css.sampled}`}>
        {none > 0 && <Status tone="warn">{shareLabel(none, messages)} carry no schema</Status>}
        {other > 0 && <Status tone="warn">{shareLabel(other, messages)} have another schema</Status>}
        <span>
          {messages === 0
            ? 'No messages to count yet'
            : `A sample: the newest ${count(messages, 'message')} of ${of.length === 1 && !isPartial ? of[0] : count(of.length, 'topic')}`}
          , <RelativeTime at={at} isShort />
        </span>
      </span>
    </PanelFoot>
  );
}
