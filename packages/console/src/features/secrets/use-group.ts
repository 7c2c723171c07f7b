/** Loads the secret group in the URL. Polls while visible, because deployments change which version a service runs. */
import {
  secretGroupView,
  type SecretGroup,
  secretEnvironmentCompare,
  type SecretEnvironmentComparison,
} from '@slipway/contract/secret/secret-group.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { useParams } from 'react-router';
import { useQuery, type QueryResult } from '#kit/api/query.ts';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';

export interface GroupPlace {
  app: string;
  env: Environment;
  group: string;
}
const servicesMs = 5000;

export const useGroup = (): {
  secrets: AppPlace;
  place: GroupPlace | undefined;
  query: QueryResult<typeof secretGroupView>;
  group: SecretGroup | undefined;
} => {
  const { secretGroup: name = '' } = useParams();
  const secrets = useAppPlace();
  const { app, env } = secrets;
  const place = env && { app, env, group: name };
  const isAsked = secrets.isMember === true && place !== undefined;
  const query = useQuery(secretGroupView, isAsked && { params: { ...place } }, { pollMs: servicesMs, isAlwaysPolled: true });
  return { secrets, place, query, group: query.data };
};

export type OtherEnvironment = SecretEnvironmentComparison['groups'][number] & { development: number; production: number };
const isInBoth = (group: SecretEnvironmentComparison['groups'][number]): group is OtherEnvironment =>
  group.development !== null && group.production !== null;

/** Compares the group with the group of the same name in the other environment. Undefined if there is none. */
export const useOtherEnvironment = ({ app, group }: GroupPlace): OtherEnvironment | undefined => {
  const found = useQuery(secretEnvironmentCompare, { params: { app } }).data?.groups.find(({ name }) => name === group);
  return found && isInBoth(found) ? found : undefined;
};
