/** Re-runs a failed or stopped pipeline from the failed step or from the start. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button, type ButtonVariant } from '@slipway/ui/form/Button.tsx';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { isUndoing } from './pipeline-progress.ts';
import { usePipelineActions } from './use-pipeline-run.ts';

export interface RerunButtonProps {
  run: PipelineRun;
  /** Name of the team, for the reasons of disabled controls. */
  team: string;
  variant?: ButtonVariant;
  from?: 'failedStep' | 'start';
  children?: ReactNode;
}

export function RerunButton({ run, team, variant = 'default', from = 'failedStep', children = 'Re-run' }: RerunButtonProps) {
  const actions = usePipelineActions(run.pipelineId);
  return (
    <Button
      variant={variant}
      icon={from === 'failedStep' ? <RotateCw aria-hidden="true" /> : undefined}
      isBusy={actions.isRerunning}
      busyLabel="Starting"
      disabledReason={isUndoing(run) ? 'What the pipeline had made is still being removed' : reasonOf(run.can, 'rerun', { team })}
      onClick={() => void actions.rerun(from)}
    >
      {children}
    </Button>
  );
}
