/** Periodic tasks of the runtime leader besides reconciliation: metrics, scaling and history. */
import type { Db } from '#db/database.ts';
import { eachByItself, UnreadableRows } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import type { Runtime, RuntimeCapabilities } from '#ports/runtime.ts';
import { Autoscaler } from './autoscaler.ts';
import { seenLeader } from './leader.sql.ts';
import { MetricsRecorder, type EdgeServed } from './metrics-recorder.ts';
import { FINE_SECONDS, thinOut } from './metrics.sql.ts';
import { writeEdgeStats, writeStats } from './observed.sql.ts';
import { idleServices, scaleDown } from './scaling.sql.ts';
import { Scraper } from './scraper.ts';
import { StatsWindow } from './stats-window.ts';
import { unreadableServices } from './unreadable-services.ts';

export interface TaskTimings {
  readonly heartbeatMs: number;
  readonly figuresMs: number;
  /** Scaling, history and scraping share one beat, on full multiples of it: points stand side by side without gaps. */
  readonly beatMs: number;
  readonly downWindowMs: number;
  readonly thinOutMs: number;
  readonly idleSweepMs: number;
}

export const taskTimings: TaskTimings = {
  heartbeatMs: 2000,
  figuresMs: 5000,
  beatMs: FINE_SECONDS * 1000,
  downWindowMs: 300_000,
  thinOutMs: 300_000,
  idleSweepMs: 3_600_000,
};

const EARLY_MS = 5;

export interface LeaderTasksOptions {
  readonly db: Db;
  readonly runtime: Runtime;
  readonly replica: string;
  /** The readiness of services, for the other replicas. */
  readonly serving: () => string;
  readonly log: Log;
  readonly timings?: Partial<TaskTimings>;
}

export class LeaderTasks {
  readonly #options: LeaderTasksOptions;
  readonly #timings: TaskTimings;
  readonly #use: StatsWindow;
  readonly served: EdgeServed = { requests: 0, errors5xx: 0 };
  readonly #stops: (() => void)[] = [];
  #isStopped = true;

  constructor(options: LeaderTasksOptions) {
    this.#options = options;
    this.#timings = { ...taskTimings, ...options.timings };
    this.#use = new StatsWindow(this.#timings.beatMs);
  }

  /** Starts fresh tasks for each acquisition, because state from an earlier runtime is no longer valid. */
  async start({ limits }: RuntimeCapabilities, { isTakenOver = false } = {}): Promise<void> {
    const { db, log, replica, runtime, serving } = this.#options;
    const { beatMs, downWindowMs, figuresMs, heartbeatMs, idleSweepMs, thinOutMs } = this.#timings;
    const autoscaler = new Autoscaler({ db, log, limits, settleSeconds: beatMs / 1000, downWindowMs });
    // Use the counts of the previous leader as a baseline, so that the first beat does not report them.
    const recorder = new MetricsRecorder(db, isTakenOver ? await runtime.edgeStats() : [], this.served);
    const scraper = new Scraper(this.#options);
    const unreadable = new UnreadableRows(db, 'settings', log);
    this.#isStopped = false;
    this.#every(heartbeatMs, () => seenLeader(db, runtime.kind, replica, serving()));
    this.#every(figuresMs, () => this.#figures());
    this.#onBeat(beatMs, (begin) => this.#record(recorder, begin));
    this.#onBeat(beatMs, () => autoscaler.tick(this.#use.averages(Date.now())));
    this.#onBeat(beatMs, () => scraper.tick());
    this.#onBeat(beatMs, async () => void (await unreadable.tell(await unreadableServices(db))));
    this.#every(thinOutMs, () => thinOut(db));
    this.#every(idleSweepMs, () => sweepIdle(db));
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  async #figures(): Promise<void> {
    const { runtime, db } = this.#options;
    const stats = await runtime.stats();
    this.#use.push(stats, Date.now());
    await writeStats(db, stats);
    await writeEdgeStats(db, await runtime.edgeStats());
  }

  async #record(recorder: MetricsRecorder, begin: Date): Promise<void> {
    const edge = await this.#options.runtime.edgeStats(this.#timings.beatMs / 1000);
    await recorder.record(begin, this.#use.averages(Date.now()), edge);
  }

  /** Skips a run while the previous run of the task is still in progress. */
  #quietly(task: () => Promise<void>): () => void {
    let isBusy = false;
    return () => {
      if (isBusy) return;
      isBusy = true;
      void task()
        .catch((error: unknown) => {
          // After a release, in-flight work is expected to fail.
          if (!this.#isStopped) this.#options.log.warn({ err: error }, 'The runtime could not be followed; trying again');
        })
        .finally(() => (isBusy = false));
    };
  }

  #every(ms: number, task: () => Promise<void>): void {
    const timer = setInterval(this.#quietly(task), ms);
    this.#stops.push(() => clearInterval(timer));
  }

  /** `begin` is when the beat began that is just over. */
  #onBeat(ms: number, task: (begin: Date) => Promise<void>): void {
    let timer: NodeJS.Timeout;
    let begin = 0;
    const run = this.#quietly(() => task(new Date(begin)));
    const wait = (): void => {
      const now = Date.now();
      // Timers may ring a moment before their time.
      begin = Math.floor((now + EARLY_MS) / ms) * ms;
      const ring = (): void => {
        run();
        wait();
      };
      timer = setTimeout(ring, begin + ms - now);
    };
    wait();
    this.#stops.push(() => clearTimeout(timer));
  }
}

export const sweepIdle = async (db: Db): Promise<void> => {
  await eachByItself(await idleServices(db), (idle) => scaleDown(db, idle));
};
