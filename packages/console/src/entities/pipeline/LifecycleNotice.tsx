/**
 * What a person must know about anything that a pipeline makes or deletes: it is being made, it was not made, it goes away, or it could
 * not be deleted. With Re-run, Discard and the way to the pipeline.
 */
import type { Can } from '@slipway/contract/kernel/fields.ts';
import { isActive, pipelineFailureTitle, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { WhyCard, type WhyCardProps } from '@slipway/ui/feedback/WhyCard.tsx';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { pipelinePath } from '#entities/paths.ts';
import { progressText } from './pipeline-progress.ts';
import { usePipelineActions } from './use-pipeline-run.ts';

export interface LifecycleNoticeProps {
  /** As it stands in sentences: "team". */
  noun: string;
  state: 'ACTIVE' | 'CREATING' | 'NOT_CREATED' | 'DELETING';
  /** The pipeline that makes or deletes it, as soon as it is read. */
  run: PipelineRun | undefined;
  can: Can;
  /** The team that owns it, for reasons. */
  team: string;
  /** What discarding asks and does. */
  discard: ConfirmedAction;
  /** What is safe to know after a creation that failed. */
  seen?: WhyCardProps['seen'];
}

export function LifecycleNotice(props: LifecycleNoticeProps) {
  const { noun, state, run } = props;
  const view = run && (
    <LinkButton size="sm" href={pipelinePath(run)}>
      View pipeline
    </LinkButton>
  );
  if (state === 'CREATING') {
    return (
      <Notice tone="run" actions={view}>
        This {noun} is being created{run ? `: ${progressText(run)}.` : '.'}
      </Notice>
    );
  }
  if (state === 'NOT_CREATED') return <Failed {...props} />;
  if (state !== 'DELETING') return null;
  if (run && !isActive(run.status.state) && run.status.state !== 'COMPLETED') return <Failed {...props} />;
  return (
    <Notice tone="run" isLive>
      This {noun} is being deleted. The page goes away with it.
    </Notice>
  );
}

const undone: WhyCardProps['seen'] = [{ tone: 'ok', text: 'Doing nothing is safe.' }];
const halfGone: WhyCardProps['seen'] = [
  { tone: 'warn', text: 'What the pipeline deleted before it failed is gone. There is no way back: re-running it deletes the rest.' },
];

function Failed({ noun, state, run, can, team, discard, seen = undone }: LifecycleNoticeProps) {
  const isCreation = state === 'NOT_CREATED';
  const failed = run?.status.steps.find((step) => step.state === 'FAILED');
  const cause = failed && stepMessageOf(failed.code, failed.message);
  return (
    <>
      <WhyCard
        title={pipelineFailureTitle(run)}
        seen={isCreation ? seen : halfGone}
        actions={
          <>
            <Rerun run={run} team={team} />
            {isCreation && (
              <Button disabledReason={reasonOf(can, 'delete', { team })} onClick={() => confirmAction(discard)}>
                Discard
              </Button>
            )}
            {run && (
              <LinkButton variant="quiet" href={pipelinePath(run)}>
                View pipeline
              </LinkButton>
            )}
          </>
        }
      >
        <p>{cause || `The ${noun} was not ${isCreation ? 'created' : 'deleted'}.`}</p>
      </WhyCard>
    </>
  );
}

function Rerun({ run, team }: { run: PipelineRun | undefined; team: string }) {
  const actions = usePipelineActions(run?.pipelineId ?? '');
  return (
    <Button
      variant="primary"
      isBusy={actions.isRerunning}
      busyLabel="Starting"
      disabledReason={run ? reasonOf(run.can, 'rerun', { team }) : 'Its pipeline is not read yet'}
      onClick={() => void actions.rerun('failedStep')}
    >
      Re-run
    </Button>
  );
}
