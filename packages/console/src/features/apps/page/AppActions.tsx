/** Actions for an app: create a service; change the macId or team and delete in the overflow menu. */
import type { Application } from '@slipway/contract/application.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { CircleArrowUp, Ellipsis, Hash, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { ChangeTeamDialog } from '#entities/application/ChangeTeamDialog.tsx';
import { MacIdDialog } from '#entities/application/MacIdDialog.tsx';
import { paths } from '#entities/paths.ts';
import { useAppRemoval } from './use-app-removal.ts';

type Dialog = 'macId' | 'team';

export function AppActions({ app, env }: { app: Application; env: string }) {
  const [open, setOpen] = useState<Dialog>();
  const { remove } = useAppRemoval(app);
  const close = (): void => setOpen(undefined);
  const reason = (verb: string) => disabledUnless(app.can, verb, { team: app.teamName });
  return (
    <>
      <Menu
        trigger={<IconButton label={`More actions for ${app.id}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'Set macId', icon: <Hash aria-hidden="true" />, onSelect: () => setOpen('macId'), ...reason('setMacId') },
          { label: 'Change team', icon: <Users aria-hidden="true" />, onSelect: () => setOpen('team'), ...reason('update') },
          'line',
          {
            label: 'Delete app',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => confirmAction(remove),
            ...reason('delete'),
          },
        ]}
      />
      {env === 'development' && (
        <LinkButton href={paths.promoteApp({ app: app.id })} icon={<CircleArrowUp aria-hidden="true" />} {...reason('createService')}>
          Promote to production
        </LinkButton>
      )}
      <LinkButton
        href={paths.newService({ app: app.id, env })}
        variant="primary"
        icon={<Plus aria-hidden="true" />}
        {...reason('createService')}
      >
        New service
      </LinkButton>
      {open === 'macId' && <MacIdDialog app={app} onClose={close} />}
      {open === 'team' && <ChangeTeamDialog app={app} onClose={close} />}
    </>
  );
}
