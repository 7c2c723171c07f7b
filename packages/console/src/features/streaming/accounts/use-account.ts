/** Loads the account in the URL, for team members. */
import { accountView, type Account } from '@slipway/contract/streaming/account.ts';
import { useParams } from 'react-router';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';

export interface AccountPlace extends EventsPlace {
  account: string;
}

export const useAccount = (): {
  at: AppPlace;
  place: AccountPlace | undefined;
  query: QueryResult<typeof accountView>;
  account: Account | undefined;
} => {
  const { account: name = '' } = useParams();
  const { at, place: events } = useEventsPlace();
  const place = events && { ...events, account: name };
  const query = useQuery(accountView, at.isMember === true && place !== undefined && { params: { ...place } });
  return { at, place, query, account: query.data };
};
