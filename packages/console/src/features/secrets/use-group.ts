/** The secret group of the address. It is asked anew while it is in view: what a service runs with changes by deployments, too. */
import { secretGroupView, type SecretGroup } from '@slipway/contract/secret-group.ts';
import type { Environment } from '@slipway/contract/fields.ts';
import { useParams } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useSecretPlace, type SecretPlace } from './use-secret-place.ts';

export interface GroupPlace {
  app: string;
  env: Environment;
  group: string;
}
const servicesMs = 5000;

export const useGroup = (): {
  secrets: SecretPlace;
  place: GroupPlace | undefined;
  query: QueryResult<typeof secretGroupView>;
  group: SecretGroup | undefined;
} => {
  const { secretGroup: name = '' } = useParams();
  const secrets = useSecretPlace();
  const { app, env } = secrets;
  const place = env && { app, env, group: name };
  const isAsked = secrets.isMember === true && place !== undefined;
  const query = useQuery(secretGroupView, isAsked && { params: { ...place } }, { pollMs: servicesMs, isAlwaysPolled: true });
  return { secrets, place, query, group: query.data };
};
