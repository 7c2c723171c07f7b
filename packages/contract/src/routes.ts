/** Every route of the platform, in the order of the documentation. */
import type * as z from 'zod/mini';
import { apiSections } from './api-sections.ts';
import * as activity from './activity.ts';
import * as application from './application.ts';
import * as directoryStanding from './directory-standing.ts';
import * as demo from './demo.ts';
import * as catalogApplication from './catalog/application.ts';
import * as catalogBackstage from './catalog/backstage.ts';
import * as catalogDirectory from './catalog/directory.ts';
import * as catalogFuzzySearch from './catalog/fuzzy-search.ts';
import * as catalogImport from './catalog/import.ts';
import * as catalogPlatform from './catalog/platform.ts';
import * as catalogPortfolio from './catalog/portfolio.ts';
import * as catalogProduct from './catalog/product.ts';
import * as catalogRequest from './catalog/request.ts';
import * as catalogSearch from './catalog/search.ts';
import * as catalogSuggestion from './catalog/suggestion.ts';
import * as catalogSummary from './catalog/summary.ts';
import * as catalogTree from './catalog/tree.ts';
import * as databaseBackup from './database/backup.ts';
import * as databaseFigures from './database/figures.ts';
import { declaredResources } from './declared-resources.ts';
import * as freeze from './freeze.ts';
import * as identity from './identity.ts';
import type { RouteShape } from './kernel/kernel.ts';
import * as installation from './installation.ts';
import * as keys from './keys.ts';
import * as map from './map.ts';
import * as need from './notification/need.ts';
import * as notice from './notification/notice.ts';
import * as monitor from './monitoring/monitor.ts';
import * as monitorReadings from './monitoring/readings.ts';
import * as notification from './notification/notification.ts';
import * as metrics from './service/metrics.ts';
import * as photo from './photo.ts';
import * as traces from './service/traces.ts';
import * as pipeline from './pipeline/pipeline.ts';
import * as plan from './pipeline/plan.ts';
import * as operations from './operations.ts';
import * as platform from './platform.ts';
import * as promotion from './promotion.ts';
import * as quickstart from './quickstart.ts';
import { resourceRoutes, type SomeResource } from './resource.ts';
import * as containerRegistry from './registry/project.ts';
import * as registryImages from './registry/images.ts';
import * as retention from './registry/retention.ts';
import * as advisory from './registry/advisory.ts';
import * as scan from './registry/scan.ts';
import * as request from './request/request.ts';
import * as requestCounts from './request/request-counts.ts';
import * as revision from './service/revision.ts';
import * as secretGroup from './secret/secret-group.ts';
import * as service from './service/service.ts';
import * as serviceApproval from './service/approval.ts';
import * as serviceAccess from './service/service-access.ts';
import * as serviceChange from './service/service-operations.ts';
import * as diagnosis from './service/diagnosis.ts';
import * as accountPassword from './streaming/account-password.ts';
import * as accountRights from './streaming/account-rights.ts';
import * as message from './streaming/message.ts';
import * as streamingPromotion from './streaming/promotion.ts';
import * as schemaDrift from './streaming/schema-drift.ts';
import * as schemaSample from './streaming/schema-sample.ts';
import * as schemaVerdict from './streaming/schema-verdict.ts';
import * as stream from './streaming/stream.ts';
import * as streaming from './streaming/streaming.ts';
import * as topicStatus from './streaming/topic-status.ts';
import * as topicGrant from './streaming/grant.ts';
import * as team from './team.ts';

const isResource = (value: unknown): value is SomeResource =>
  typeof value === 'object' && value !== null && 'shape' in value && ('create' in value || 'list' in value);
/** Every declared resource. */
export const resources: readonly SomeResource[] = declaredResources.flatMap((module) =>
  Object.values<unknown>({ ...module }).filter(isResource),
);

const isRoute = (value: unknown): value is RouteShape =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

const modules: ReadonlySet<object> = new Set([
  platform,
  installation,
  operations,
  demo,
  identity,
  team,
  application,
  promotion,
  map,
  quickstart,
  service,
  serviceChange,
  serviceAccess,
  serviceApproval,
  freeze,
  metrics,
  traces,
  revision,
  diagnosis,
  secretGroup,
  photo,
  pipeline,
  plan,
  containerRegistry,
  registryImages,
  retention,
  scan,
  advisory,
  request,
  requestCounts,
  activity,
  need,
  notice,
  notification,
  monitor,
  monitorReadings,
  catalogApplication,
  catalogPlatform,
  catalogPortfolio,
  catalogProduct,
  catalogRequest,
  catalogSearch,
  catalogFuzzySearch,
  catalogSummary,
  catalogTree,
  catalogDirectory,
  catalogImport,
  catalogBackstage,
  directoryStanding,
  catalogSuggestion,
  keys,
  ...declaredResources,
  databaseBackup,
  databaseFigures,
  streaming,
  stream,
  schemaVerdict,
  schemaSample,
  schemaDrift,
  topicStatus,
  message,
  streamingPromotion,
  topicGrant,
  accountPassword,
  accountRights,
]);

/** Routes of a resource need no export of their own. */
const routesOf = (module: object): RouteShape[] => {
  const values = Object.values<unknown>({ ...module });
  return [...new Set([...values.filter(isRoute), ...values.filter(isResource).flatMap(resourceRoutes)])];
};

export const routes: readonly RouteShape[] = [...modules].flatMap(routesOf);

const isSchema = (entry: [string, unknown]): entry is [string, z.ZodMiniType] =>
  typeof entry[1] === 'object' && entry[1] !== null && '_zod' in entry[1];

/** The entities by name, for API descriptions. */
export const schemas: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries(
  [...modules].flatMap((module) => Object.entries<unknown>({ ...module }).filter(isSchema)),
);

/** Everything from which the API's description is generated. */
export const described = { routes, schemas, sections: apiSections, run: pipeline.PipelineRun };
