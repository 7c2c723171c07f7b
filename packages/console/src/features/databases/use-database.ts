/** Loads the database in the URL. Polls while visible, because its size and connections change without a change event. */
import { databaseView, type Database } from '@slipway/contract/database/database.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { useParams } from 'react-router';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';

export interface DatabasePlace {
  app: string;
  env: Environment;
  database: string;
}

const observedMs = 5000;

export const useDatabase = (): {
  at: AppPlace;
  place: DatabasePlace | undefined;
  query: QueryResult<typeof databaseView>;
  database: Database | undefined;
} => {
  const { database: name = '' } = useParams();
  const at = useAppPlace();
  const place = at.env && { app: at.app, env: at.env, database: name };
  const isAsked = at.isMember === true && place !== undefined;
  const query = useQuery(databaseView, isAsked && { params: { ...place } }, { pollMs: observedMs, isAlwaysPolled: true });
  return { at, place, query, database: query.data };
};
