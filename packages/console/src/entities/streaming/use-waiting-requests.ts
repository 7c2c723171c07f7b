/** Number of requests for an app's topics that wait for its team's decision, for badges. */
import { topicGrantList } from '@slipway/contract/streaming/grant.ts';
import type { AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';

/** Returns undefined if there are none, and for non-members. */
export const useWaitingRequests = ({ app, env }: AppRef, isMember: boolean): number | undefined => {
  const { data } = useQuery(topicGrantList, isMember && { params: { app, env }, query: { side: 'received', state: 'REQUESTED', size: 1 } });
  return data === undefined || data.totalElements === 0 ? undefined : data.totalElements;
};
