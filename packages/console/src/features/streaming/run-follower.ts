/** Follows a run to its end, for what is said then: the page that started it may be gone by that time. */
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { pipelinePath } from '#entities/paths.ts';
import { call } from '#kit/api/call.ts';
import { isStatus } from '#kit/api/errors.ts';

/** Specification §4. */
const pollMs = 1000;
const mostTries = 600;

/** Undefined where it cannot be followed any more. A 404 is final; what else fails is tried again. */
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

/** "Topic deleted successfully" when it is, and not before; else what failed, with the way to it. */
export const sayEnd = async (run: PipelineRun, { done, failed }: { done: string; failed: string }): Promise<void> => {
  const end = await endOf(run);
  if (end?.status.state === 'COMPLETED') toast.success(done);
  else if (end?.status.state === 'FAILED')
    toast.failure(failed, { detail: 'See the pipeline for the reason.', href: pipelinePath(end), linkLabel: 'View pipeline' });
};
