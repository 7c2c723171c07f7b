/** All running pipelines that the user may see, and the finished quickstarts that this browser still follows. */
import { isActive, pipelineList, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { useQuery } from '#kit/api/query.ts';
import { createStore, useStore } from '#kit/state/store.ts';

/** Last known runs of this browser's quickstarts, by id; FollowQuickstarts updates it. */
export const followedRuns = createStore<Readonly<Record<string, PipelineRun>>>({});

const shownAtMost = 50;
const slowPollMs = 5000;

export interface RunningPipelines {
  running: PipelineRun[];
  finished: PipelineRun[];
  failed: PipelineRun[];
}

export const useRunningPipelines = (): RunningPipelines => {
  const followed = Object.values(useStore(followedRuns));
  const { data } = useQuery(
    pipelineList,
    { query: { active: 'true', size: shownAtMost } },
    { pollMs: (page) => (page && page.content.length > 0 ? 1000 : slowPollMs) },
  );
  const listed = data?.content.filter((run) => isActive(run.status.state)) ?? [];
  const ids = new Set(listed.map((run) => run.pipelineId));
  const running = [...listed, ...followed.filter((run) => isActive(run.status.state) && !ids.has(run.pipelineId))];
  const finished = followed.filter((run) => !isActive(run.status.state) && !ids.has(run.pipelineId));
  return { running, finished, failed: finished.filter((run) => run.status.state === 'FAILED') };
};
