/** The door of the pipelines module: definitions, the engine, and what others may read. */
export { definePipeline, PipelineActive, StepFailure } from './definition.ts';
export type {
  AnyPipeline,
  FinishedRun,
  LogLevel,
  Outcome,
  Person,
  PipelineDefinition,
  PipelineRights,
  StepContext,
  StepDefinition,
  StepResult,
} from './definition.ts';
export { PipelineEngine } from './engine.ts';
export type { PipelineEngineOptions } from './engine.ts';
export { freeAllRuns } from './queue.sql.ts';
export { pipelineArea } from './pipelines.routes.ts';
export { changeNotes, note, planOf, type PlanDraft } from './plan.ts';
export { awaitRun, pipelineRun, runFor, runPage, stepLogs } from './pipelines.sql.ts';
export type { PipelineFilter } from './run-list.sql.ts';
export { triggerBy } from './start-options.ts';
export type { Started, StartOptions } from './start-options.ts';
