/** Current readers of the account: its groups, their clients, and how far each has read each topic. */
import type { AccountGroup } from '@slipway/contract/streaming/account-rights.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { behindOf } from '#features/streaming/streaming-labels.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import { useAccountGroups } from './use-account-groups.ts';

const clientsOf = ({ clients }: AccountGroup) => {
  if (clients === null) return <Status tone="idle">Not known</Status>;
  if (clients.length === 0) return <Status tone="idle">No client</Status>;
  const names = [...new Set(clients.map(({ clientId, host }) => `${clientId || 'a client'} at ${host.replace(/^\//, '')}`))];
  return <span title={names.join(', ')}>{count(clients.length, 'client')}</span>;
};
const columns: Column<AccountGroup>[] = [
  { key: 'group', header: 'Group', phone: 'title', cell: ({ group }) => <code>{group}</code> },
  { key: 'clients', header: 'Clients now', phone: 'status', cell: clientsOf },
  {
    key: 'behind',
    header: 'Behind',
    phone: 'meta',
    cell: ({ topics }) =>
      topics.length === 0 ? (
        <span className="meta">–</span>
      ) : (
        <span className="quiet">
          {topics
            .map(({ topicName, lagMs, lagMessages }) => `${topicName.split('.').at(-1)} ${behindOf(lagMs, lagMessages, null).label}`)
            .join(', ')}
        </span>
      ),
  },
];

export function GroupsPanel({ place }: { place: AccountPlace }) {
  const groups = useAccountGroups(place);
  const isAway = groups.data?.groups === null;
  return (
    <ListPanel
      label="Reader groups"
      plural="reader groups"
      list={groups}
      head={{ title: 'Reader groups' }}
      columns={columns}
      rows={groups.data?.groups ?? []}
      rowKey={({ group }) => group}
      density="compact"
      phone="flow"
      empty={
        <EmptyState
          kind={isAway ? 'error' : 'first-use'}
          title={isAway ? 'The cluster does not answer' : 'Nobody reads with it yet'}
          isCompact
        >
          {isAway ? 'Who reads with it now is not known.' : 'Its groups are here with their clients and how far they have read.'}
        </EmptyState>
      }
    >
      <PanelFoot>Kafka names readers alone: who writes with the account now, it does not say.</PanelFoot>
    </ListPanel>
  );
}
