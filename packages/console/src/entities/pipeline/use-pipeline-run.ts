/** Reads one pipeline run. Live changes update it immediately; without them a running pipeline is polled every second. */
import {
  isActive,
  pipelineCancel,
  pipelineRerun,
  pipelineStopWaiting,
  pipelineView,
  type PipelineRun,
} from '@slipway/contract/pipeline/pipeline.ts';
import { useSWRConfig } from 'swr';
import { q, useQuery, type QueryResult } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';

const runningPollMs = 1000;
const endedPollMs = 10_000;

/** `runId`: an earlier run of the pipeline; empty for the newest. */
export const usePipelineRun = (pipelineId: string | null | undefined, runId = ''): QueryResult<typeof pipelineView> =>
  useQuery(pipelineView, pipelineId ? { params: { pipelineId }, ...(runId === '' ? {} : { query: { runId } }) } : undefined, {
    pollMs: (run) => (run && !isActive(run.status.state) ? endedPollMs : runningPollMs),
  });

export interface PipelineActions {
  cancel: () => Promise<void>;
  isCancelling: boolean;
  rerun: (from: 'failedStep' | 'start') => Promise<void>;
  isRerunning: boolean;
  stopWaiting: () => Promise<void>;
  isStopping: boolean;
}

/** Cancels, re-runs or ends a wait. The answer is the updated run, so no further request is needed. */
export const usePipelineActions = (pipelineId: string): PipelineActions => {
  const cancel = useWrite(pipelineCancel);
  const rerun = useWrite(pipelineRerun);
  const stop = useWrite(pipelineStopWaiting);
  const { mutate } = useSWRConfig();
  const show = (run: PipelineRun): Promise<unknown> => mutate(q(pipelineView, { params: { pipelineId } }), run, { revalidate: true });
  return {
    isCancelling: cancel.isBusy,
    isRerunning: rerun.isBusy,
    isStopping: stop.isBusy,
    stopWaiting: async () => {
      try {
        await show(await stop.send({ params: { pipelineId } }));
      } catch (error) {
        toastError('The step could not be stopped.', error);
      }
    },
    cancel: async () => {
      try {
        await show(await cancel.send({ params: { pipelineId } }));
      } catch (error) {
        toastError('There was an error while trying to cancel the pipeline.', error);
      }
    },
    rerun: async (from) => {
      try {
        await show(await rerun.send({ params: { pipelineId }, body: { from } }));
      } catch (error) {
        toastError('The pipeline could not be started again.', error);
      }
    },
  };
};
