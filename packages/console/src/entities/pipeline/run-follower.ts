/** Follows a run to its end to report the result, even after the user left the page that started the run. */
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { pipelinePath } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { isStatus } from '#kit/api/errors.ts';

/** Specification §4. */
const pollMs = 1000;
const mostTries = 600;

/** Returns the ended run, or undefined if it cannot be followed. Authorization errors and 404 are final; other errors are retried. */
export const endOf = async (run: PipelineRun): Promise<PipelineRun | undefined> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      const now = await call(pipelineView, { params: { pipelineId: run.pipelineId } });
      if (!isActive(now.status.state)) return now;
    } catch (error) {
      if (isStatus(error, 401, 403, 404)) return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return undefined;
};

/** Reports success once the run completed, such as "Topic deleted successfully". Reports a failure with a link to the pipeline. */
export const sayEnd = async (run: PipelineRun, { done, failed }: { done?: string; failed: string }): Promise<void> => {
  const end = await endOf(run);
  if (!end) toast.failure('The pipeline cannot be followed', { detail: 'Its result is unknown. Reload the page to see what changed.' });
  if (end?.status.state === 'COMPLETED' && done !== undefined) toast.success(done);
  else if (end?.status.state === 'FAILED')
    toast.failure(failed, { detail: 'See the pipeline for the reason.', href: pipelinePath(end), linkLabel: 'View pipeline' });
};
