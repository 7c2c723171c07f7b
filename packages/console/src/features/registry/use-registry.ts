/** Shared by all parts of an app's registry: app and environment, whether the user is a team member, and the project. */
import { containerRegistryView, type ContainerRegistry } from '@slipway/contract/registry/project.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery, type QueryResult } from '#kit/api/query.ts';

export interface RegistryPlace {
  app: string;
  env: Environment;
}
export interface ShownRegistry {
  place: RegistryPlace;
  registry: ContainerRegistry | undefined;
  team: string;
}
export interface Registry extends ShownRegistry {
  query: QueryResult<typeof containerRegistryView>;
  /** False if the URL names no environment. */
  isPlace: boolean;
  isMember: boolean | undefined;
  noRight: string;
}

export const useRegistry = (): Registry => {
  const { app, env, team, isMember, noRight } = useAppPlace();
  const query = useQuery(containerRegistryView, env !== undefined && isMember === true && { params: { app, env } });
  return { place: { app, env: env ?? 'development' }, isPlace: env !== undefined, query, registry: query.data, team, isMember, noRight };
};
