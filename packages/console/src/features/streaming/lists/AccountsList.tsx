/** The accounts of an app. Each is one user on the cluster, with the topics that it writes and reads. */
import { accountList, type Account, type AccountTopic } from '@slipway/contract/streaming/account.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { nameColumn, statusColumn } from '#kit/list/columns.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { totalLabel } from '#kit/list/list-total.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { accountLook } from '#features/streaming/streaming-labels.ts';
import { useEventsPlace, useIsAway } from '#features/streaming/use-place.ts';

/** Phones hide the table header, so the cell includes the verb. */
const topicNames = (verb: string, topics: readonly AccountTopic[]) => (
  <>
    <span className="only-phone meta">{verb} </span>
    {topics.length === 0 ? (
      <span className="meta">
        <span className="only-phone">nothing</span>
        <span className="only-wide">–</span>
      </span>
    ) : (
      <span className="quiet">{topics.map(({ name }) => name).join(', ')}</span>
    )}
  </>
);

const columnsOf = (isAway: boolean): Column<Account>[] => [
  nameColumn(
    'Account',
    ({ applicationCode, environmentClass, name }) => paths.account({ app: applicationCode, env: environmentClass, account: name }),
    ({ name }) => name,
  ),
  statusColumn((account) => accountLook(account, isAway)),
  { key: 'writes', header: 'Writes', phone: 'meta', cell: ({ produceTopics }) => topicNames('writes', produceTopics) },
  { key: 'reads', header: 'Reads', phone: 'extra', cell: ({ consumeTopics }) => topicNames('reads', consumeTopics) },
  {
    key: 'password',
    header: 'Password',
    isRoomy: true,
    cell: ({ credentials }) => (credentials ? <RelativeTime at={credentials.changedAt} isShort /> : <span className="meta">–</span>),
  },
  {
    key: 'kept',
    header: 'Kept in',
    isRoomy: true,
    cell: ({ applicationCode, environmentClass, credentials }) =>
      credentials?.secretGroup ? (
        <Link href={paths.secretGroup({ app: applicationCode, env: environmentClass, group: credentials.secretGroup.name })}>
          {credentials.secretGroup.name}
        </Link>
      ) : (
        <span className="meta">nowhere in Slipway</span>
      ),
  },
];

export function Component() {
  const { at, place } = useEventsPlace();
  const control = useListControl(listDefaults);
  const isAsked = at.isMember === true && place !== undefined;
  const list = useQuery(accountList, isAsked && { params: { ...place }, query: control.filter }, { keepPreviousData: true });
  const isAway = useIsAway(place, 'cluster');
  if (place === undefined) return null;
  if (at.isMember === false) return <MembersOnly label="Accounts">{at.noRight}</MembersOnly>;
  const newLink = <NewLink label="New account" href={paths.newAccount(place)} reason={at.createReason} />;
  return (
    <ResourceList
      label="Accounts"
      noun="account"
      plural="accounts"
      list={list}
      control={control}
      columns={columnsOf(isAway)}
      rowKey={({ id }) => id}
      searchLabel="Filter accounts"
      note={
        <span className="row push">
          {list.data && <span className="meta num">{totalLabel(list.data, 'account', 'accounts')}; each is one user on the cluster</span>}
          {newLink}
        </span>
      }
      firstUse={{
        title: 'No accounts found',
        text: 'An account is what a program signs in to Kafka with: a user, a password, and exactly the topics that it may write and read.',
        actions: (
          <>
            <NewLink isMain label="New stream" href={paths.newStream(place)} reason={at.createReason} />
            {newLink}
          </>
        ),
      }}
      noMatch={{ title: 'No accounts found' }}
    />
  );
}
