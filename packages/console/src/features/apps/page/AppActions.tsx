/** What one can do with an app: a new service first; macId, team and deletion behind the dots. */
import type { Application } from '@slipway/contract/application.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { Ellipsis, Hash, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { reasonOf } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { ChangeTeamDialog } from './ChangeTeamDialog.tsx';
import { DeleteAppDialog } from './DeleteAppDialog.tsx';
import { MacIdDialog } from './MacIdDialog.tsx';

type Dialog = 'macId' | 'team' | 'delete';

export function AppActions({ app, env }: { app: Application; env: string }) {
  const [open, setOpen] = useState<Dialog>();
  const close = (): void => setOpen(undefined);
  const reason = (verb: string) => {
    const text = reasonOf(app.can, verb, { team: app.teamName });
    return text === undefined ? {} : { disabledReason: text };
  };
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
            onSelect: () => setOpen('delete'),
            ...reason('delete'),
          },
        ]}
      />
      <LinkButton
        href={paths.newService({ app: app.id, env })}
        variant="primary"
        icon={<Plus aria-hidden="true" />}
        {...reason('createService')}
      >
        New service
      </LinkButton>
      <MacIdDialog app={app} isOpen={open === 'macId'} onClose={close} />
      <ChangeTeamDialog app={app} isOpen={open === 'team'} onClose={close} />
      <DeleteAppDialog app={app} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}
