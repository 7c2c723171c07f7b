/** A table of backups with their actions. Restoring asks for the new database's name. */
import type { DatabaseBackup } from '@slipway/contract/database/backup.ts';
import type { PanelHeadProps } from '@slipway/ui/layout/Panel.tsx';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { AppRef } from '#entities/paths.ts';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { backupColumns } from './backup-columns.tsx';
import { useBackupActions } from './use-backup-actions.ts';

const RestoreDialog = lazy(async () => ({ default: (await import('./RestoreDialog.tsx')).RestoreDialog }));

export interface BackupTableProps {
  place: AppRef;
  list: FailedQuery & { data?: unknown };
  rows: DatabaseBackup[];
  label: string;
  head: Omit<PanelHeadProps, 'titleId' | 'level'>;
  team: string;
  /** Adds a column for the database of each backup. */
  hasDatabase?: boolean;
  empty: ReactNode;
  children?: ReactNode;
}

export function BackupTable({ place, list, rows, label, head, team, hasDatabase, empty, children }: BackupTableProps) {
  const [restored, setRestored] = useState<DatabaseBackup>();
  const actions = useBackupActions(place, setRestored);
  return (
    <>
      <ListPanel
        label={label}
        plural="backups"
        list={list}
        head={head}
        phone="flow"
        columns={backupColumns(actions, team, hasDatabase)}
        rows={rows}
        rowKey={({ id }) => id}
        empty={empty}
      >
        {children}
      </ListPanel>
      <Suspense fallback={null}>
        {restored && <RestoreDialog place={place} backup={restored} onClose={() => setRestored(undefined)} />}
      </Suspense>
    </>
  );
}
