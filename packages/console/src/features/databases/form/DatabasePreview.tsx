/** Everything that a new database creates, with names filled in while the user types, and the app's other databases for comparing sizes. */
import { databaseGroupName, databaseList, databaseSecretKeys, type Database } from '@slipway/contract/database/database.ts';
import { databaseStatementSeconds, type DatabasePlan } from '@slipway/contract/database/database-plan.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Archive, Database as DatabaseIcon, KeyRound, UserRound } from 'lucide-react';
import type { AppRef } from '#entities/paths.ts';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { regionName } from '#entities/region.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { planSize, storageLabel } from '#features/databases/database-labels.ts';
import { databaseColumns } from '#features/databases/list/database-columns.tsx';

interface MadeValues {
  name: string;
  region: string;
  plan: DatabasePlan;
  storageGb: number;
  maxConnections: number | null;
  backupRetentionDays: number | null;
  attachTo?: readonly string[] | undefined;
}

export interface DatabasePreviewProps {
  place: AppRef;
  values: MadeValues;
  engineVersion: string | null;
}

const itemsOf = ({ place, values, engineVersion }: DatabasePreviewProps): MadeItem[] => {
  const name = values.name === '' ? '…' : values.name;
  const days = values.backupRetentionDays;
  return [
    {
      key: 'database',
      label: engineVersion === null ? 'PostgreSQL database' : `PostgreSQL ${engineVersion} database`,
      value: name,
      highlight: values.name,
      icon: <DatabaseIcon aria-hidden="true" />,
      note: `${regionName(values.region)} · ${planSize(values.plan)} · ${storageLabel(values.storageGb)} of storage`,
    },
    {
      key: 'logins',
      label: 'Logins',
      value: 'Two, which take turns',
      icon: <UserRound aria-hidden="true" />,
      note: `They reach this database alone. Statements stop after ${databaseStatementSeconds} s, unless a session sets another timeout.`,
    },
    {
      key: 'group',
      label: 'Secret group',
      value: databaseGroupName(place.app, name),
      highlight: values.name,
      icon: <KeyRound aria-hidden="true" />,
      note: databaseSecretKeys.join(', '),
    },
    {
      key: 'backups',
      label: 'Backups',
      value: days === null ? 'Every night' : `Every night, kept ${count(days, 'day')}`,
      icon: <Archive aria-hidden="true" />,
      note: 'Each is restored into a scratch database to check it.',
    },
  ];
};

const instancesNote = ({ attachTo = [], maxConnections }: MadeValues): string =>
  attachTo.length === 0
    ? 'No service reads it until you attach one.'
    : `${count(attachTo.length, 'service')} ${attachTo.length === 1 ? 'shares' : 'share'} ${maxConnections ?? 'its'} connections.`;

export function DatabasePreview(props: DatabasePreviewProps) {
  const items = itemsOf(props);
  return (
    <div className="stack stack-24">
      <CreationPanel items={items}>You can leave; the top bar shows how it goes. {instancesNote(props.values)}</CreationPanel>
      <OthersOfApp place={props.place} />
    </div>
  );
}

/** The columns that show the other databases' sizes. */
const columns: Column<Database>[] = databaseColumns.filter(({ key }) => key === 'name' || key === 'plan' || key === 'size');

function OthersOfApp({ place }: { place: AppRef }) {
  const list = useQuery(databaseList, { params: { app: place.app, env: place.env }, query: { size: 5 } });
  if (!list.data || list.data.content.length === 0) return null;
  return (
    <ListPanel
      label="Other databases"
      plural="databases"
      list={list}
      head={{ title: 'Is it the right size?', note: `Databases in ${place.env}` }}
      columns={columns}
      density="tall"
      rows={list.data.content}
      rowKey={({ name }) => name}
    />
  );
}
