/** Records every server's counters once a minute. All workers record; the first sample of a minute is kept. */
import type { Db } from '#db/database.ts';
import type { Databases } from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import { hasDatabases, thinOut, writeCounters } from './figures.sql.ts';

const EVERY_MS = 60_000;
const THIN_OUT_MS = 900_000;

export interface FiguresDeps {
  readonly db: Db;
  readonly databases: Databases;
  readonly log: Log;
}

export class FiguresRecorder {
  readonly #deps: FiguresDeps;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #isStopped = false;
  #thinnedAt = 0;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => void this.record(), EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  record(now = new Date()): Promise<void> {
    this.#working ??= this.#record(now).finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #record(now: Date): Promise<void> {
    const { db, databases, log } = this.#deps;
    for (const region of databases.regions) {
      try {
        // Does not start a server that has no databases.
        if (await hasDatabases(db, region)) await writeCounters(db, region, await databases.measure(region), now);
      } catch (error) {
        if (!this.#isStopped) log.warn({ err: error, region }, 'The databases could not be measured; trying again');
      }
    }
    if (now.getTime() - this.#thinnedAt < THIN_OUT_MS) return;
    await thinOut(db, now).catch((error: unknown) => log.warn({ err: error }, 'Figures of databases could not be thinned out'));
    this.#thinnedAt = now.getTime();
  }
}
