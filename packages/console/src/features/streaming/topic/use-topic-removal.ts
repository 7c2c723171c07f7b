/** Deletes a topic. The confirmation names its current readers. */
import { topicDelete, type Topic } from '@slipway/contract/streaming/topic.ts';
import { topicStatusView } from '@slipway/contract/streaming/topic-status.ts';
import { count } from '@slipway/ui/format/count.ts';
import { paths } from '#entities/paths.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { useStreamingRemoval } from '#features/streaming/use-removal.ts';
import { useEngineQuery, type TopicPlace } from '#features/streaming/use-place.ts';
import { useTopicUsage } from './use-topic-usage.ts';

export interface TopicRemoval extends Record<'remove' | 'discard', ConfirmedAction> {
  /** True once the users are loaded or failed to load. Asking earlier could omit users. */
  isKnown: boolean;
}

export const useTopicRemoval = (place: TopicPlace, topic: Topic, isMember: boolean): TopicRemoval => {
  const isThere = topic.state === 'ACTIVE';
  const isAsked = isMember && isThere;
  const status = useEngineQuery(place, topicStatusView, isAsked && { params: { ...place } }, { pollMs: 0 });
  const usage = useTopicUsage(place, isAsked);
  const groups = (status.data?.readers ?? []).filter(({ members }) => members !== 0).map(({ group }) => group);
  const accounts = (usage.data?.users ?? []).map(({ applicationCode, account }) => `${applicationCode}.${account}`);
  const confirm = [...new Set([...groups, ...accounts])];
  const { app, env } = place;
  const isRead = ({ data, error }: Pick<typeof status | typeof usage, 'data' | 'error'>): boolean =>
    data !== undefined || error !== undefined;
  const actions = useStreamingRemoval({
    route: topicDelete,
    input: { params: { ...place }, query: { confirm } },
    label: 'Topic',
    name: topic.name,
    home: paths.events(place),
    hint: { kind: 'topic', app, env },
    description: 'This cannot be undone.',
    consequences: [
      topic.observed ? `Its messages are gone, ${count(topic.observed.messages, 'message')} now` : 'Its messages are gone',
      ...confirm.map((name) => `${name} uses it now, and will fail`),
      'The schemas stay; those of this topic’s subjects are taken out of the registry',
    ],
    confirmWord: topic.name,
  });
  return { ...actions, isKnown: !isThere || (isRead(status) && isRead(usage)) };
};
