/** Follows the latest pipeline of the registry's project and reports policy failures. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useEffect, useRef } from 'react';
import { usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';
import { messageFor } from '#kit/error/messages.ts';

const failedTitles: Readonly<Record<string, string>> = {
  UpdateContainerRegistry: 'Failed to update Harbor project',
  DeleteContainerRegistry: 'Failed to delete project',
};

/** Returns the catalog's text for the failed step. */
const failureOf = (run: PipelineRun): string | undefined => {
  const step = run.status.steps.find(({ state }) => state === 'FAILED');
  if (!step) return undefined;
  return `${step.name}: ${step.message ? messageFor(step.message.code, step.message.context) : 'it failed'}`;
};

export const usePolicyPipeline = (registry: ContainerRegistry): PipelineRun | undefined => {
  const run = usePipelineRun(registry.pipelineId).data;
  const wasActive = useRef(false);
  /** A pipeline that ended before it was seen running is recognized by its new id. */
  const known = useRef(registry.pipelineId);
  const state = run?.status.state;
  useEffect(() => {
    if (!run || !state) return;
    if (isActive(state)) wasActive.current = true;
    else if (wasActive.current || run.pipelineId !== known.current) {
      wasActive.current = false;
      known.current = run.pipelineId;
      const title = failedTitles[run.pipelineType];
      const detail = failureOf(run);
      if (state === 'FAILED' && title !== undefined) toast.failure(title, detail === undefined ? {} : { detail });
      if (state === 'COMPLETED' && run.pipelineType === 'UpdateContainerRegistry') toast.success('The registry policy is applied');
    }
  }, [run, state]);
  return run;
};
