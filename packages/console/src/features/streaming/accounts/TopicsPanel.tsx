/** The topics that an account writes and reads, with owner and state of the grant. */
import type { Account, AccountTopic } from '@slipway/contract/streaming/account.ts';
import type { TopicOperation } from '@slipway/contract/streaming/grant.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { paths } from '#entities/paths.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { topicsOf, useAccountChange, type Topics } from './account-change.ts';
import { stoppedGroups, useAccountGroups } from './use-account-groups.ts';

const AddTopicDialog = lazy(() => import('./AddTopicDialog.tsx'));

export interface TopicsPanelProps {
  place: AccountPlace;
  account: Account;
  team: string;
}
interface Row {
  topic: AccountTopic;
  operation: TopicOperation;
}
const keyOf = ({ topic, operation }: Row): string => `${operation} ${topic.resourceId}`;

const stateWords: Readonly<Record<Exclude<AccountTopic['state'], 'APPROVED' | 'REQUESTED'>, string>> = {
  DECLINED: 'Declined',
  WITHDRAWN: 'Withdrawn',
  REVOKED: 'Taken back',
};
const Granted = ({ topic, place }: { topic: AccountTopic; place: AccountPlace }) => {
  const { app } = place;
  const request = paths.topicRequest({ ...place, request: topic.grant });
  const since = <RelativeTime at={topic.since} isShort />;
  if (topic.state === 'REQUESTED')
    return (
      <Status tone="idle">
        <Link className="in" href={request}>
          Asked
        </Link>{' '}
        {since}
      </Status>
    );
  if (topic.state !== 'APPROVED')
    return (
      <Status tone="warn">
        <Link className="in" href={request}>
          {stateWords[topic.state]}
        </Link>{' '}
        {topic.decidedBy !== null && `by ${topic.decidedBy} `}
        {topic.decision !== null && `: ${topic.decision}`}
      </Status>
    );
  if (topic.applicationCode === app || topic.basis === 'OWN') return <span className="quiet">own topic, {since}</span>;
  return (
    <span className="quiet">
      {topic.decidedBy === null ? 'by the rule for development' : `by ${topic.decidedBy}`}, {since}
    </span>
  );
};

export function TopicsPanel({ place, account, team }: TopicsPanelProps) {
  const [isAdding, setAdding] = useState(false);
  const { change } = useAccountChange(place, account);
  const reason = reasonOf(account.can, 'update', { team });
  const groups = useAccountGroups(place);
  const remove = (row: Row): void =>
    confirmAction({
      title: `${row.topic.state === 'REQUESTED' ? 'Withdraw the request for' : 'Remove'} ${row.topic.name}?`,
      description:
        row.topic.state === 'APPROVED'
          ? `Programs that ${row.operation === 'READ' ? 'read' : 'write'} it with this account are refused once the rule is gone.`
          : 'The account lists it no longer.',
      ...(row.topic.state === 'APPROVED' && row.operation === 'READ'
        ? { consequences: stoppedGroups(groups.data?.groups, row.topic.topicName) }
        : {}),
      confirmLabel: row.topic.state === 'REQUESTED' ? 'Withdraw' : 'Remove',
      busyLabel: 'Starting',
      run: () => change(without(account, row)),
    });
  const columns: Column<Row>[] = [
    {
      key: 'topic',
      header: 'Topic',
      phone: 'title',
      cell: ({ topic }) => (
        <Link className={cellMain} href={paths.topic({ app: topic.applicationCode, env: place.env, topic: topic.name })}>
          {topic.name}
        </Link>
      ),
    },
    {
      key: 'owner',
      header: 'Owner',
      phone: 'meta',
      cell: ({ topic }) => <span className="quiet">{topic.applicationCode === place.app ? 'this app' : topic.applicationCode}</span>,
    },
    { key: 'granted', header: 'Granted', phone: 'extra', cell: ({ topic }) => <Granted topic={topic} place={place} /> },
    {
      ...rowActions,
      phone: 'action',
      cell: (row) => (
        <Button size="sm" variant="quiet" disabledReason={reason} onClick={() => remove(row)}>
          {row.topic.state === 'REQUESTED' ? 'Withdraw' : 'Remove'}
          <span className="sr"> {row.topic.name}</span>
        </Button>
      ),
    },
  ];
  return (
    <Panel aria-labelledby="account-topics">
      <PanelHead title="Topics" titleId="account-topics">
        <Button size="sm" icon={<Plus aria-hidden="true" />} disabledReason={reason} onClick={() => setAdding(true)}>
          Add a topic
        </Button>
      </PanelHead>
      <Table
        label="Topics"
        columns={columns}
        groups={[
          { key: 'writes', label: 'Writes', rows: account.produceTopics.map((topic): Row => ({ topic, operation: 'WRITE' })) },
          { key: 'reads', label: 'Reads', rows: account.consumeTopics.map((topic): Row => ({ topic, operation: 'READ' })) },
        ]}
        rowKey={keyOf}
        mostRows={50}
        empty={
          <EmptyState kind="first-use" title="No topics yet" isCompact>
            It may do nothing until it has a topic that it writes or reads.
          </EmptyState>
        }
      />
      <Suspense fallback={null}>{isAdding && <AddTopicDialog place={place} account={account} onClose={() => setAdding(false)} />}</Suspense>
    </Panel>
  );
}

const without = (account: Account, { topic, operation }: Row): Topics => {
  const { produceTopics, consumeTopics } = topicsOf(account);
  const others = (all: Topics['produceTopics']) => all.filter(({ resourceId }) => resourceId !== topic.resourceId);
  return operation === 'WRITE'
    ? { produceTopics: others(produceTopics), consumeTopics }
    : { produceTopics, consumeTopics: others(consumeTopics) };
};
