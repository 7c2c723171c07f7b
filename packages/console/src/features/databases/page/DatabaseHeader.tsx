/** The header of a database: name, health, secret group, last backup, and actions. */
import type { Database } from '@slipway/contract/database/database.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { regionName } from '#entities/region.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { checkLook } from '#features/databases/backups/backup-labels.ts';
import { databaseLook } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { DatabaseActions } from './DatabaseActions.tsx';

export interface DatabaseHeaderProps {
  place: DatabasePlace;
  database: Database | undefined;
  team: string;
  /** The form below then has the primary button. */
  isEditing: boolean;
}

export function DatabaseHeader({ place, database, team, isEditing }: DatabaseHeaderProps) {
  const look = database && databaseLook(database);
  return (
    <PageHeader
      typeLabel="Database"
      name={database?.displayName ?? place.database}
      copyText={place.database}
      status={
        <>
          {look && <Badge tone={look.tone}>{look.word}</Badge>}
          <Tag>Alpha</Tag>
        </>
      }
      isLoading={!database}
      actions={database && <DatabaseActions place={place} database={database} team={team} isEditing={isEditing} />}
    >
      <Details items={database ? detailsOf(database, place) : waiting} />
    </PageHeader>
  );
}

const waiting: Detail[] = [
  { label: 'Database name', value: <Skeleton width={110} /> },
  { label: 'Engine', value: <Skeleton width={110} /> },
  { label: 'Secret group', value: <Skeleton width={150} /> },
  { label: 'Last backup', value: <Skeleton width={140} /> },
  { label: 'Region', value: <Skeleton width={80} />, isWideOnly: true },
];

function LastBackup({ backups: { lastAt, lastCheck } }: Pick<Database, 'backups'>) {
  if (lastAt === null) return 'None yet';
  return (
    <span>
      <RelativeTime at={lastAt} /> · {checkLook[lastCheck ?? 'NOT_CHECKED'].word.toLowerCase()}
    </span>
  );
}

const detailsOf = (database: Database, place: DatabasePlace): Detail[] => [
  { label: 'Database name', value: <code>{database.name}</code>, copyText: database.name },
  { label: 'Engine', value: database.status.engineVersion === null ? 'PostgreSQL' : `PostgreSQL ${database.status.engineVersion}` },
  {
    label: 'Secret group',
    value: database.credentials ? (
      <Link href={paths.secretGroup({ ...place, group: database.secretGroup })}>{database.secretGroup}</Link>
    ) : (
      database.secretGroup
    ),
  },
  { label: 'Last backup', value: <LastBackup backups={database.backups} /> },
  { label: 'Region', value: regionName(database.region), isWideOnly: true },
];
