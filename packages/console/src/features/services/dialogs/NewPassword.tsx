/** Creates a new basic authentication password. The old password stops working immediately. */
import { serviceBasicAuthRotate } from '@slipway/contract/service/service-access.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { ConfirmActionDialog } from '#kit/confirm/ConfirmActionDialog.tsx';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { paths } from '#entities/paths.ts';

export function NewPassword({ service, reason }: { service: Service; reason: string | undefined }) {
  const [isAsking, setAsking] = useState(false);
  const rotate = useWrite(serviceBasicAuthRotate);
  const { app, environment: env, name } = service;
  const rotation: ConfirmedAction = {
    title: `Create a new password for ${name}?`,
    consequences: ['The old password ends at once', 'Whoever calls with it gets 401 until they have the new one'],
    description: 'No instance restarts.',
    confirmLabel: 'Create a new password',
    busyLabel: 'Making',
    keepLabel: 'Keep the old one',
    run: async () => {
      const { secretGroup, version } = await rotate.send({ params: { app, env, service: name } });
      toast.success(`${name} has a new password`, {
        detail: `Version ${version} of ${secretGroup}`,
        href: paths.secretGroup({ app, env, group: secretGroup }),
        linkLabel: 'Open the secret group',
      });
      await refresh({ kind: 'secretGroup', app, env });
    },
  };
  return (
    <>
      <Button onClick={() => setAsking(true)} {...(reason === undefined ? {} : { disabledReason: reason })}>
        New password
      </Button>
      <ConfirmActionDialog action={isAsking ? rotation : undefined} onClose={() => setAsking(false)} />
    </>
  );
}
