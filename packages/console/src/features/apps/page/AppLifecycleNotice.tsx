/** What a person must know about an app before anything else: it is being made, it was not made, or it goes away. */
import { applicationDelete, type Application } from '@slipway/contract/application.ts';
import { pipelineFailureTitle, pipelineRerun, pipelineView } from '@slipway/contract/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/steps.ts';
import { Button } from '@slipway/ui/Button.tsx';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { LinkButton } from '@slipway/ui/LinkButton.tsx';
import { Notice } from '@slipway/ui/Notice.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { WhyCard } from '@slipway/ui/WhyCard.tsx';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { progressText } from '#entities/pipeline/pipeline-progress.ts';

export function AppLifecycleNotice({ app }: { app: Application }) {
  if (app.state === 'CREATING') return <Creating pipelineId={app.pipelineId} />;
  if (app.state === 'NOT_CREATED') return <NotCreated app={app} />;
  if (app.state === 'DELETING') {
    return (
      <Notice tone="run" isLive>
        This app is being deleted. The page goes away with it.
      </Notice>
    );
  }
  return null;
}

const useRun = (pipelineId: string | null) =>
  useQuery(pipelineView, pipelineId !== null && { params: { pipelineId } }, { pollMs: 1000 }).data;

function Creating({ pipelineId }: { pipelineId: string | null }) {
  const run = useRun(pipelineId);
  return (
    <Notice
      tone="run"
      actions={
        run ? (
          <LinkButton size="sm" href={pipelinePath(run)}>
            View pipeline
          </LinkButton>
        ) : undefined
      }
    >
      This app is being created{run ? `: ${progressText(run)}.` : '.'}
    </Notice>
  );
}

function NotCreated({ app }: { app: Application }) {
  const run = useRun(app.pipelineId);
  const [isDiscarding, setDiscarding] = useState(false);
  const rerun = useWrite(pipelineRerun);
  const failed = run?.status.steps.find((step) => step.state === 'FAILED');
  const cause = failed && stepMessageOf(failed.code, failed.message);
  const again = async (): Promise<void> => {
    if (!run) return;
    try {
      await rerun.send({ params: { pipelineId: run.pipelineId }, body: { from: 'failedStep' } });
    } catch (error) {
      reportError(error);
    }
  };
  const team = { team: app.teamName };
  return (
    <>
      <WhyCard
        title={pipelineFailureTitle(run)}
        seen={[
          { tone: 'idle', text: 'What the pipeline had made was removed again; the name stays reserved for this app.' },
          { tone: 'ok', text: 'Doing nothing is safe.' },
        ]}
        actions={
          <>
            <Button
              variant="primary"
              isBusy={rerun.isBusy}
              busyLabel="Starting"
              disabledReason={reasonOf(run?.can, 'rerun', team)}
              onClick={() => void again()}
            >
              Re-run
            </Button>
            <Button disabledReason={reasonOf(app.can, 'delete', team)} onClick={() => setDiscarding(true)}>
              Discard
            </Button>
            {run && (
              <LinkButton variant="quiet" href={pipelinePath(run)}>
                View pipeline
              </LinkButton>
            )}
          </>
        }
      >
        <p>{cause || 'The app was not created.'}</p>
      </WhyCard>
      <Discard app={app} isOpen={isDiscarding} onClose={() => setDiscarding(false)} />
    </>
  );
}

function Discard({ app, isOpen, onClose }: { app: Application; isOpen: boolean; onClose: () => void }) {
  const discard = useWrite(applicationDelete);
  const navigate = useNavigate();
  const confirm = async (): Promise<void> => {
    try {
      await discard.send({ params: { app: app.id } });
      toast.success(`${app.id} is being discarded`);
      await navigate(paths.myApps());
    } catch (error) {
      onClose();
      reportError(error);
    }
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => void confirm()}
      title={`Discard ${app.id}?`}
      description="It was never created, so nothing is lost but the form's values. The name becomes free again."
      confirmLabel={`Discard ${app.id}`}
      busyLabel="Discarding"
      isBusy={discard.isBusy}
    />
  );
}
