/** Pending requests for a topic that its team has to answer: the first few, and the total. */
import { topicGrantList } from '@slipway/contract/streaming/grant.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';

const mostShown = 3;

export const useTopicRequests = (
  { app, env }: TopicPlace,
  topic: Topic | undefined,
  isMember: boolean,
): QueryResult<typeof topicGrantList> =>
  useQuery(
    topicGrantList,
    isMember &&
      topic?.state === 'ACTIVE' && {
        params: { app, env },
        query: { topic: topic.id, side: 'received', state: 'REQUESTED', size: mostShown },
      },
  );
