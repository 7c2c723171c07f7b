/**
 * Tests that follow from a pipeline's step table: fail at every step (clean slate, and a re-run that works), repeat every step
 * (idempotent), die at every step and at every undo (another engine resumes). `npm test` tries each kind of fault at one step.
 */
import type { PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import type { Transaction } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import {
  awaitRun,
  PipelineEngine,
  StepFailure,
  type PipelineDefinition,
  type StepContext,
  type StepDefinition,
} from '#modules/pipelines/index.ts';
import { overviewDifferences } from '#modules/apps/index.ts';
import type { Log } from '#ports/log.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { rareTest, shareOf } from '#testing/faults/fault-share.ts';
import { isLongRun, PATIENCE_MS } from '#testing/patience.ts';

export interface FaultWorld<I extends object, S extends object> {
  readonly definition: PipelineDefinition<I, S>;
  /**
   * Does the request's work in its transaction: creates its rows, then calls `engine.start(trx, definition, …)`.
   * The call uses the definition given here, which carries the faults. `name` is new for each test: kebab-case, at most 12 characters.
   */
  start(trx: Transaction<DB>, engine: PipelineEngine, definition: PipelineDefinition<I, S>, name: string): Promise<{ pipelineId: string }>;
  /** After a failure. Throws when anything that the steps made is left. */
  assertCleanSlate(name: string): Promise<void>;
  /** After completion. Throws when what the pipeline is for is not there, or is there twice. */
  assertDone(name: string): Promise<void>;
  /** Engines that the world started. */
  close?(): Promise<void>;
}

export interface FaultSuiteOptions<I extends object, S extends object> {
  /** The codes of the step table, in order; a test says when they are not the definition's. */
  readonly steps: readonly string[];
  world(database: TestDatabase): Promise<FaultWorld<I, S>>;
  /** Those of them at which faults are tried, where another suite tries the others; all when left out. */
  readonly faultsAt?: readonly string[];
  /** Those that find nothing to do, and therefore are not undone. */
  readonly skipped?: readonly string[];
  /** Another suite is its share in `npm test`. */
  readonly isRare?: boolean;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const actor = { id: 'tester', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };

export function faultSuite<I extends object, S extends object>(name: string, options: FaultSuiteOptions<I, S>): void {
  const { steps, faultsAt = steps } = options;
  if (options.isRare && !isLongRun) return;
  describe(`${name}: faults`, () => {
    const bench = new FaultBench(options);
    beforeAll(() => bench.open());
    afterAll(() => bench.close());

    test('the table of faults covers the steps', () => expect(bench.codes).toEqual(steps));
    test('completes without faults', () => bench.completes({}));
    for (const step of faultsAt) rareTest(`fails before ${step} does anything`, () => bench.fails({ before: step }));
    test.each(shareOf(faultsAt, 1))('fails after %s has done everything', (step) => bench.fails({ after: step }));
    test.each(shareOf(faultsAt, 1, 1))('repeats %s', (step) => bench.completes({ repeat: step }));
    rareTest('repeats every undo', () => bench.fails({ after: bench.lastUndone, repeatUndos: true }));
    test.each(shareOf(faultsAt, 1, -1))('dies after %s, before it is recorded', (step) => bench.resumes({ hang: step }));
    test.for(shareOf(faultsAt, 1))('dies after the undo of %s, before it is recorded', (step, { skip }) => {
      skip(!bench.hasUndo(step), 'nothing to undo');
      return bench.resumesUndo(step);
    });
  });
}

interface Faults {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly repeat?: string;
  readonly repeatUndos?: boolean;
  readonly hang?: string;
  readonly hangUndo?: string;
}

class FaultBench<I extends object, S extends object> {
  readonly #options: FaultSuiteOptions<I, S>;
  #database!: TestDatabase;
  #world!: FaultWorld<I, S>;
  #definition!: PipelineDefinition<I, S>;
  #engine!: PipelineEngine;
  #faults: Faults = {};
  #count = 0;
  /** Resolved when a step hangs, as it would in a process that has just died. */
  #died = Promise.withResolvers<void>();

  constructor(options: FaultSuiteOptions<I, S>) {
    this.#options = options;
  }

  get codes(): string[] {
    return this.#world.definition.steps.map(({ code }) => code);
  }

  /** The last step whose failure takes everything back: the first that leaves no way back once it has completed, or the last of all. */
  get lastUndone(): string | undefined {
    const { steps } = this.#world.definition;
    return (steps.find((step) => step.isPointOfNoReturn) ?? steps.at(-1))?.code;
  }

  async open(): Promise<void> {
    this.#database = await testDatabase();
    this.#world = await this.#options.world(this.#database);
    const { definition } = this.#world;
    this.#definition = { ...definition, steps: definition.steps.map((step) => this.#faulty(step)) };
    await this.#launch();
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    await this.#world?.close?.();
    await this.#database?.drop();
  }

  async completes(faults: Faults): Promise<void> {
    const { name, pipelineId } = await this.#start(faults);
    await this.#expectState(pipelineId, 'COMPLETED');
    await this.#world.assertDone(name);
    await this.#assertListsKept();
  }

  /** Past a point of no return nothing is taken back; then only the re-run counts. */
  async fails(faults: Faults): Promise<void> {
    const { name, pipelineId } = await this.#start(faults);
    await this.#expectState(pipelineId, 'FAILED');
    if (!this.#isPastNoReturn(faults.before ?? faults.after)) await this.#world.assertCleanSlate(name);
    this.#faults = {};
    await transaction(this.#database.db, (trx) =>
      this.#engine.rerun(trx, pipelineId, 'failedStep', { id: actor.id, displayName: 'Tester' }),
    );
    await this.#expectState(pipelineId, 'COMPLETED');
    await this.#world.assertDone(name);
    await this.#assertListsKept();
  }

  async resumes(faults: Faults): Promise<void> {
    const { name, pipelineId } = await this.#start(faults);
    await this.#died.promise;
    await this.#replaceEngine();
    await this.#expectState(pipelineId, 'COMPLETED');
    await this.#world.assertDone(name);
    await this.#assertListsKept();
  }

  hasUndo(step: string): boolean {
    const { codes, lastUndone = '' } = this;
    const isKept = codes.indexOf(step) > codes.indexOf(lastUndone);
    if (isKept || this.#options.skipped?.includes(step)) return false;
    return this.#world.definition.steps.some(({ code, undo }) => code === step && undo);
  }

  async resumesUndo(step: string): Promise<void> {
    const last = this.lastUndone;
    const { name, pipelineId } = await this.#start({ after: last, hangUndo: step });
    await this.#died.promise;
    await this.#replaceEngine({ after: last });
    await this.#expectState(pipelineId, 'FAILED');
    await this.#world.assertCleanSlate(name);
    await this.#assertListsKept();
  }

  async #start(faults: Faults): Promise<{ name: string; pipelineId: string }> {
    this.#faults = faults;
    this.#died = Promise.withResolvers();
    this.#count += 1;
    const name = `fault-${this.#count}`;
    const { pipelineId } = await transaction(this.#database.db, (trx) => this.#world.start(trx, this.#engine, this.#definition, name));
    return { name, pipelineId };
  }

  async #launch(): Promise<void> {
    const { config, db } = this.#database;
    const timing = { outage: { firstMs: 10, longestMs: 100 }, undoAttempts: 3 };
    this.#engine = new PipelineEngine({ connection: config, db, log: silent, timing });
    this.#engine.register(this.#definition);
    await this.#engine.launch();
  }

  /** Replaces the engine. Steps that hang in the old engine hang forever, so only the database still has their state. */
  async #replaceEngine(faults: Faults = {}): Promise<void> {
    this.#faults = faults;
    await this.#engine.close({ graceMs: 0 });
    await this.#launch();
  }

  async #expectState(pipelineId: string, state: PipelineState): Promise<void> {
    const run = await awaitRun(this.#database.db, pipelineId, actor, PATIENCE_MS);
    expect(run.status.state, JSON.stringify(run.status.steps.map((step) => [step.code, step.state, step.message]))).toBe(state);
  }

  /** Checks what lists show. The steps' transactions keep this data up to date, whatever happens to the steps. */
  async #assertListsKept(): Promise<void> {
    expect(await overviewDifferences(this.#database.db)).toEqual([]);
  }

  /** With the step failed, an earlier step that cannot be taken back has completed. */
  #isPastNoReturn(failed: string | undefined): boolean {
    const { steps } = this.#world.definition;
    return steps
      .slice(
        0,
        steps.findIndex(({ code }) => code === failed),
      )
      .some((step) => step.isPointOfNoReturn);
  }

  #faulty(step: StepDefinition<I, S>): StepDefinition<I, S> {
    const { code } = step;
    return {
      ...step,
      run: async (context) => {
        const faults = this.#faults;
        if (faults.before === code) throw new StepFailure('InjectedFault');
        if (faults.repeat === code) await step.run(context);
        const result = await step.run(context);
        if (faults.hang === code) await this.#die();
        if (faults.after === code) throw new StepFailure('InjectedFault');
        return result;
      },
      ...(step.undo ? { undo: (context: StepContext<I, S>) => this.#faultyUndo(step, context) } : {}),
    };
  }

  async #faultyUndo(step: StepDefinition<I, S>, context: StepContext<I, S>): Promise<void> {
    const faults = this.#faults;
    await step.undo?.(context);
    if (faults.repeatUndos) await step.undo?.(context);
    if (faults.hangUndo === step.code) await this.#die();
  }

  #die(): Promise<never> {
    this.#died.resolve();
    return new Promise(() => {});
  }
}
