/** Records every server's counters once a minute. All workers record; the first sample of a minute is kept. */
import type { Db } from '#db/database.ts';
import { Rounds } from '#kernel/rounds.ts';
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
  readonly #rounds: Rounds;
  #thinnedAt = 0;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
    const warning = 'Figures of databases are held up; trying again';
    this.#rounds = new Rounds({ everyMs: EVERY_MS, round: (signal) => this.record(new Date(), signal), log: deps.log, warning });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async record(now: Date, signal?: AbortSignal): Promise<void> {
    const { db, databases, log } = this.#deps;
    for (const region of databases.regions) {
      try {
        // Does not start a server that has no databases.
        if (await hasDatabases(db, region)) await writeCounters(db, region, await databases.measure(region), now);
      } catch (error) {
        if (signal?.aborted !== true) log.warn({ err: error, region }, 'The databases could not be measured; trying again');
      }
    }
    if (now.getTime() - this.#thinnedAt < THIN_OUT_MS) return;
    await thinOut(db, now);
    this.#thinnedAt = now.getTime();
  }
}
