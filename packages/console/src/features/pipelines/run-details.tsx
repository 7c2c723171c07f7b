/** Header details that all pipelines share. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Detail } from '@slipway/ui/layout/Details.tsx';
import { StepTime } from '#entities/pipeline/StepTime.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { isUndoing } from '#entities/pipeline/pipeline-progress.ts';
import { triggerLabel } from '#entities/pipeline/pipeline-title.ts';
import { pipelineLook, type StatusLook } from '#entities/status.ts';

export const runLook = (run: PipelineRun): StatusLook =>
  isUndoing(run) ? { tone: 'run', word: 'Undoing' } : pipelineLook[run.status.state];

const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** Author and start time. */
export const runDetails = (run: PipelineRun): Detail[] => [
  {
    label: 'Started by',
    value: `${run.createdBy.displayName}${run.trigger === 'person' ? '' : `, ${lowerFirst(triggerLabel(run))}`}`,
  },
  !isActive(run.status.state) && run.endedAt
    ? {
        label: 'Ended',
        value: (
          <span>
            <RelativeTime at={run.endedAt} />, after <StepTime from={run.startedAt ?? run.creationTimestamp} to={run.endedAt} />
          </span>
        ),
      }
    : { label: 'Started', value: <RelativeTime at={run.creationTimestamp} /> },
];
