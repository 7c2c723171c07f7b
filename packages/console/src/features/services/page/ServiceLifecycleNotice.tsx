/** What a person must know about a service before anything else: being made, not made, going away, or switched off. */
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Power } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { pipelinePath } from '#entities/paths.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { failedStepOf } from '#entities/diagnosis/pipeline-failure.ts';
import { progressText } from '#entities/pipeline/pipeline-progress.ts';
import { usePipelineActions, usePipelineRun } from '#entities/pipeline/use-pipeline-run.ts';

const ActivationDialog = lazy(() => import('./ActivationDialog.tsx'));
const DeleteServiceDialog = lazy(() => import('./DeleteServiceDialog.tsx'));

interface LifecycleNoticeProps {
  service: Service;
  team: string;
  /** The card below has the filled button then: activating would fail again. */
  hasDiagnosis?: boolean;
}

export function ServiceLifecycleNotice({ service, team, hasDiagnosis = false }: LifecycleNoticeProps) {
  switch (service.state) {
    case 'CREATING':
      return <Creating service={service} />;
    case 'NOT_CREATED':
      return <NotCreated service={service} team={team} />;
    case 'DELETING':
      return (
        <Notice tone="run" isLive>
          This service is being deleted. The page goes away with it.
        </Notice>
      );
    case 'ACTIVE':
      if (!service.active) return <Inactive service={service} team={team} hasDiagnosis={hasDiagnosis} />;
      return service.status.scaledDownAt === null ? null : <ScaledDown service={service} team={team} at={service.status.scaledDownAt} />;
  }
}

function Creating({ service }: { service: Service }) {
  const { data: run } = usePipelineRun(service.creationPipelineId);
  return (
    <Notice
      tone="run"
      actions={
        run && (
          <LinkButton size="sm" href={pipelinePath(run)}>
            View pipeline
          </LinkButton>
        )
      }
    >
      This service is being created{run ? `: ${progressText(run)}.` : '.'}
    </Notice>
  );
}

function Inactive({ service, team, hasDiagnosis }: LifecycleNoticeProps) {
  return (
    <Stopped service={service} team={team} hasDiagnosis={hasDiagnosis}>
      <strong>This service is inactive.</strong> No instance runs{service.status.url ? ', and its URL does not answer' : ''}. Revisions,
      settings and images are kept.
    </Stopped>
  );
}

function ScaledDown({ service, team, at }: LifecycleNoticeProps & { at: string }) {
  const days = service.spec.scaleDownAfterDays;
  return (
    <Stopped service={service} team={team}>
      <strong>Stopped{days ? ` after ${days} ${days === 1 ? 'day' : 'days'} without a request` : ' because no request came'}</strong>,{' '}
      <RelativeTime at={at} />. Activating it, or the next deploy, starts it again.
    </Stopped>
  );
}

/** It stands still, and one button starts it. */
function Stopped({ service, team, hasDiagnosis = false, children }: LifecycleNoticeProps & { children: ReactNode }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Notice
        icon={<Power aria-hidden="true" />}
        actions={
          <Button
            variant={hasDiagnosis ? 'default' : 'primary'}
            disabledReason={reasonOf(service.can, 'activate', { team })}
            onClick={() => setAsking(true)}
          >
            Activate
          </Button>
        }
      >
        {children}
      </Notice>
      <Suspense fallback={null}>{isAsking && <ActivationDialog service={service} active onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

function NotCreated({ service, team }: LifecycleNoticeProps) {
  const { data: run } = usePipelineRun(service.creationPipelineId);
  const [isDiscarding, setDiscarding] = useState(false);
  const discard = (
    <Button disabledReason={reasonOf(service.can, 'delete', { team })} onClick={() => setDiscarding(true)}>
      Discard
    </Button>
  );
  const view = run && (
    <LinkButton variant="quiet" href={pipelinePath(run)}>
      View pipeline
    </LinkButton>
  );
  return (
    <>
      {run && failedStepOf(run) ? (
        <PipelineFailure run={run} team={team}>
          {discard}
          {view}
        </PipelineFailure>
      ) : (
        <Notice
          tone="warn"
          actions={
            <>
              {run && <Rerun pipelineId={run.pipelineId} reason={reasonOf(run.can, 'rerun', { team })} />}
              {discard}
              {view}
            </>
          }
        >
          This service was not created: its pipeline was cancelled, and what it had made was removed again.
        </Notice>
      )}
      <Suspense fallback={null}>{isDiscarding && <DeleteServiceDialog service={service} onClose={() => setDiscarding(false)} />}</Suspense>
    </>
  );
}

function Rerun({ pipelineId, reason }: { pipelineId: string; reason: string | undefined }) {
  const actions = usePipelineActions(pipelineId);
  return (
    <Button
      variant="primary"
      isBusy={actions.isRerunning}
      busyLabel="Starting"
      disabledReason={reason}
      onClick={() => void actions.rerun('failedStep')}
    >
      Re-run
    </Button>
  );
}
