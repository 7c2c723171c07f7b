/** The columns of a table of backups, newest first. */
import type { DatabaseBackup } from '@slipway/contract/database/backup.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Ellipsis, ListChecks, Trash2 } from 'lucide-react';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { backupLook, whyLabel } from './backup-labels.ts';
import css from './Backups.module.css';
import type { BackupActions } from './use-backup-actions.ts';

/** Time of the data in the backup. While the backup runs, the time of the request. */
const timeOf = ({ takenAt, createdAt }: DatabaseBackup): string => takenAt ?? createdAt;

function State({ backup }: { backup: DatabaseBackup }) {
  const { tone, word, why } = backupLook(backup);
  return (
    <span className={css.state}>
      <Status tone={tone}>{word}</Status>
      {why !== undefined && <span className="meta">{why}</span>}
    </span>
  );
}

function Actions({ backup, actions, team }: { backup: DatabaseBackup; actions: BackupActions; team: string }) {
  const when = <RelativeTime at={timeOf(backup)} />;
  const off = (verb: string) => disabledUnless(backup.can, verb, { team });
  return (
    <span className={css.actions}>
      {backup.state === 'COMPLETED' && (
        <Button size="sm" variant="quiet" onClick={() => actions.restore(backup)} {...off('restore')}>
          Restore<span className="sr"> the backup of {when}</span>
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <IconButton size="sm" variant="quiet" label={`More actions for backup ${backup.id}`} icon={<Ellipsis aria-hidden="true" />} />
        }
        items={[
          {
            label: 'Check by a restore',
            icon: <ListChecks aria-hidden="true" />,
            onSelect: () => void actions.check(backup),
            ...off('check'),
          },
          'line',
          {
            label: 'Delete backup',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => confirmAction(actions.removal(backup)),
            ...off('delete'),
          },
        ]}
      />
    </span>
  );
}

const size = ({ sizeBytes }: DatabaseBackup) => <span className="num">{sizeBytes === null ? '–' : bytes(sizeBytes)}</span>;

export const backupColumns = (actions: BackupActions, team: string, hasDatabase = false): Column<DatabaseBackup>[] => [
  { key: 'when', header: 'When', cell: (backup) => <RelativeTime at={timeOf(backup)} isFocusable /> },
  ...(hasDatabase
    ? [{ key: 'database', header: 'Database', cell: ({ database }: DatabaseBackup) => <span className="mono">{database}</span> }]
    : []),
  { key: 'why', header: 'Why', cell: (backup) => <span className="quiet">{whyLabel(backup)}</span> },
  { key: 'size', header: 'Size', align: 'end', cell: size },
  {
    key: 'took',
    header: 'Took',
    align: 'end',
    isRoomy: true,
    cell: ({ durationMs }) => <span className="num">{durationMs === null ? '–' : duration(durationMs)}</span>,
  },
  { key: 'checked', header: 'Checked', cell: (backup) => <State backup={backup} /> },
  {
    key: 'until',
    header: 'Kept until',
    isRoomy: true,
    cell: ({ expiresAt, state }) => (state === 'FAILED' ? '–' : <RelativeTime at={expiresAt} isShort />),
  },
  {
    ...rowActions,
    cell: (backup) => <Actions backup={backup} actions={actions} team={team} />,
  },
];
