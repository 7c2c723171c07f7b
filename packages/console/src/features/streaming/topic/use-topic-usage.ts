/** Accounts that may write or read a topic. */
import { topicUsageView } from '@slipway/contract/streaming/grant.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import type { TopicPlace } from './use-topic.ts';

export const useTopicUsage = (place: TopicPlace, isAsked = true): QueryResult<typeof topicUsageView> =>
  useQuery(topicUsageView, isAsked && { params: { ...place } }, { pollMs: 30_000, isAlwaysPolled: true });
