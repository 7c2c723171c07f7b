/** Activates or deactivates a service after showing the consequences. */
import { serviceActivation, type Service } from '@slipway/contract/service/service.ts';
import { PlannedSwitch } from '#entities/plan/PlannedSwitch.tsx';

export interface ActivationDialogProps {
  service: Service;
  /** True also for an active service that was stopped because it received no requests. Activating starts it again. */
  active: boolean;
  onClose: () => void;
}

export default function ActivationDialog({ service: { app, environment, name }, active, onClose }: ActivationDialogProps) {
  return (
    <PlannedSwitch
      active={active}
      on={{
        title: `Activate ${name}?`,
        description: 'Starts the newest revision that did not fail.',
        confirmLabel: `Activate ${name}`,
        busyLabel: 'Activating',
        keepLabel: 'Leave it off',
        done: `${name} is being activated`,
      }}
      off={{
        title: `Deactivate ${name}?`,
        description: 'Revisions, settings and images stay. It can be activated again at any time.',
        confirmLabel: `Deactivate ${name}`,
        busyLabel: 'Deactivating',
        keepLabel: 'Keep it running',
        done: `${name} is being deactivated`,
      }}
      route={serviceActivation}
      input={{ params: { app, env: environment, service: name }, body: { active } }}
      name={name}
      environment={environment}
      onClose={onClose}
    />
  );
}
