/** The backups of a database: the newest, or all of them with paging. */
import { databaseBackupCreate, databaseBackupList } from '@slipway/contract/database/backup.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { describeError } from '#kit/error/describe-error.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { BackupTable } from './BackupTable.tsx';

const defaults = { page: 0 };
const pageSize = 25;
const newestShown = 4;

/** Returns why no backup can be started now. */
export const backupReason = ({ state, active }: Pick<Database, 'state' | 'active'>): string | undefined => {
  if (state !== 'ACTIVE') return 'The database is not there yet';
  return active ? undefined : 'The database is inactive';
};

/** Starts a backup in the background and reports success or failure as a toast. */
export const useBackUp = ({ app, env, database }: DatabasePlace) => {
  const write = useWrite(databaseBackupCreate);
  return {
    isBusy: write.isBusy,
    backUp: async (): Promise<void> => {
      try {
        await write.send({ params: { app, env, database } });
        toast.success(`${database} is being backed up`, {
          href: paths.database({ app, env, database }, 'backups'),
          linkLabel: 'View backups',
        });
        await refresh({ kind: 'database', app, env, database });
      } catch (error) {
        const { heading, items } = describeError(error);
        toast.failure(`${database} cannot be backed up now`, { detail: items[0] ?? heading });
      }
    },
  };
};

export interface BackupsPanelProps {
  place: DatabasePlace;
  database: Database | undefined;
  team: string;
  /** Shows only the newest backups, with a link to all. */
  isShort?: boolean;
}

export function BackupsPanel({ place, database, team, isShort = false }: BackupsPanelProps) {
  const { state, hrefOf } = useUrlState(defaults);
  const query = isShort ? { size: newestShown } : { page: state.page, size: pageSize };
  const list = useQuery(databaseBackupList, { params: { ...place }, query }, { keepPreviousData: true });
  const total = list.data?.totalElements ?? 0;
  const all = (
    <Link href={paths.database(place, 'backups')}>
      All {total}
      <span className="sr"> backups</span>
    </Link>
  );
  return (
    <div className="stack stack-12">
      <BackupTable
        place={place}
        list={list}
        rows={list.data?.content ?? []}
        label="Backups, newest first"
        head={{
          title: 'Backups',
          note: database && `Every night, kept ${count(database.backupRetentionDays, 'day')}`,
          ...(isShort && total > newestShown ? { children: all } : {}),
        }}
        team={team}
        empty={
          <EmptyState kind="first-use" title="No backup yet" isCompact>
            The first one is made tonight, and checked by a restore.
          </EmptyState>
        }
      >
        {!isShort && database && <Schedule database={database} />}
      </BackupTable>
      {!isShort && (
        <Pagination
          label="backups"
          page={state.page + 1}
          pageCount={pageCountOf(list.data)}
          hrefOf={(page) => hrefOf({ page: page - 1 })}
        />
      )}
    </div>
  );
}

function Schedule({ database: { backups } }: { database: Database }) {
  return (
    <PanelFoot>
      {backups.nextAt === null ? (
        <span>None is planned while the database is inactive.</span>
      ) : (
        <span>
          Next one <RelativeTime at={backups.nextAt} isFocusable />.
        </span>
      )}
      <span>Checked: restored into a scratch database, and its rows counted.</span>
    </PanelFoot>
  );
}
