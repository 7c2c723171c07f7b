/** Actions for a secret group: new version, copy, delete. */
import { secretGroupDelete, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Copy, Ellipsis, Plus, Trash2 } from 'lucide-react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

export interface GroupActionsProps {
  group: SecretGroup;
  place: GroupPlace;
  team: string;
}

export function GroupActions({ group, place, team }: GroupActionsProps) {
  const remove = useWrite(secretGroupDelete);
  const navigate = useNavigate();
  const reason = (verb: string) => disabledUnless(group.can, verb, { team });
  const askDeletion = (): void =>
    confirmAction({
      title: `Delete ${group.name}?`,
      description: 'This cannot be undone.',
      consequences: [`${count(group.keys.length, 'key')} and ${count(group.versionCount, 'version')} are gone for good`],
      confirmLabel: `Delete ${group.name}`,
      busyLabel: 'Deleting',
      run: async () => {
        await remove.send({ params: { ...place } });
        toast.success(`${group.name} is deleted`);
        await navigate(paths.secretGroups(place));
        await refresh({ kind: 'secretGroup', app: place.app });
      },
    });
  return (
    <>
      <LinkButton href={paths.secretGroup(place, 'copy')} icon={<Copy aria-hidden="true" />} {...reason('copy')}>
        Copy to
      </LinkButton>
      <Menu
        trigger={<IconButton label={`More actions for ${group.name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          {
            label: 'Delete secret group',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: askDeletion,
            ...reason('delete'),
          },
        ]}
      />
      <LinkButton
        href={paths.secretGroup(place, 'new-version')}
        variant="primary"
        icon={<Plus aria-hidden="true" />}
        {...reason('versionCreate')}
      >
        New version
      </LinkButton>
    </>
  );
}
