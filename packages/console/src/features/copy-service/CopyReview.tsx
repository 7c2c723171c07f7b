/** The comparison in its frame: how much is carried, all or none at once, and what stands in the place of a table that there is not. */
import { secretGroupList } from '@slipway/contract/secret-group.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { EmptyState } from '@slipway/ui/EmptyState.tsx';
import { Notice } from '@slipway/ui/Notice.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/Panel.tsx';
import { Skeleton } from '@slipway/ui/Skeleton.tsx';
import { useQuery } from '#api/query.ts';
import { ListError } from '#lib/LoadError.tsx';
import { messageFor } from '#lib/messages.ts';
import type { ServiceRef } from '#lib/paths.ts';
import { ComparisonTable } from './ComparisonTable.tsx';
import { missingSecret } from './comparison.ts';
import type { Comparison, CopyTarget } from './use-comparison.ts';

const groupsRead = 100;

interface CopyReviewProps {
  place: ServiceRef;
  target: CopyTarget;
  isItself: boolean;
  comparison: Comparison;
  left: ReadonlySet<string>;
  onLeave: (paths: readonly string[], isCarried: boolean) => void;
}

export function CopyReview(props: CopyReviewProps) {
  const { place, target, comparison, left, onLeave } = props;
  const { changes, errors } = comparison;
  const groups = useQuery(secretGroupList, { params: { app: place.app, env: target.environment }, query: { size: groupsRead } }).data
    ?.content;
  const carried = changes?.filter(({ path }) => !left.has(path)) ?? [];
  const missing = new Set(carried.flatMap((change) => missingSecret(change, groups)?.group ?? []));
  const general = errors.get('');
  return (
    <Panel aria-labelledby="comparison">
      <PanelHead
        title="What differs"
        titleId="comparison"
        {...(changes && changes.length > 0 ? { note: `${carried.length} of ${changes.length} carried over` } : {})}
      >
        {changes && changes.length > 0 && (
          <span className="row">
            <Button size="sm" variant="quiet" onClick={() => onLeave(pathsOf(changes), true)}>
              All
            </Button>
            <Button size="sm" variant="quiet" onClick={() => onLeave(pathsOf(changes), false)}>
              None
            </Button>
          </span>
        )}
      </PanelHead>
      {general && (
        <PanelBody>
          <Notice tone="bad">{messageFor(general.code, general.context)}</Notice>
        </PanelBody>
      )}
      {missing.size > 0 && (
        <PanelBody>
          <Notice tone="warn" isLive>
            {target.environment} lacks {missing.size === 1 ? 'a secret group' : `${missing.size} secret groups or keys of them`} that{' '}
            {missing.size === 1 ? 'a line reads' : 'some lines read'}: {[...missing].join(', ')}. Copy what is missing, or leave these lines
            out.
          </Notice>
        </PanelBody>
      )}
      <Lines {...props} groups={groups} />
    </Panel>
  );
}

const pathsOf = (changes: NonNullable<Comparison['changes']>): string[] => changes.map(({ path }) => path);

type Groups = Parameters<typeof ComparisonTable>[0]['groups'];

function Lines({ place, target, isItself, comparison, left, onLeave, groups }: CopyReviewProps & { groups: Groups }) {
  const { changes, existing, errors, failed } = comparison;
  if (failed) return <ListError what="comparison" query={failed} />;
  if (isItself) {
    return (
      <EmptyState isCompact kind="no-match" title="There is nothing to compare">
        The copy would be {place.service} in {place.env} itself.
      </EmptyState>
    );
  }
  if (changes === undefined) {
    return (
      <PanelBody className="stack stack-8" aria-busy="true">
        <Skeleton height={32} />
        <Skeleton height={32} />
        <Skeleton height={32} />
      </PanelBody>
    );
  }
  if (changes.length === 0) {
    return (
      <EmptyState isCompact kind="no-match" title="Both have the same settings">
        {existing ? 'Choose an image tag to deploy it there.' : 'A new service has these settings by itself.'}
      </EmptyState>
    );
  }
  return (
    <ComparisonTable
      place={place}
      target={{ environment: target.environment, isNew: existing === null }}
      changes={changes}
      left={left}
      onLeave={onLeave}
      groups={groups}
      errors={errors}
    />
  );
}
