/** Every route of the platform, in the order of the documentation. */
import * as activity from './activity.ts';
import * as application from './application.ts';
import * as catalogue from './catalogue.ts';
import * as containerRegistry from './container-registry.ts';
import * as identity from './identity.ts';
import type { RouteShape } from './kernel.ts';
import * as pipeline from './pipeline.ts';
import * as platform from './platform.ts';
import * as quickstart from './quickstart.ts';
import * as revision from './revision.ts';
import * as service from './service.ts';
import * as team from './team.ts';

const isRoute = (value: unknown): value is RouteShape =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

export const routes: readonly RouteShape[] = [
  platform,
  identity,
  team,
  application,
  quickstart,
  service,
  revision,
  pipeline,
  containerRegistry,
  activity,
  catalogue,
].flatMap((module): RouteShape[] => Object.values<unknown>({ ...module }).filter(isRoute));
