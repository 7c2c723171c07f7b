/** Pipeline definitions: a list of steps, each with `run` and `undo`. Modules define them; the engine runs them. */
import type { StepMessage } from '@slipway/contract/pipeline/pipeline.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import { isStep } from '@slipway/contract/pipeline/steps.ts';
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';

export interface Person {
  readonly id: string;
  readonly displayName: string;
}

export type LogLevel = 'INFO' | 'WARNING' | 'ERROR';
export type Outcome = 'COMPLETED' | 'FAILED' | 'CANCELED';

export interface StepContext<I, S> {
  readonly pipelineId: string;
  /** New for each re-run. Engine objects are named after the run or the pipeline, so a repeated step finds its own objects. */
  readonly runId: string;
  /** 1 for the first run; incremented on each re-run. */
  readonly runNumber: number;
  /** Row ids of the subject and its parents at the start, by kind. By now another row may have the same name. */
  readonly ids: Readonly<Record<string, string>>;
  readonly input: I;
  /** Merged `state` of the earlier steps. JSON, no secrets. */
  readonly state: Readonly<S>;
  /** 1 for the first attempt; incremented on each retry after an outage or on another replica. */
  readonly attempt: number;
  /** Aborted when the run is cancelled, taken over by another replica, or this process closes. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  readonly createdBy: Person;
  /** In an undo: how the run will end. */
  readonly ending?: 'FAILED' | 'CANCELED';
  /** Appends a line to the step's log. Lines are written in batches, at the latest when the step ends. */
  log(line: string, level?: LogLevel): void;
  /** Adds facts for the screen (image tag, url …). */
  setFacts(facts: Record<string, string>): Promise<void>;
}

export interface StepResult<S> {
  readonly state?: Partial<S>;
  /** Result message: a code of the contract's stepMessages. */
  readonly message?: StepMessage;
  /** There was nothing to do: the step shows as SKIPPED, and is not undone. */
  readonly skipped?: boolean;
}

export interface StepDefinition<I, S> {
  /** A key of the contract's stepNames, or the pipeline's own type; once per pipeline. */
  readonly code: string;
  /** Must be safe to repeat: after a crash it runs again from its beginning. */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a step may answer nothing
  run(context: StepContext<I, S>): Promise<StepResult<S> | void>;
  /** Reverts a complete or partial `run`. Must be idempotent, and safe when there is nothing to revert. */
  undo?(context: StepContext<I, S>): Promise<void>;
  /** After this step starts, the run cannot be canceled. After it completes, it and all earlier steps are no longer undone. */
  readonly isPointOfNoReturn?: boolean;
}

export interface FinishedRun<I, S> {
  readonly pipelineId: string;
  readonly runId: string;
  /** Same as `StepContext.ids`. */
  readonly ids: Readonly<Record<string, string>>;
  readonly input: I;
  readonly state: Readonly<S>;
  readonly outcome: Outcome;
  /** The failed step's message. */
  readonly failure: { readonly step: string; readonly message: StepMessage } | undefined;
  readonly createdBy: Person;
}

export interface PipelineDefinition<I, S> {
  /** A type that one of the contract's kinds names. */
  readonly type: string;
  readonly steps: readonly StepDefinition<I, S>[];
  /** Rights to re-run and cancel. Defaults to members of the team that owns the subject. */
  readonly rights?: PipelineRights;
  /** Throws a Problem if the pipeline must not run again now. Called in the transaction of the re-run. */
  beforeRerun?(trx: Transaction<DB>, run: Pick<FinishedRun<I, S>, 'pipelineId' | 'input'>): Promise<void>;
  /** Writes the outcome's rows and activity entries. Called once per run, in the transaction that ends the run. */
  onFinished?(trx: Transaction<DB>, run: FinishedRun<I, S>): Promise<void>;
}

export interface PipelineRights {
  readonly role: 'member' | 'owner';
  /** Also grants the rights to the person who started the pipeline, because the new resource has no owner yet. */
  readonly isStartersToo?: boolean;
}

/** A pipeline with any input and state, as the engine handles it. */
export type AnyPipeline = PipelineDefinition<object, object>;

/** Validates a definition against the contract. Throws on an unknown type or step code, or a duplicate step. */
export const definePipeline = <I extends object, S extends object>(definition: PipelineDefinition<I, S>): PipelineDefinition<I, S> => {
  if (pipelineTypeLabel(definition.type) === undefined)
    throw new Error(`No kind of the contract names the pipeline type ${definition.type}`);
  const seen = new Set<string>();
  for (const { code } of definition.steps) {
    if (!isStep(code)) throw new Error(`The contract names no step ${code}, a step of ${definition.type}`);
    if (seen.has(code)) throw new Error(`The step ${code} appears twice in ${definition.type}`);
    seen.add(code);
  }
  return definition;
};

/** Fails the step with a catalog message: `stepMessages['{step}.{code}']`, or `stepMessages[code]`. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly code: string;
  readonly context: Record<string, string>;

  constructor(code: string, context: Record<string, string> = {}, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
    this.context = context;
  }
}

/** Thrown when the subject already has an active run. Modules map it to WorkflowExecutionAlreadyStarted or DeployPipelineAlreadyRunning. */
export class PipelineActive extends Error {
  override readonly name = 'PipelineActive';
  readonly subject: string;

  constructor(subject: string) {
    super(`A pipeline for ${subject} is already running`);
    this.subject = subject;
  }
}
