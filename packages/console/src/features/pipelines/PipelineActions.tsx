/** Actions for a run: cancel while it runs, rerun after it failed. Unavailable actions say why. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { isUndoing } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { RerunButton } from '#entities/pipeline/RerunButton.tsx';
import { usePipelineActions } from '#entities/pipeline/use-pipeline-run.ts';
import { noReturnStep } from './step-rows.ts';

const cancelReason = (run: PipelineRun, team: string): string | undefined => {
  if (isUndoing(run)) return 'What the pipeline had made is being removed already';
  const reason = reasonOf(run.can, 'cancel', { team });
  const step = noReturnStep(run);
  return reason !== undefined && step && step.state !== 'PENDING' && run.can['cancel'] === 'PipelineUncancellableState'
    ? `${step.name} has begun and cannot be undone half-way`
    : reason;
};

export function PipelineActions({ run, team }: { run: PipelineRun; team: string }) {
  return isActive(run.status.state) ? <Cancel run={run} team={team} /> : <Rerun run={run} team={team} />;
}

function Cancel({ run, team }: { run: PipelineRun; team: string }) {
  const actions = usePipelineActions(run.pipelineId);
  const ask = (): void =>
    confirmAction({
      title: `Cancel “${pipelineTitle(run)}”?`,
      consequences: ['The step that runs is stopped', 'What the steps before it made is removed again'],
      confirmLabel: 'Cancel pipeline',
      busyLabel: 'Cancelling',
      keepLabel: 'Let it run',
      run: actions.cancel,
    });
  return (
    <Button disabledReason={cancelReason(run, team)} isBusy={actions.isCancelling} busyLabel="Cancelling" onClick={ask}>
      Cancel pipeline
    </Button>
  );
}

/** The failure card offers a rerun from the failed step; a canceled run has no such card. */
function Rerun({ run, team }: { run: PipelineRun; team: string }) {
  if (run.status.state === 'COMPLETED') return null;
  return (
    <>
      {run.status.state === 'CANCELED' && <RerunButton run={run} team={team} />}
      <RerunButton run={run} team={team} from="start">
        Re-run all
      </RerunButton>
    </>
  );
}
