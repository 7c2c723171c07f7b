/** What a pipeline is made of: a table of steps, each with a do and an undo. Modules write these; the engine runs them. */
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
  /** New for each re-run. The engine's objects are named after it or the pipeline, so that a repeated step finds what it made. */
  readonly runId: string;
  /** 1 for the first run; each re-run counts up. */
  readonly runNumber: number;
  /** Ids of the rows that the subject and what it lies in had when the pipeline was started, by kind. A name may be another's by now. */
  readonly ids: Readonly<Record<string, string>>;
  readonly input: I;
  /** What earlier steps returned as `state`, merged. JSON, no secrets. */
  readonly state: Readonly<S>;
  /** 1 the first time; counts up when the step is tried again after an outage or on another replica. */
  readonly attempt: number;
  /** Aborted when the run is cancelled, taken over by another replica, or this process closes. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  readonly createdBy: Person;
  /** In an undo: how the run will end. */
  readonly ending?: 'FAILED' | 'CANCELED';
  /** A line of the step's log; written in batches, at the latest at the end of the step. */
  log(line: string, level?: LogLevel): void;
  /** Adds facts for the screen (image tag, url …). */
  setFacts(facts: Record<string, string>): Promise<void>;
}

export interface StepResult<S> {
  readonly state?: Partial<S>;
  /** What was done, a code of the contract's stepMessages. */
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
  /** Takes back what `run` made, wholly or half; must be safe to repeat, and when there is nothing to take back. */
  undo?(context: StepContext<I, S>): Promise<void>;
  /** Once it has begun the run cannot be cancelled; once it has completed, it and the steps before it are not undone any more. */
  readonly isPointOfNoReturn?: boolean;
}

export interface FinishedRun<I, S> {
  readonly pipelineId: string;
  readonly runId: string;
  /** As the steps have them. */
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
  /** Who may re-run and cancel; members of the team that owns the subject, unless said. */
  readonly rights?: PipelineRights;
  /** In the transaction that ends the run, once per run: rows and activity entries that belong to the outcome. */
  onFinished?(trx: Transaction<DB>, run: FinishedRun<I, S>): Promise<void>;
}

export interface PipelineRights {
  readonly role: 'member' | 'owner';
  /** Whoever started it, too: what it makes has nobody yet who owns it. */
  readonly isStartersToo?: boolean;
}

/** The engine does not care what a pipeline's input and state are. */
export type AnyPipeline = PipelineDefinition<object, object>;

/** Checks the words against the contract. Throws on an unknown type or step code, or a step that appears twice. */
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

/** Fails the step with a message of the catalogue: `stepMessages['{step}.{code}']`, or `stepMessages[code]`. */
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

/** The subject has an active run already. Modules map it to WorkflowExecutionAlreadyStarted or DeployPipelineAlreadyRunning. */
export class PipelineActive extends Error {
  override readonly name = 'PipelineActive';
  readonly subject: string;

  constructor(subject: string) {
    super(`A pipeline for ${subject} is already running`);
    this.subject = subject;
  }
}
