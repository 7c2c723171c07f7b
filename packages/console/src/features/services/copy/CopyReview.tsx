/** The panel around the comparison: number of selected changes, select all or none, and a placeholder if there is no comparison. */
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { useEffect, useRef } from 'react';
import { ResponseError } from '#kit/api/errors.ts';
import { useQuery, type FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { messageFor } from '#kit/error/messages.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { ComparisonTable } from './ComparisonTable.tsx';
import { isCarried, missingSecret } from './comparison.ts';
import type { CopyFormState } from './use-copy-form.ts';

const groupsRead = 100;

interface CopyReviewProps {
  place: ServiceRef;
  state: CopyFormState;
}

export function CopyReview({ place, state }: CopyReviewProps) {
  const { target, comparison, ticks, tick, refused } = state;
  const changes = comparison.plan?.changes ?? [];
  const query = { params: { app: place.app, env: target.environment }, query: { size: groupsRead } };
  const groups = useQuery(secretGroupList, query).data?.content;
  const carried = changes.filter(({ path }) => isCarried(ticks, path));
  const missing = new Set(carried.flatMap((change) => missingSecret(change, groups)?.group ?? []));
  const all = (value: boolean) => () =>
    tick(
      changes.map(({ path }) => path),
      value,
    );
  return (
    <Panel aria-labelledby="comparison">
      <PanelHead
        title="What differs"
        titleId="comparison"
        {...(changes.length > 0 ? { note: `${carried.length} of ${changes.length} carried over` } : {})}
      >
        {changes.length > 0 && (
          <span className="row">
            <Button size="sm" variant="quiet" onClick={all(true)}>
              All
            </Button>
            <Button size="sm" variant="quiet" onClick={all(false)}>
              None
            </Button>
          </span>
        )}
      </PanelHead>
      <Against refused={refused.size} missing={[...missing]} environment={target.environment} />
      <Lines place={place} state={state} groups={groups} />
    </Panel>
  );
}

/** Explains why the selected changes cannot be applied. */
function Against({ refused, missing, environment }: { refused: number; missing: readonly string[]; environment: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refused > 0) place.current?.focus();
  }, [refused]);
  if (refused === 0 && missing.length === 0) return null;
  return (
    <PanelBody ref={place} tabIndex={-1} className="stack stack-8">
      {refused > 0 && (
        <Notice tone="bad" isLive>
          {refused === 1 ? 'One line cannot be carried over as it is' : `${refused} lines cannot be carried over as they are`}: the reason
          stands with it.
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="warn">
          Lines that are ticked read secrets that {environment} lacks: {missing.join(', ')}. Copy what is missing, or leave these lines out.
        </Notice>
      )}
    </PanelBody>
  );
}

function Lines({ place, state, groups }: CopyReviewProps & { groups: Parameters<typeof ComparisonTable>[0]['groups'] }) {
  const { target, isItself, comparison, ticks, tick, refused } = state;
  const { plan, existing, failed } = comparison;
  if (failed) return <Refusal failed={failed} />;
  if (isItself) {
    return (
      <EmptyState isCompact kind="no-match" title="There is nothing to compare">
        The copy would be {place.service} in {place.env} itself.
      </EmptyState>
    );
  }
  if (plan === undefined) {
    return (
      <PanelBody className="stack stack-8" aria-busy="true">
        <Skeleton height={32} />
        <Skeleton height={32} />
        <Skeleton height={32} />
      </PanelBody>
    );
  }
  if (plan.changes.length === 0) {
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
      plan={plan}
      ticks={ticks}
      onTick={tick}
      groups={groups}
      refused={refused}
    />
  );
}

/** Shows why the server refuses the copy, or that the server could not be reached. */
function Refusal({ failed }: { failed: FailedQuery }) {
  const [first] = failed.error instanceof ResponseError && failed.error.status < 500 ? failed.error.errors : [];
  if (!first) return <ListError what="comparison" query={failed} />;
  return (
    <EmptyState isCompact kind="no-match" title="It cannot be copied there now">
      {messageFor(first.code, first.context)}
    </EmptyState>
  );
}
