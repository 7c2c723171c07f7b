/** Deletes an account. Its rules are deleted first, so that open connections lose access. */
import { accountDelete, type Account, type AccountTopic } from '@slipway/contract/streaming/account.ts';
import { paths } from '#entities/paths.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import { useStreamingRemoval } from '#features/streaming/use-removal.ts';
import { stoppedGroups, useAccountGroups } from './use-account-groups.ts';

const mostNamed = 5;
/** Lists topics by name, so that the user knows what stops working. */
const topicLine = (verb: string, topics: readonly AccountTopic[]): string[] => {
  const names = topics.filter(({ state }) => state === 'APPROVED').map(({ topicName }) => topicName);
  const more = names.length - mostNamed;
  return names.length === 0 ? [] : [`It ${verb} ${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
};

export const useAccountRemoval = (place: AccountPlace, account: Account): Record<'remove' | 'discard', ConfirmedAction> => {
  const { produceTopics, consumeTopics, credentials, name, state } = account;
  const { data } = useAccountGroups(place, state === 'ACTIVE');
  return useStreamingRemoval({
    route: accountDelete,
    input: { params: { ...place } },
    label: 'Account',
    name,
    home: paths.events(place, 'accounts'),
    hint: { kind: 'account', app: place.app, env: place.env },
    description: 'Programs that sign in with it are refused at once.',
    consequences: [
      ...topicLine('writes', produceTopics),
      ...topicLine('reads', consumeTopics),
      ...stoppedGroups(data?.groups),
      ...(credentials?.secretGroup ? [`The secret group ${credentials.secretGroup.name} is gone`] : []),
    ],
    confirmWord: name,
  });
};
