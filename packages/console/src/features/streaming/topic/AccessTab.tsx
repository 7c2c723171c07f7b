/** The accounts that may write and read the topic. Team members also see requests and decisions. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { topicGrantList, type TopicUser } from '@slipway/contract/streaming/grant.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { GrantTable } from '#entities/streaming/GrantTable.tsx';
import { operationVerb } from '#entities/streaming/grant-labels.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';
import { useTopicUsage } from './use-topic-usage.ts';

const columns: Column<TopicUser>[] = [
  { key: 'app', header: 'App', phone: 'title', cell: ({ applicationCode }) => <strong>{applicationCode}</strong> },
  { key: 'account', header: 'Account', phone: 'meta', cell: ({ account }) => account },
  { key: 'team', header: 'Team', phone: 'meta', cell: ({ teamName }) => <span className="quiet">{teamName}</span> },
  { key: 'may', header: 'May', phone: 'status', cell: ({ operation }) => operationVerb[operation] },
  { key: 'since', header: 'Since', align: 'end', phone: 'end', cell: ({ since }) => <RelativeTime at={since} isShort /> },
];

export interface AccessTabProps {
  place: TopicPlace;
  isMember: boolean | undefined;
  /** Explains whom to ask. */
  noRight: string;
}

export function AccessTab({ place, isMember, noRight }: AccessTabProps) {
  const usage = useTopicUsage(place, isMember);
  if (isMember === false) {
    return (
      <MembersOnly label="Access" title="Who may use a topic is for members of its team">
        {noRight}
      </MembersOnly>
    );
  }
  return (
    <>
      <ListPanel
        label="Accounts that may use it"
        plural="accounts that may use it"
        list={usage}
        head={{ title: 'Accounts that may use it' }}
        columns={columns}
        rows={usage.data?.users ?? []}
        rowKey={({ accountId, operation }) => `${accountId} ${operation}`}
        phone="flow"
        empty={
          <EmptyState kind="first-use" title="Nobody may use this topic yet" isCompact>
            An account of this app, or of another one that asks, writes and reads it.
          </EmptyState>
        }
      />
      {isMember && <Requests place={place} />}
    </>
  );
}

function Requests({ place: { app, env, topic } }: { place: { app: string; env: Environment; topic: string } }) {
  const list = useQuery(topicGrantList, { params: { app, env }, query: { topic, side: 'received', size: 50 } });
  return <GrantTable title="Requests" place={{ app, env }} list={list} />;
}
