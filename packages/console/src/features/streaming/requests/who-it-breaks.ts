/** The consequences of revoking a grant: the account's reader groups that currently read the topic, by name. */
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { topicStatusView, type TopicReader } from '@slipway/contract/streaming/topic-status.ts';
import { count } from '@slipway/ui/format/count.ts';
import { useEngineQuery } from '#features/streaming/use-place.ts';

type Side = Pick<TopicGrant, 'operation' | 'account' | 'topic'>;

/** Returns sentences. `readers` is undefined if the cluster is unreachable; the sentences then claim nothing. */
export const brokenBy = ({ operation, account, topic }: Side, readers: readonly TopicReader[] | undefined): string[] => {
  if (operation === 'WRITE') return [`Programs that write ${topic.topicName} as ${account.user} are refused with their next message`];
  if (readers === undefined) return ['Who reads it now is not known: the cluster does not answer'];
  const own = readers.filter((reader) => reader.applicationCode === account.applicationCode && reader.account === account.name);
  if (own.length === 0) return [`No group of ${account.user} reads it now`];
  return own.map(({ group, members }) =>
    members === 0
      ? `The group ${group} has no client now, and cannot come back`
      : `The group ${group}${members === null ? '' : ` with ${count(members, 'client')}`} stops`,
  );
};

/** Queries only if the user may revoke the grant. Undefined until loaded. */
export const useWhoItBreaks = (grant: TopicGrant): readonly string[] | undefined => {
  const { topic, environmentClass: env, operation, state, can } = grant;
  const isAsked = operation === 'READ' && state === 'APPROVED' && can['revoke'] === true;
  const params = { app: topic.applicationCode, env, topic: topic.name };
  const { data, error } = useEngineQuery({ app: topic.applicationCode, env }, topicStatusView, isAsked && { params });
  if (operation === 'READ' && !data && !error) return undefined;
  return brokenBy(grant, data?.readers);
};
