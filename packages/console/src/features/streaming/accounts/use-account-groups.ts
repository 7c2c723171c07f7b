/** The reader groups of an account on the cluster now; asked again while the page is open, since groups change without a hint. */
import { accountGroupsView, type AccountGroup } from '@slipway/contract/streaming/account-rights.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { QueryResult } from '#kit/api/query.ts';
import { useEngineQuery } from '#features/streaming/use-place.ts';
import type { AccountPlace } from './use-account.ts';

export const useAccountGroups = (place: AccountPlace, isAsked = true): QueryResult<typeof accountGroupsView> =>
  useEngineQuery(place, accountGroupsView, isAsked && { params: { ...place } }, { pollMs: 15_000, isAlwaysPolled: true });

/** "3, from berth-planner-api": what the clients of its groups call themselves. */
export const clientsLabel = (groups: readonly AccountGroup[]): string => {
  if (groups.some(({ clients }) => clients === null)) return 'Not known';
  const clients = groups.flatMap((group) => group.clients ?? []);
  const names = [...new Set(clients.map(({ clientId }) => clientId))].filter((name) => name !== '');
  if (clients.length === 0) return 'Nobody reads';
  return `${clients.length} ${clients.length === 1 ? 'reads' : 'read'}${names.length > 0 && names.length <= 2 ? `, from ${names.join(' and ')}` : ''}`;
};

/** For what a removal would stop; with a topic, those that read it. */
export const stoppedGroups = (groups: readonly AccountGroup[] | null | undefined, topicName?: string): string[] =>
  (groups ?? [])
    .filter(
      ({ clients, topics }) => clients?.length !== 0 && (topicName === undefined || topics.some((topic) => topic.topicName === topicName)),
    )
    .map(({ group, clients }) => `The group ${group}${clients === null ? '' : ` with ${count(clients.length, 'client')}`} stops`);
