/** The public interface of apps. */
export { reserveApp } from './app-rules.ts';
export { appFacts, appSubject, asIfCreated, lockApp } from './app-scope.ts';
export { isProjectTaken, registryProjectStep } from './app-steps.ts';
export { appArea, appEntity } from './apps.ts';
export { overviewDifferences, repairOverview } from './overview-check.ts';
