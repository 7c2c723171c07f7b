/** Activates or deactivates a service after showing the consequences. */
import { serviceActivation, type Service } from '@slipway/contract/service/service.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';

const off = ({ name }: Service) =>
  ({
    title: `Deactivate ${name}?`,
    description: 'Revisions, settings and images stay. It can be activated again at any time.',
    confirmLabel: `Deactivate ${name}`,
    busyLabel: 'Deactivating',
    keepLabel: 'Keep it running',
    variant: 'danger',
  }) as const;
const on = ({ name }: Service) =>
  ({
    title: `Activate ${name}?`,
    description: 'Starts the newest revision that did not fail.',
    confirmLabel: `Activate ${name}`,
    busyLabel: 'Activating',
    keepLabel: 'Leave it off',
    variant: 'primary',
  }) as const;

export interface ActivationDialogProps {
  service: Service;
  /** True also for an active service that was stopped because it received no requests. Activating starts it again. */
  active: boolean;
  onClose: () => void;
}

export default function ActivationDialog({ service, active, onClose }: ActivationDialogProps) {
  const { description, ...words } = active ? on(service) : off(service);
  const params = { app: service.app, env: service.environment, service: service.name };
  return (
    <PlannedAction
      {...words}
      route={serviceActivation}
      input={{ params, body: { active } }}
      subject={service.name}
      environment={service.environment}
      onClose={onClose}
      onDone={(run) => {
        toastRun(`${service.name} is being ${active ? 'activated' : 'deactivated'}`, run);
        onClose();
      }}
    >
      {() => <p>{description}</p>}
    </PlannedAction>
  );
}
