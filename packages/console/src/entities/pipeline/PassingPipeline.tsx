/** Shows the active pipeline of a page's resource below the page header, and nothing when it has ended. */
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import { PipelineStrip } from '@slipway/ui/layout/PipelineStrip.tsx';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { pipelinePath } from '#entities/paths.ts';
import { progressOf, progressText } from './pipeline-progress.ts';
import { pipelineTitle } from './pipeline-title.ts';
import { usePipelineRun } from './use-pipeline-run.ts';

export function PassingPipeline({ pipelineId }: { pipelineId: string | null | undefined }) {
  const { data: run } = usePipelineRun(pipelineId);
  if (!pipelineId || !run || !isActive(run.status.state)) return null;
  return (
    <PipelineStrip
      title={pipelineTitle(run)}
      note={progressText(run)}
      meta={
        <>
          {run.createdBy.displayName}, <DurationText from={run.startedAt ?? run.creationTimestamp} />
        </>
      }
      progress={progressOf(run).share}
      href={pipelinePath(run)}
    />
  );
}
