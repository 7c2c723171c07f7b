/** The door of the pipelines module: definitions, the engine, and what others may read. */
export { definePipeline, PipelineActive, StepFailure } from './definition.ts';
export type { FinishedRun, LogLevel, Outcome, Person, PipelineDefinition, StepContext, StepDefinition, StepResult } from './definition.ts';
export { PipelineEngine } from './engine.ts';
export type { PipelineEngineOptions, Started, StartOptions } from './engine.ts';
