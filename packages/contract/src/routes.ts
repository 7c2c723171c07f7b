/** Every route of the platform, in the order of the documentation. */
import type * as z from 'zod/mini';
import * as activity from './activity.ts';
import * as application from './application.ts';
import * as catalogue from './catalogue.ts';
import * as containerRegistry from './container-registry.ts';
import { declaredResources } from './kernel/declared-resources.ts';
import * as identity from './identity.ts';
import type { RouteShape } from './kernel/kernel.ts';
import * as keys from './keys.ts';
import * as metrics from './service/metrics.ts';
import * as pipeline from './pipeline/pipeline.ts';
import * as platform from './platform.ts';
import * as quickstart from './quickstart.ts';
import { resourceRoutes, type SomeResource } from './kernel/resource.ts';
import * as revision from './service/revision.ts';
import * as secretGroup from './secret/secret-group.ts';
import * as service from './service/service.ts';
import * as serviceAccess from './service/service-access.ts';
import * as serviceChange from './service/service-operations.ts';
import * as diagnosis from './service/diagnosis.ts';
import * as team from './team.ts';

const isResource = (value: unknown): value is SomeResource =>
  typeof value === 'object' && value !== null && 'shape' in value && ('create' in value || 'list' in value);
/** Every resource that is declared. */
export const resources: readonly SomeResource[] = declaredResources.flatMap((module) =>
  Object.values<unknown>({ ...module }).filter(isResource),
);

const isRoute = (value: unknown): value is RouteShape =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

const modules: ReadonlySet<object> = new Set([
  platform,
  identity,
  team,
  application,
  quickstart,
  service,
  serviceChange,
  serviceAccess,
  metrics,
  revision,
  diagnosis,
  secretGroup,
  pipeline,
  containerRegistry,
  activity,
  catalogue,
  keys,
  ...declaredResources,
]);

/** Those that a resource holds need no export of their own. */
const routesOf = (module: object): RouteShape[] => {
  const values = Object.values<unknown>({ ...module });
  return [...new Set([...values.filter(isRoute), ...values.filter(isResource).flatMap(resourceRoutes)])];
};

export const routes: readonly RouteShape[] = [...modules].flatMap(routesOf);

const isSchema = (entry: [string, unknown]): entry is [string, z.ZodMiniType] =>
  typeof entry[1] === 'object' && entry[1] !== null && '_zod' in entry[1];

/** The entities by name, for descriptions of the API. */
export const schemas: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries(
  [...modules].flatMap((module) => Object.entries<unknown>({ ...module }).filter(isSchema)),
);
