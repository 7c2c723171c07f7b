/** The columns of a list of databases. */
import type { Database } from '@slipway/contract/database/database.ts';
import { databasePlanFacts } from '@slipway/contract/database/database-plan.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { statusColumn } from '#kit/list/columns.tsx';
import { checkLook, warningLabels } from '#features/databases/backups/backup-labels.ts';
import { databaseLook, gigabyte, hotShare, storageLabel } from '#features/databases/database-labels.ts';
import css from './DatabaseList.module.css';

function Size({ database }: { database: Database }) {
  const { sizeBytes } = database.status;
  if (sizeBytes === null) return <span className="meta only-wide">–</span>;
  const words = `${bytes(sizeBytes)} of ${storageLabel(database.storageGb)}`;
  return (
    <span className={css.size}>
      <Gauge label={words} value={sizeBytes} of={database.storageGb * gigabyte} hotFrom={hotShare}>
        {words}
      </Gauge>
    </span>
  );
}

/** A backup warning replaces the time of the last backup, which would look reassuring. */
function LastBackup({ backups: { warning, lastAt, lastCheck } }: Pick<Database, 'backups'>) {
  if (warning !== null) return <Status tone="warn">{warningLabels[warning]}</Status>;
  if (lastAt === null) return <span className="meta">None yet</span>;
  const look = checkLook[lastCheck ?? 'NOT_CHECKED'];
  return (
    <Status tone={look.tone}>
      <RelativeTime at={lastAt} isShort />, {look.word.toLowerCase()}
    </Status>
  );
}

export const databaseColumns: Column<Database>[] = [
  {
    key: 'name',
    header: 'Database',
    phone: 'title',
    cell: ({ app, environment, name, displayName }) => (
      <span className={css.name}>
        <Link className={cellMain} href={paths.database({ app, env: environment, database: name })}>
          {displayName}
        </Link>
        <span className="meta mono">{name}</span>
      </span>
    ),
  },
  statusColumn(databaseLook),
  { key: 'plan', header: 'Plan', isRoomy: true, cell: ({ plan }) => <span className="quiet">{databasePlanFacts[plan].label}</span> },
  { key: 'size', header: 'Storage used', phone: 'extra', cell: (database) => <Size database={database} /> },
  {
    key: 'connections',
    header: 'Connections',
    align: 'end',
    isRoomy: true,
    cell: ({ status: { connections }, maxConnections }) => (
      <span className="num">{connections === null ? '–' : `${connections} of ${maxConnections}`}</span>
    ),
  },
  { key: 'backup', header: 'Last backup', phone: 'meta', cell: (database) => <LastBackup backups={database.backups} /> },
];
