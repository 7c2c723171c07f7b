/** Attaches a group to a service or detaches it. Both take effect with the service's next revision. */
import { serviceSecretGroupAttach, serviceSecretGroupDetach } from '@slipway/contract/secret/secret-group.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import type { AppRef } from '#entities/paths.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';

/** `place` names the group on a group's page, but not on a service's page. */
export const useAttachment = (place: AppRef & { group?: string }) => {
  const attachWrite = useWrite(serviceSecretGroupAttach);
  const detachWrite = useWrite(serviceSecretGroupDetach);
  const refreshSecrets = () => refresh({ kind: 'secretGroup', app: place.app });
  const attach = async (service: string, group: string, exposeAsEnvironment: boolean): Promise<void> => {
    await attachWrite.send({ params: { app: place.app, env: place.env, service, group }, body: { exposeAsEnvironment } });
    await refreshSecrets();
  };
  const detachAction = (service: string, group = place.group ?? ''): ConfirmedAction => ({
    title: `Detach ${group} from ${service}?`,
    description: 'What runs now keeps its values. The next revision of the service does not read them any more.',
    confirmLabel: `Detach ${group}`,
    busyLabel: 'Detaching',
    keepLabel: 'Keep it attached',
    run: async () => {
      await detachWrite.send({ params: { app: place.app, env: place.env, service, group } });
      toast.success(`${group} is detached from ${service}`, { detail: 'Takes effect with its next revision.' });
      await refreshSecrets();
    },
  });
  return { attach, detachAction };
};
