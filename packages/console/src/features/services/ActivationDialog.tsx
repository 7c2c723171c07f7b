/** Switches a service off or on, and says before what stops or starts. */
import { runOf } from '@slipway/contract/plan.ts';
import { serviceActivation, type Service } from '@slipway/contract/service.ts';
import { ConfirmDialog } from '@slipway/ui/ConfirmDialog.tsx';
import { toast } from '@slipway/ui/toast.ts';
import { useWrite } from '#api/write.ts';
import { reportError } from '#lib/global-error.ts';
import { paths } from '#lib/paths.ts';

const count = (number: number): string => `${number} ${number === 1 ? 'instance' : 'instances'}`;

const stops = (ready: number): string => {
  if (ready === 0) return 'Stops all instances';
  return ready === 1 ? 'Stops its one instance' : `Stops all ${ready} instances`;
};

const off = ({ name, status }: Service) => ({
  title: `Deactivate ${name}?`,
  consequences: [stops(status.replicasReady), ...(status.url ? [`${status.url} answers 503`] : [])],
  description: 'Revisions, settings and images stay. It can be activated again at any time.',
  confirmLabel: `Deactivate ${name}`,
  busyLabel: 'Deactivating',
  keepLabel: 'Keep it running',
});
const on = ({ name, spec, status }: Service) => ({
  title: `Activate ${name}?`,
  consequences: [],
  description: `Starts the newest revision that did not fail, with ${count(spec.template.replicaScaling.count)}${status.url ? `, and ${status.url} answers again` : ''}.`,
  confirmLabel: `Activate ${name}`,
  busyLabel: 'Activating',
  keepLabel: 'Leave it off',
  variant: 'primary' as const,
});

export function ActivationDialog({ service, isOpen, onClose }: { service: Service; isOpen: boolean; onClose: () => void }) {
  const write = useWrite(serviceActivation);
  const place = { app: service.app, env: service.environment, service: service.name };
  const active = !service.active;
  const confirm = async (): Promise<void> => {
    try {
      const { pipelineId } = runOf(await write.send({ params: place, body: { active } }));
      toast.success(`${service.name} is being ${active ? 'activated' : 'deactivated'}`, {
        href: paths.pipeline({ ...place, pipeline: pipelineId }),
        linkLabel: 'View pipeline',
      });
    } catch (error) {
      reportError(error);
    }
    onClose();
  };
  return (
    <ConfirmDialog
      {...(active ? on(service) : off(service))}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => void confirm()}
      isBusy={write.isBusy}
    />
  );
}
