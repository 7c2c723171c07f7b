/** The secret groups of one environment: keys, services that read them, and pending actions. */
import { secretGroupList, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { timeColumn } from '#kit/list/columns.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import css from './GroupList.module.css';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';
import { expiryReminder, restartLabel } from '#features/secrets/secret-labels.ts';

const pageSize = 50;

/** Marks platform groups, which are read-only, and groups that attach automatically to every service. */
export function GroupTags({ group }: { group: Pick<SecretGroup, 'kind' | 'autoAttach'> }) {
  return (
    <>
      <Tag>{group.kind === 'PLATFORM' ? 'Platform, read-only' : 'User secret'}</Tag>
      {group.autoAttach && <Tag>Attaches itself</Tag>}
    </>
  );
}

function Services({ services }: Pick<SecretGroup, 'services'>) {
  const restart = restartLabel(services);
  if (restart !== undefined) return <Status tone="warn">{restart}</Status>;
  return <span className="quiet">{services.length === 0 ? 'No service' : count(services.length, 'service')}</span>;
}

function Reminder({ keys }: Pick<SecretGroup, 'keys'>) {
  const reminder = expiryReminder(keys);
  if (!reminder) return null;
  return <Status tone={reminder.tone}>{reminder.word}</Status>;
}

const columns: Column<SecretGroup>[] = [
  {
    key: 'name',
    header: 'Group',
    phone: 'title',
    cell: (group) => (
      <span className={css.name}>
        <Link className={cellMain} href={paths.secretGroup({ app: group.app, env: group.environment, group: group.name })}>
          {group.name}
        </Link>
        <GroupTags group={group} />
      </span>
    ),
  },
  { key: 'version', header: 'Version', phone: 'status', cell: ({ version }) => <span className="num">v{version}</span> },
  { key: 'keys', header: 'Keys', phone: 'end', cell: ({ keys }) => <span className="quiet">{count(keys.length, 'key')}</span> },
  { key: 'services', header: 'Read by', phone: 'meta', cell: ({ services }) => <Services services={services} /> },
  { key: 'expiry', header: 'Reminder', phone: 'extra', cell: ({ keys }) => <Reminder keys={keys} /> },
  timeColumn('Changed', ({ updatedAt }) => updatedAt, { key: 'updated' }),
];

export interface GroupListProps {
  place: AppRef;
  /** False until the user is known to be a member. Non-members get no list, and no request that would fail. */
  isAsked: boolean;
  /** Why the user may not create a group. */
  reason: string | undefined;
  noRight: string;
}

export function GroupList({ place, isAsked, reason, noRight }: GroupListProps) {
  const control = useListControl(listDefaults, pageSize);
  const list = useQuery(secretGroupList, isAsked && { params: { ...place }, query: control.filter }, { keepPreviousData: true });
  if (isStatus(list.error, 403, 404)) return <SecretsNoRight noRight={noRight} />;
  return (
    <ResourceList
      label="Secret groups"
      noun="secret group"
      plural="secret groups"
      list={list}
      control={control}
      columns={columns}
      rowKey={({ name }) => name}
      density="tall"
      searchLabel="Filter secret groups"
      firstUse={{
        title: `No secret groups in ${place.env} yet`,
        text: (
          <FirstUse
            purpose="A secret group is a named set of keys, encrypted at rest. Services read it as variables or files. People read one value at a time, with a reason."
            label="In a service that the group is attached to, with the key API_KEY"
            code='echo "$API_KEY"'
          />
        ),
        actions: <NewLink label="New secret group" href={paths.newSecretGroup(place)} reason={reason} />,
      }}
    />
  );
}
