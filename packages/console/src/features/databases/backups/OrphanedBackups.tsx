/** Backups of deleted databases in an environment, kept until they expire. Renders nothing if there are none. */
import { databaseBackupListAll } from '@slipway/contract/database/backup.ts';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import type { AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { BackupTable } from './BackupTable.tsx';

const defaults = { left: 0 };
const pageSize = 10;

export function OrphanedBackups({ place }: { place: AppRef }) {
  const { state, hrefOf } = useUrlState(defaults);
  const list = useQuery(
    databaseBackupListAll,
    { params: { app: place.app, env: place.env }, query: { isOfDeleted: 'true', page: state.left, size: pageSize } },
    { keepPreviousData: true },
  );
  if (!list.data || list.data.totalElements === 0) return null;
  return (
    <div className="stack stack-12">
      <BackupTable
        place={place}
        list={list}
        rows={list.data.content}
        label="Backups of deleted databases, newest first"
        head={{ title: 'Backups of deleted databases', note: 'A new database can be made of each until it expires' }}
        team=""
        hasDatabase
        empty={null}
      />
      <Pagination
        label="backups of deleted databases"
        page={state.left + 1}
        pageCount={pageCountOf(list.data)}
        hrefOf={(page) => hrefOf({ left: page - 1 })}
      />
    </div>
  );
}
