/** How the group stands beside the one of the same name in the other environment; nothing where there is none. */
import { secretEnvironmentCompare, type SecretEnvironmentComparison } from '@slipway/contract/secret-group.ts';
import { useQuery } from '#kit/api/query.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

export type OtherEnvironment = SecretEnvironmentComparison['groups'][number] & { development: number; production: number };
const isInBoth = (group: SecretEnvironmentComparison['groups'][number]): group is OtherEnvironment =>
  group.development !== null && group.production !== null;

export const useOtherEnvironment = ({ app, group }: GroupPlace): OtherEnvironment | undefined => {
  const found = useQuery(secretEnvironmentCompare, { params: { app } }).data?.groups.find(({ name }) => name === group);
  return found && isInBoth(found) ? found : undefined;
};
