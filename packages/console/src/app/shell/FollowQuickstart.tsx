/** Follows one quickstart until it ends. Drops a quickstart that no longer exists. */
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartPipelineView } from '@slipway/contract/quickstart.ts';
import { useEffect } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { removeQuickstartEntry } from '#features/quickstart/quickstart-entries.ts';
import { followedRuns } from './use-running-pipelines.ts';

/** Specification §9. */
const quickstartPollMs = 1000;

const forget = (id: string): void => {
  const { [id]: _, ...others } = followedRuns.get();
  followedRuns.set(others);
};

export function FollowQuickstart({ id }: { id: string }) {
  const { data: run, error } = useQuery(
    quickstartPipelineView,
    { params: { pipelineId: id } },
    { pollMs: (latest) => (latest && !isActive(latest.status.state) ? 0 : quickstartPollMs) },
  );
  useEffect(() => {
    if (run) followedRuns.set({ ...followedRuns.get(), [id]: run });
  }, [id, run]);
  useEffect(() => {
    if (isStatus(error, 404)) removeQuickstartEntry(id);
  }, [id, error]);
  useEffect(() => () => forget(id), [id]);
  return null;
}
