/** Actions for a database: connect, change, rotate, let others read, activate or deactivate, delete, and back up now. */
import { databaseDelete, type Database } from '@slipway/contract/database/database.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { Archive, BookOpen, Ellipsis, KeyRound, Power, SlidersHorizontal, Terminal, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { paths } from '#entities/paths.ts';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { useRemoval } from '#kit/confirm/use-removal.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { deletionReason } from '#features/databases/database-labels.ts';
import { backupReason, useBackUp } from '#features/databases/backups/BackupsPanel.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';

const ActivationDialog = lazy(() => import('./ActivationDialog.tsx'));
const ReaderDialog = lazy(() => import('./ReaderDialog.tsx'));
const RotateDialog = lazy(() => import('./RotateDialog.tsx'));

export const useDatabaseRemoval = (place: DatabasePlace, database: Database): Record<'remove' | 'discard', ConfirmedAction> => {
  const { active, displayName, name, secretGroup, reader, status } = database;
  return useRemoval({
    route: databaseDelete,
    input: { params: { ...place } },
    title: displayName,
    home: paths.databases(place),
    description: `This cannot be undone. ${active ? 'A last backup is made first. ' : ''}Backups are kept until they expire: a new database can be made of one.`,
    consequences: [
      status.sizeBytes === null ? 'All of its data is gone' : `All of its data is gone, ${bytes(status.sizeBytes)}`,
      reader
        ? `The secret groups ${secretGroup} and ${reader.secretGroup} and their logins are gone`
        : `The secret group ${secretGroup} and its logins are gone`,
    ],
    confirmWord: name,
    freed: 'The name becomes free again.',
  });
};

export interface DatabaseActionsProps {
  place: DatabasePlace;
  database: Database;
  team: string;
  isEditing: boolean;
}

export function DatabaseActions({ place, database, team, isEditing }: DatabaseActionsProps) {
  const [open, setOpen] = useState<'activation' | 'reader' | 'rotation'>();
  const close = (): void => setOpen(undefined);
  const { remove } = useDatabaseRemoval(place, database);
  const { backUp, isBusy } = useBackUp(place);
  const off = (verb: string) => disabledUnless(database.can, verb, { team });
  // One primary button per screen. For an inactive or failed database, the notice below has that button.
  const isMain = database.active && database.state === 'ACTIVE' && !isEditing;
  return (
    <>
      <LinkButton href={paths.database(place, 'connect')} icon={<Terminal aria-hidden="true" />}>
        Connect
      </LinkButton>
      <Menu
        align="end"
        trigger={<IconButton label={`More actions for ${database.displayName}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          {
            label: 'Edit settings',
            icon: <SlidersHorizontal aria-hidden="true" />,
            href: paths.database(place, 'settings'),
            ...off('update'),
          },
          { label: 'Rotate credentials', icon: <KeyRound aria-hidden="true" />, onSelect: () => setOpen('rotation'), ...off('rotate') },
          {
            label: database.reader ? 'Turn off read-only login' : 'Turn on read-only login',
            icon: <BookOpen aria-hidden="true" />,
            onSelect: () => setOpen('reader'),
            ...off('setReader'),
          },
          'line',
          {
            label: database.active ? 'Deactivate' : 'Activate',
            icon: <Power aria-hidden="true" />,
            onSelect: () => setOpen('activation'),
            ...off('activate'),
          },
          'line',
          {
            label: 'Delete database',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => confirmAction(remove),
            disabledReason: deletionReason(database, team),
          },
        ]}
      />
      <Button
        variant={isMain ? 'primary' : 'default'}
        icon={<Archive aria-hidden="true" />}
        isBusy={isBusy}
        busyLabel="Starting"
        disabledReason={backupReason(database)}
        onClick={() => void backUp()}
      >
        Back up now
      </Button>
      <Suspense fallback={null}>
        {open === 'activation' && <ActivationDialog database={database} onClose={close} />}
        {open === 'reader' && <ReaderDialog database={database} onClose={close} />}
        {open === 'rotation' && <RotateDialog place={place} database={database} onClose={close} />}
      </Suspense>
    </>
  );
}
