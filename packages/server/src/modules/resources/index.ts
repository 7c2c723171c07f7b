/** The public interface of the resource kernel. */
export type { Adapters, Area, AreaContext, AreaOf, Checks, Metric } from './area.ts';
export type { AnyEntity, Asked, Entity, EntityInput, Inserted, ListQuery, Names, PlanParts, Write } from './entity.ts';
export { whileCurrent } from './entity-pipelines.ts';
export { changeNow, runAction, startAction, type ActionDeps, type ActionWork } from './entity-actions.ts';
export { entityPage, eraseRow, lockEntity, pipelineOf, requireEntity, setEntity } from './entity-rows.ts';
export { entityPipelines } from './entity-pipelines.ts';
export { createEntity, deleteEntity, DryRunEnded, lockFor, requireCan, startOn, updateEntity } from './entity-writes.ts';
export { inPlace, placeOf, rowAt, type Place } from './place.ts';
export { notifyOf, recordChange, subjectIn, type Change } from './record-change.ts';
export { alsoAt, resourceModule } from './resource-module.ts';
export { compareEach, hasNewDifferences, hintOf, latestDrift, type ComparisonTable, type Drift } from './observe/drift.ts';
export { settleDrift, settlePipeline, type SettleInput, type SettlePipeline, type Settling } from './observe/settle-drift.ts';
export { watchRows, type WatchTimings } from './observe/watch-rows.ts';
