/** The apps' door. */
export { appPipelines, registryProjectStep, setAppState, type AppPipelines } from './apps.pipeline.ts';
export { appRoutes } from './apps.routes.ts';
export { appFacts } from './apps.sql.ts';
export { overviewDifferences, repairOverview } from './overview-check.ts';
export { insertApp, lockApp, startAppPipeline, type AppDeps } from './apps.ts';
