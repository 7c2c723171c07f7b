/** The account's current reader groups on the cluster. Polls while the page is open, because groups change without a change event. */
import { accountGroupsView, type AccountGroup } from '@slipway/contract/streaming/account-rights.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { QueryResult } from '#kit/api/query.ts';
import { useEngineQuery, type AccountPlace } from '#features/streaming/use-place.ts';

export const useAccountGroups = (place: AccountPlace, isAsked = true): QueryResult<typeof accountGroupsView> =>
  useEngineQuery(place, accountGroupsView, isAsked && { params: { ...place } }, { pollMs: 15_000, isAlwaysPolled: true });

/** "3, from berth-planner-api": number of clients, and their client ids. */
export const clientsLabel = (groups: readonly AccountGroup[]): string => {
  if (groups.some(({ clients }) => clients === null)) return 'Not known';
  const clients = groups.flatMap((group) => group.clients ?? []);
  const names = [...new Set(clients.map(({ clientId }) => clientId))].filter((name) => name !== '');
  if (clients.length === 0) return 'Nobody reads';
  return `${clients.length} ${clients.length === 1 ? 'reads' : 'read'}${names.length > 0 && names.length <= 2 ? `, from ${names.join(' and ')}` : ''}`;
};

/** Lists the groups that a removal would stop. With `topicName`, only groups that read that topic. */
export const stoppedGroups = (groups: readonly AccountGroup[] | null | undefined, topicName?: string): string[] =>
  (groups ?? [])
    .filter(
      ({ clients, topics }) => clients?.length !== 0 && (topicName === undefined || topics.some((topic) => topic.topicName === topicName)),
    )
    .map(({ group, clients }) => `The group ${group}${clients === null ? '' : ` with ${count(clients.length, 'client')}`} stops`);
