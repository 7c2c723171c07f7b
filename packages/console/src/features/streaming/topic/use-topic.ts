/** Loads the topic in the URL. Polls while visible, because its state on the cluster changes without a change event. */
import { topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { useParams } from 'react-router';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { observedMs, useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';

export interface TopicPlace extends EventsPlace {
  topic: string;
}

export const useTopic = (): {
  at: AppPlace;
  place: TopicPlace | undefined;
  query: QueryResult<typeof topicView>;
  topic: Topic | undefined;
} => {
  const { topic: name = '' } = useParams();
  const { at, place: events } = useEventsPlace();
  const place = events && { ...events, topic: name };
  const query = useQuery(topicView, place && { params: { ...place } }, { pollMs: observedMs, isAlwaysPolled: true });
  return { at, place, query, topic: query.data };
};
