/**
 * Drives the runtime: the replica that holds the lock reconciles running instances with the desired state in the database
 * (level-triggered) and records the engine's events. When the leader dies, another replica takes over (decision record 24).
 */
import type { ChangeHint } from '@slipway/contract/hint.ts';
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
import { leaderServing, leaveLeader, RUNTIME_LOCK } from './leader.sql.ts';
import { writeEvent } from './observed.sql.ts';
import type { SecretsOptions } from './open-secrets.ts';
import { Serving } from './serving.ts';
import { servingBefore } from './wanted.sql.ts';

export interface ReconcilerOptions extends SecretsOptions {
  readonly connection: DatabaseConfig;
  readonly runtime: Runtime;
  /** Lock shared by the replicas on this machine; see `holdLock`. */
  readonly fence?: (() => DirectoryLock | undefined) | undefined;
  /** Names this replica in the activity log. */
  readonly replica: string;
  readonly log: Log;
  /** Shortened in tests. */
  readonly timings?: Partial<ReconcilerTimings>;
}
export interface ReconcilerTimings extends TaskTimings {
  /** Interval of full passes, which run without any hint and also resend unchanged state. */
  readonly fullPassMs: number;
  /** How long readiness waits for services that were serving before a restart. */
  readonly restoreMs: number;
}

const defaultFullPassMs = 5000;
const defaultRestoreMs = 60_000;
/** Delay between attempts to acquire the runtime while another holder shuts down or the port is in use. */
const retakeMs = 1000;
/** Kinds whose changes affect the desired state. Most hints report pipeline progress, which does not. */
const concerning: ReadonlySet<string> = new Set(['app', 'service', 'revision']);

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #lock: LockHolder | undefined;
  #listener: Listener | undefined;
  #isStopping = false;
  /** True while this replica holds the runtime, the database records it as leader, and passes run. */
  #isHolding = false;
  #hasLost = false;
  /** True while the instances keep running but this replica does not drive them. */
  #isKept = false;
  readonly #serving = new Serving();
  #isDirty = false;
  #isFullDue = false;
  #passing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #tasks: LeaderTasks;
  /** Assumes the fewest capabilities until the engine reports its own. */
  #engine: Pick<RuntimeCapabilities, 'isNetworkIsolated'> = { isNetworkIsolated: false };
  #stopListening: (() => void) | undefined;
  readonly #convergence: Convergence;
  #changing: Promise<void> = Promise.resolve();
  #events: Promise<void> = Promise.resolve();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#tasks = new LeaderTasks({ ...options, serving: () => this.#serving.check });
    this.#convergence = new Convergence({
      ...options,
      warn: (error, about, text) => this.#warn(error, about, text),
      onChanged: () => this.#nudge(),
    });
  }

  async start(): Promise<void> {
    const { connection, fence, log, runtime } = this.#options;
    // Subscribe first, so that a runtime lost during acquisition is acquired again.
    runtime.onLost(() => void this.#switch(() => this.#retake()));
    this.#listener = await listen(connection, CHANGE_CHANNEL, (payload) => this.#hear(payload), { onReconnect: () => this.#nudge(), log });
    this.#lock = holdLock(connection, RUNTIME_LOCK, {
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

  /** Stops all instances, then releases the lock. With `isKept` the instances keep running for the next leader. */
  async stop({ isKept = false } = {}): Promise<void> {
    this.#isStopping = true;
    await this.#listener?.stop();
    await this.#switch(() => this.#drop(isKept));
    await this.#lock?.stop();
  }

  /** Returns why services of this replica are not served, or undefined. With `isPatient` it waits until the reason is known. */
  async diagnosis(isPatient = false): Promise<string | undefined> {
    if (isPatient) await this.#serving.known;
    if (!this.#isHolding) return this.#serving.diagnosis;
    return this.#options.runtime.list().then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  /** Returns the result of the services check in `/readyz`. */
  async check(): Promise<string> {
    const diagnosis = await this.diagnosis();
    if (diagnosis !== undefined) return diagnosis;
    if (this.#isHolding) return this.#serving.check;
    if (this.#isKept) return 'ok';
    const { db, runtime } = this.#options;
    // While the database is away, its own check says so.
    return this.#serving.elsewhere(await leaderServing(db, runtime.kind).catch(() => undefined));
  }

  get served(): LeaderTasks['served'] {
    return this.#tasks.served;
  }

  get passes(): Serving['passes'] {
    return this.#serving.passes;
  }

  /** Serializes acquiring and releasing the runtime. */
  #switch(work: () => Promise<void>): Promise<void> {
    this.#changing = this.#changing
      .then(work)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'The runtime could not change hands'));
    return this.#changing;
  }

  /** Acquires the runtime, and retries as long as this replica holds the lock: no other replica can acquire it meanwhile. */
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
    // Subscribe before acquiring: an engine that is taken over immediately reports the events it missed. They are written after.
    const taken = Promise.withResolvers<void>();
    this.#events = this.#events.then(() => taken.promise);
    const stopListening = runtime.onEvent((event) => this.#onEvent(event));
    try {
      const { isTakenOver } = await runtime.acquire();
      const { restoreMs = defaultRestoreMs } = this.#options.timings ?? {};
      // Instances that this replica kept running never stopped serving.
      if (!this.#isKept) this.#serving.awaits((await servingBefore(db)).map(nameOf), restoreMs);
      // Other replicas stay ready while services run on.
      const serving = isTakenOver ? 'ok' : this.#serving.check;
      const capabilities = await claimRuntime({ db, runtime, replica, isTakenOver, isAfterLoss: this.#hasLost, serving });
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

  /** Acquires the runtime again after all of its instances were lost, and starts them again. This replica keeps the lock. */
  async #retake(): Promise<void> {
    // The kept instances are gone; the next lock holder starts from scratch.
    this.#isKept = false;
    if (!this.#isHolding) return;
    this.#hasLost = true;
    this.#letGo();
    this.#serving.isLost();
    await this.#take();
  }

  /**
   * Pauses when the session that held the lock is lost, usually because the database is unavailable. Instances keep running
   * unchanged until this or another replica acquires the lock. The runtime has a lock of its own, so no other replica can act.
   */
  #pause(): void {
    if (!this.#isHolding) return;
    this.#letGo();
    this.#isKept = true;
  }

  /** Releases kept instances because another replica has taken the lock and waits for them to stop. */
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
    // Do not wait for the pass: another replica may already hold the lock, and the pass may be blocked on an unavailable database.
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

  /** Logs a warning only while holding the runtime: after a release, in-flight work is expected to fail. */
  #warn(error: unknown, about: object, text: string): void {
    if (this.#isHolding) this.#options.log.warn({ ...about, err: error }, text);
  }

  /** Starts a pass, or schedules another one if a pass is running. */
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
          if (this.#isHolding) this.#serving.passFailed(error);
          throw error;
        }
      });
    }
  }

  #onEvent(event: InstanceEvent): void {
    this.#nudge();
    if (event.type === 'bookmarked') return;
    // Write events in order, so that the newest one is stored last.
    this.#events = this.#events.then(() => this.#quietly(() => writeEvent(this.#options.db, event.revisionId, event)));
  }
}
