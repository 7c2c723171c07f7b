/** The most important notice about a service: creating, creation failed, deleting, or inactive. */
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Power } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { LifecycleNotice } from '#entities/resource/LifecycleNotice.tsx';
import { reasonOf } from '#kit/error/messages.ts';

const ActivationDialog = lazy(() => import('./ActivationDialog.tsx'));
const DeleteServiceDialog = lazy(() => import('./DeleteServiceDialog.tsx'));

interface NoticeProps {
  service: Service;
  team: string;
  /** The card below then has the primary button, because activating would fail again. */
  hasDiagnosis?: boolean;
}

/** The pipeline that creates the service may be the pipeline of its app. The one that deletes it is its own newest. */
const madeBy = ({ state, creationPipelineId }: Service) => (state === 'DELETING' ? {} : { pipelineId: creationPipelineId });

export function ServiceLifecycleNotice({ service, team, hasDiagnosis = false }: NoticeProps) {
  const { app, environment: env, name, state, active, status, can } = service;
  const [isDiscarding, setDiscarding] = useState(false);
  const subject = { kind: serviceKind.kind, names: { app, env, service: name } };
  const shared = { subject, state, can, team, ...madeBy(service) };
  return (
    <>
      <LifecycleNotice noun="service" {...shared} onDiscard={() => setDiscarding(true)} />
      {!service.areSettingsReadable && (
        <Notice tone="bad">
          <strong>The stored settings of this service can't be read.</strong> Its instances and its route stay as they are. Ask your
          operators to repair them.
        </Notice>
      )}
      {state === 'ACTIVE' && !active && <Inactive service={service} team={team} hasDiagnosis={hasDiagnosis} />}
      {state === 'ACTIVE' && active && status.scaledDownAt !== null && (
        <ScaledDown service={service} team={team} at={status.scaledDownAt} />
      )}
      <Suspense fallback={null}>{isDiscarding && <DeleteServiceDialog service={service} onClose={() => setDiscarding(false)} />}</Suspense>
    </>
  );
}

function Inactive({ service, team, hasDiagnosis }: NoticeProps) {
  return (
    <Stopped service={service} team={team} hasDiagnosis={hasDiagnosis}>
      <strong>This service is inactive.</strong> No instance runs{service.status.url ? ', and its URL does not answer' : ''}. Revisions,
      settings and images are kept.
    </Stopped>
  );
}

function ScaledDown({ service, team, at }: NoticeProps & { at: string }) {
  const days = service.spec.scaleDownAfterDays;
  return (
    <Stopped service={service} team={team}>
      <strong>Stopped{days ? ` after ${days} ${days === 1 ? 'day' : 'days'} without a request` : ' because no request came'}</strong>,{' '}
      <RelativeTime at={at} />. Activating it, or the next deploy, starts it again.
    </Stopped>
  );
}

/** The service is stopped, and one button starts it. */
function Stopped({ service, team, hasDiagnosis = false, children }: NoticeProps & { children: ReactNode }) {
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
