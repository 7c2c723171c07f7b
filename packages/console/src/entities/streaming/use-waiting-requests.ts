/** How many requests for topics of an app wait for an answer of its team, for the badges that lead there. */
import { topicGrantList } from '@slipway/contract/streaming/grant.ts';
import type { AppRef } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';

/** Undefined where nobody waits, and for those who do not decide. */
export const useWaitingRequests = ({ app, env }: AppRef, isMember: boolean): number | undefined => {
  const { data } = useQuery(topicGrantList, isMember && { params: { app, env }, query: { side: 'received', state: 'REQUESTED', size: 1 } });
  return data === undefined || data.totalElements === 0 ? undefined : data.totalElements;
};
