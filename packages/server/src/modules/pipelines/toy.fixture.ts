/** Fixture of the engine's tests: a pipeline whose steps each test scripts, and helpers that start it and wait for its state. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { transaction, type Db } from '#db/database.ts';
import type { Log } from '#ports/log.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { definePipeline, type FinishedRun, type PipelineDefinition, type StepContext, type StepDefinition } from './definition.ts';
import type { PipelineEngine } from './engine.ts';
import { pipelineRun } from './pipelines.sql.ts';
import type { Started, StartOptions } from './start-options.ts';

export interface ToyInput {
  readonly name: string;
}
export interface ToyState {
  readonly [step: string]: string;
}
export type ToyContext = StepContext<ToyInput, ToyState>;
export type ToyStep = StepDefinition<ToyInput, ToyState>;
type Toy = PipelineDefinition<ToyInput, ToyState>;

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
export const ada = { id: 'ada', displayName: 'Ada Lovelace' };
export const administrator = { id: 'root', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };
export const quick = { outage: { firstMs: 10, longestMs: 40 }, undoAttempts: 3 };

/** Pipeline with steps that a test sets by code before each start. Steps that are not set do nothing. */
export class Toybox {
  readonly definition: Toy;
  readonly finished: FinishedRun<ToyInput, ToyState>[] = [];
  /** Steps and undos that ran, in order: `BuildImage`, `undo BuildImage`. */
  readonly trace: string[] = [];
  run: Partial<Record<string, ToyStep['run']>> = {};
  undo: Partial<Record<string, NonNullable<ToyStep['undo']>>> = {};
  onFinished: NonNullable<Toy['onFinished']> = async () => {};

  constructor(codes: readonly string[], { noReturn }: { noReturn?: string } = {}) {
    this.definition = definePipeline<ToyInput, ToyState>({
      type: 'Deploy',
      steps: codes.map((code) => ({
        code,
        isPointOfNoReturn: code === noReturn,
        run: async (c) => {
          this.trace.push(code);
          return this.run[code]?.(c);
        },
        undo: async (c) => {
          this.trace.push(`undo ${code}`);
          await this.undo[code]?.(c);
        },
      })),
      onFinished: async (trx, run) => {
        await this.onFinished(trx, run);
        this.finished.push(run);
      },
    });
  }

  reset(): void {
    this.run = {};
    this.undo = {};
    this.onFinished = async () => {};
    this.trace.length = 0;
    this.finished.length = 0;
  }
}

/** `subject` is the key of the subject. */
export type ToyStart = Partial<Omit<StartOptions<ToyInput>, 'subject'>> & { readonly subject?: string; readonly team?: string };

let subjects = 0;
/** Starts the definition on its own subject by default. `about` overrides the options. */
export function startToy(db: Db, engine: PipelineEngine, definition: Toy, about: ToyStart = {}): Promise<Started> {
  subjects += 1;
  const { subject: key = `app:toy-${subjects}`, team, ...rest } = about;
  const options = { input: { name: 'berth' }, subject: subjectNamed(key, team), createdBy: ada, trigger: 'person', ...rest };
  return transaction(db, (trx) => engine.start(trx, definition, options));
}

/** Polls until `found` returns a result. Throws after `timeoutMs` with a description of the expected result. */
export async function eventually<Found>(
  what: string,
  found: () => Promise<Found | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<Found> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await found();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms without success: ${what}`);
    await delay(5);
  }
}

export const runWhen = (db: Db, pipelineId: string, is: (run: PipelineRun) => boolean, timeoutMs?: number): Promise<PipelineRun> =>
  eventually(
    'the state of the run',
    async () => {
      const run = await pipelineRun(db, pipelineId, administrator);
      return run && is(run) && run;
    },
    timeoutMs,
  );

/** `CheckNames COMPLETED`, … */
export const stepStates = (run: PipelineRun): string[] => run.status.steps.map(({ code, state }) => `${code} ${state}`);
