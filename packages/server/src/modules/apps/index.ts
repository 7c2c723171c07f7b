/** The apps' door. */
export { appPipelines, registryProjectStep, setAppState, type AppPipelines } from './apps.pipeline.ts';
export { appRoutes } from './apps.routes.ts';
export { appFacts, appScope, type AppFacts } from './apps.sql.ts';
export { overviewDifferences, repairOverview } from './overview-check.ts';
export { appSubject, insertApp, lockApp, startAppPipeline, type AppDeps } from './apps.ts';
