/** The public interface of the resource kernel. */
export type { Adapters, Area, AreaContext, AreaOf, Checks, Metric } from './area.ts';
export type { AnyEntity, Asked, Entity, EntityInput, Inserted, ListQuery, Names, PlanParts, Write } from './entity.ts';
export {
  credentialOf,
  endFormerRule,
  formerEndOf,
  formerOf,
  isIssuedBy,
  liveTurns,
  otherTurn,
  overlapEnd,
  rotateRule,
  turnFor,
  turns,
  type Credential,
  type Issued,
  type Turn,
} from './credential/credential.ts';
export { endFormerNow } from './credential/end-former.ts';
export { closeFormer, issue, unissue, type Holder, type PasswordWish } from './credential/turns.ts';
export { changeNow, runAction, startAction, type ActionCall, type ActionDeps, type ActionWork } from './entity-actions.ts';
export { entityPage, lockEntity, pipelineOf, requireEntity, setEntity } from './entity-rows.ts';
export { entityPipelines } from './entity-pipelines.ts';
export { createEntity, deleteEntity, draftIn, DryRunEnded, lockFor, requireCan, startOn, updateEntity } from './entity-writes.ts';
export { changeStep } from './managed/change-step.ts';
export { claimStep } from './managed/claim-step.ts';
export { actionPipeline, whileCurrent } from './managed/current-run.ts';
export type { RowContext, RowStep } from './managed/row-step.ts';
export { changeRule, draftOf, isBusy, runColumns, type RunState } from './managed/run-state.ts';
export { inPlace, placeOf, placeSql, rowAt, rowIn, type Place } from './place.ts';
export { notifyOf, recordChange, subjectIn, type Change } from './record-change.ts';
export { resourceModule } from './resource-module.ts';
export { compareEach, hasNewDifferences, hintOf, latestDrift, type ComparisonTable, type Drift } from './observe/drift.ts';
export { settleDrift, settlePipeline, type SettleInput, type SettlePipeline, type Settling } from './observe/settle-drift.ts';
export { watchRows, type WatchTimings } from './observe/watch-rows.ts';
export { createStepsWithin, giveBackWithin, reserveWithin, type Part } from './within.ts';
