/**
 * Drives the runtime: the replica that holds the lock makes what runs match what the rows want, level-triggered, and writes what the
 * engine reports. When the leader dies another replica takes the lock, and takes over what runs (decision record 24).
 */
import type { ChangeHint } from '@slipway/contract/kernel/hint.ts';
import { holdLock, type LockHolder } from '#db/advisory-lock.ts';
import type { DatabaseConfig } from '#db/database.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import { listen, type Listener } from '#db/listen.ts';
import { CHANGE_CHANNEL } from '#kernel/changes.ts';
import type { Log } from '#ports/log.ts';
import type { InstanceEvent, Runtime, RuntimeCapabilities } from '#ports/runtime.ts';
import { LeaderTasks, type TaskTimings } from './leader-tasks.ts';
import { claimRuntime } from './claim-runtime.ts';
import { Convergence, nameOf } from './convergence.ts';
import { leaveLeader } from './leader.sql.ts';
import { writeEvent } from './observed.sql.ts';
import type { SecretsOptions } from './open-secrets.ts';
import { Serving } from './serving.ts';
import { servingBefore } from './wanted.sql.ts';

export interface ReconcilerOptions extends SecretsOptions {
  readonly connection: DatabaseConfig;
  readonly runtime: Runtime;
  /** The lock that the machine's replicas agree by; see `holdLock`. */
  readonly fence?: (() => DirectoryLock | undefined) | undefined;
  /** Names this replica in the activity log. */
  readonly replica: string;
  readonly log: Log;
  /** Tests shorten them. */
  readonly timings?: Partial<ReconcilerTimings>;
}
export interface ReconcilerTimings extends TaskTimings {
  /** A pass even when nobody said anything, and a full one: it sends again what has not changed. */
  readonly fullPassMs: number;
  /** How long services that served before a restart are waited for, until this replica counts as ready without them. */
  readonly restoreMs: number;
}

const defaultFullPassMs = 5000;
const defaultRestoreMs = 60_000;
/** Between tries to take the runtime while another holder dies, or its port is taken. */
const retakeMs = 1000;
/** What changes what is wanted. Most hints are a pipeline's progress, which does not. */
const concerning: ReadonlySet<string> = new Set(['app', 'service', 'revision']);

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #lock: LockHolder | undefined;
  #listener: Listener | undefined;
  #isStopping = false;
  /** The runtime is ours, and the database says so: what is wanted is made. */
  #isHolding = false;
  #hasLost = false;
  /** Not driven at the moment, but running. */
  #isKept = false;
  readonly #serving = new Serving();
  #isDirty = false;
  #isFullDue = false;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #tasks: LeaderTasks;
  /** Until it is known, the least. */
  #engine: Pick<RuntimeCapabilities, 'isNetworkIsolated'> = { isNetworkIsolated: false };
  #stopListening: (() => void) | undefined;
  readonly #convergence: Convergence;
  #changing: Promise<void> = Promise.resolve();
  #events: Promise<void> = Promise.resolve();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#tasks = new LeaderTasks(options);
    this.#convergence = new Convergence({
      ...options,
      warn: (error, about, text) => this.#warn(error, about, text),
      onChanged: () => this.#nudge(),
    });
  }

  async start(): Promise<void> {
    const { connection, fence, log, runtime } = this.#options;
    // From the beginning: what is lost while it is taken is taken once more.
    runtime.onLost(() => void this.#switch(() => this.#retake()));
    this.#listener = await listen(connection, CHANGE_CHANNEL, (payload) => this.#hear(payload), { onReconnect: () => this.#nudge(), log });
    this.#lock = holdLock(connection, 'slipway:runtime', {
      onAcquired: () => {
        this.#serving.begins();
        void this.#switch(() => this.#take());
      },
      onInterrupted: () => void this.#switch(async () => this.#pause()),
      onLost: () => this.#yield(),
      onElsewhere: () => this.#serving.isWell(),
      fence,
      log,
    });
  }

  /** Every instance of this leader stops, then the lock is free. With `isKept` they run on, for the next leader to take over. */
  async stop({ isKept = false } = {}): Promise<void> {
    this.#isStopping = true;
    await this.#listener?.stop();
    await this.#switch(() => this.#drop(isKept));
    await this.#lock?.stop();
  }

  /** Why services that this replica should serve are not served; with `isPatient` it waits until that is known. */
  async diagnosis(isPatient = false): Promise<string | undefined> {
    if (isPatient) await this.#serving.known;
    if (!this.#isHolding) return this.#serving.diagnosis;
    return this.#options.runtime.list().then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  /** What `/readyz` says of services. */
  async check(): Promise<string> {
    return (await this.diagnosis()) ?? (this.#isHolding ? this.#serving.check : 'ok');
  }

  get passes(): Serving['passes'] {
    return this.#serving.passes;
  }

  /** Taking and dropping never overlap. */
  #switch(work: () => Promise<void>): Promise<void> {
    this.#changing = this.#changing
      .then(work)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'The runtime could not change hands'));
    return this.#changing;
  }

  /** Tries for as long as the lock is ours: nobody else can take the runtime meanwhile. */
  async #take(): Promise<void> {
    if (this.#isStopping || this.#isHolding || !this.#lock?.isHeld()) return;
    try {
      await this.#takeOnce();
      this.#serving.isWell();
    } catch (error) {
      this.#serving.hasFailed(error);
      this.#options.log.warn({ err: error }, 'The runtime could not be taken over; trying again');
      setTimeout(() => void this.#switch(() => this.#take()), retakeMs).unref();
    }
  }

  async #takeOnce(): Promise<void> {
    const { runtime, db, replica } = this.#options;
    // Before it is taken: an engine that is taken over reports at once what happened while nobody drove it. It is written afterwards.
    const taken = Promise.withResolvers<void>();
    this.#events = this.#events.then(() => taken.promise);
    const stopListening = runtime.onEvent((event) => this.#onEvent(event));
    try {
      const { isTakenOver } = await runtime.acquire();
      const capabilities = await claimRuntime({ db, runtime, replica, isTakenOver, isAfterLoss: this.#hasLost });
      const { restoreMs = defaultRestoreMs } = this.#options.timings ?? {};
      // What this replica kept running has been served all the time.
      if (!this.#isKept) this.#serving.awaits((await servingBefore(db)).map(nameOf), restoreMs);
      await this.#tasks.start(capabilities, { isTakenOver });
      this.#engine = capabilities;
    } catch (error) {
      stopListening();
      throw error;
    } finally {
      taken.resolve();
    }
    this.#stopListening = stopListening;
    this.#begin();
  }

  #begin(): void {
    this.#hasLost = false;
    this.#isHolding = true;
    this.#convergence.begin({ isKept: this.#isKept });
    this.#isKept = false;
    const { fullPassMs = defaultFullPassMs } = this.#options.timings ?? {};
    this.#timer = setInterval(() => this.#nudge({ isFull: true }), fullPassMs);
    this.#nudge();
  }

  /** Nothing that it ran is left: the lock stays ours, and everything is made anew. */
  async #retake(): Promise<void> {
    // What was kept is gone; whoever has the lock next begins anew.
    this.#isKept = false;
    if (!this.#isHolding) return;
    this.#hasLost = true;
    this.#letGo();
    this.#serving.isLost();
    await this.#take();
  }

  /**
   * The session that held the lock is lost, most often since the database is away. What runs needs neither: it goes on as it is, and
   * nothing is changed, until the lock is ours again or somebody else's. No other can act meanwhile: what runs keeps its own lock.
   */
  #pause(): void {
    if (!this.#isHolding) return;
    this.#letGo();
    this.#isKept = true;
  }

  /** Another replica drives the runtime, or is about to: it waits for what this one still runs. */
  #yield(): void {
    this.#serving.isWell();
    void this.#switch(async () => {
      if (!this.#isKept) return;
      this.#isKept = false;
      await this.#options.runtime.release();
    });
  }

  #letGo(): void {
    this.#isHolding = false;
    clearInterval(this.#timer);
    this.#tasks.stop();
    this.#stopListening?.();
  }

  async #drop(isKept: boolean): Promise<void> {
    const wasHolding = this.#isHolding || this.#isKept;
    this.#isKept = false;
    this.#letGo();
    this.#serving.begins();
    const { runtime, db, replica } = this.#options;
    // At once: another replica may have the lock already, and a pass may wait for a database that is away.
    await (isKept ? runtime.leave() : runtime.release());
    await this.#passing;
    if (!wasHolding) return;
    await leaveLeader(db, runtime.kind, replica).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'The next leader of the runtime does not know that this one has left'),
    );
  }

  #hear(payload: string): void {
    const { kind } = JSON.parse(payload) as ChangeHint;
    if (concerning.has(kind)) this.#nudge();
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    if (!this.#isHolding) return;
    try {
      await work();
    } catch (error) {
      this.#warn(error, {}, 'The runtime could not be followed; trying again');
    }
  }

  /** What is under way when this replica lets go of the runtime is refused, as it should be. */
  #warn(error: unknown, about: object, text: string): void {
    if (this.#isHolding) this.#options.log.warn({ ...about, err: error }, text);
  }

  /** Runs a pass, and one more when something was said meanwhile. */
  #nudge({ isFull = false } = {}): void {
    if (!this.#isHolding) return;
    this.#isDirty = true;
    this.#isFullDue ||= isFull;
    this.#passing ??= this.#run().finally(() => {
      this.#passing = undefined;
      if (this.#isDirty) this.#nudge();
    });
  }

  async #run(): Promise<void> {
    while (this.#isDirty && this.#isHolding) {
      const isFull = this.#isFullDue;
      this.#isDirty = false;
      this.#isFullDue = false;
      await this.#quietly(async () => {
        try {
          this.#serving.passed((await this.#convergence.pass({ engine: this.#engine, isFull })).unserved);
        } catch (error) {
          if (this.#isHolding) this.#serving.passFailed();
          throw error;
        }
      });
    }
  }

  #onEvent(event: InstanceEvent): void {
    this.#nudge();
    if (event.type === 'bookmarked') return;
    // One after another: the newest event is the one that explains.
    this.#events = this.#events.then(() => this.#quietly(() => writeEvent(this.#options.db, event.revisionId, event)));
  }
}
