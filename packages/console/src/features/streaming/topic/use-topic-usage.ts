/** Accounts that may write or read a topic. Visible to its team only. */
import { topicUsageView } from '@slipway/contract/streaming/grant.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';

export const useTopicUsage = (place: TopicPlace, isMember: boolean | undefined): QueryResult<typeof topicUsageView> =>
  useQuery(topicUsageView, isMember === true && { params: { ...place } }, { pollMs: 30_000, isAlwaysPolled: true });
