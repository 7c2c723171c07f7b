/**
 * Watches the rows of an entity: claims the due ones, observes them on their engines, and goes on at once while more are due. A row that
 * fails does not stop the others. An engine that is away delays only its own rows, and is asked at growing intervals.
 */
import type { Db } from '#db/database.ts';
import { chunksOf, eachByItself } from '#kernel/rows/unreadable.ts';
import { Rounds } from '#kernel/rounds.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import { claimDue, giveBack, type DueRows } from './claim-due.ts';

export interface WatchTimings extends Pick<DueRows, 'everyMs'> {
  /** Delay between two rounds, and before an engine that is away is asked again for the first time. */
  readonly tickMs: number;
}
export interface Watch<Row, Engine extends Extract<keyof Row, string>> extends DueRows, WatchTimings {
  /** Maximum number of rows per round. */
  readonly batch: number;
  /** Maximum number of rows that `observe` gets, all of the same engine. Defaults to `batch`. */
  readonly together?: number;
  /** Column with the name of the row's engine: its environment or region. */
  readonly engine: Engine;
  /** Observes rows and stores the results. It tries all of them, then throws the first error; if the engine is unavailable, at once. */
  readonly observe: (rows: readonly Row[], engine: Row[Engine], signal: AbortSignal) => Promise<unknown>;
  /** Other work of each round. */
  readonly also?: () => Promise<unknown>;
  /** Log message for a failed round. */
  readonly warning: string;
}

/** An engine that is away is asked after 1, 2 and 4 ticks, and from then on after each 4 ticks. */
const LONGEST_PAUSE_TICKS = 4;

interface Away {
  readonly pauseMs: number;
  readonly until: number;
}

/** The engine observed a row since its outage, so the next pause is a short one again. One broken row must not slow down the others. */
const answered: Away = { pauseMs: 0, until: 0 };

export const watchRows = <Row extends { readonly id: string }, Engine extends Extract<keyof Row, string>>(
  db: Db,
  log: Log,
  watch: Watch<Row, Engine>,
): Rounds => {
  const { tickMs, batch, together = batch, observe, also, warning } = watch;
  const aways = new Map<Row[Engine], Away>();

  /** Observes the claimed rows of one engine. Gives back the rows that were not tried. */
  const observeOn = async (engine: Row[Engine], rows: readonly Row[], signal: AbortSignal): Promise<void> => {
    const untried = new Set(rows);
    try {
      await eachByItself(chunksOf(rows, together), async (some) => {
        if (signal.aborted) return;
        let isAway = false;
        try {
          await observe(some, engine, signal);
          if (aways.has(engine)) aways.set(engine, answered);
        } catch (error) {
          isAway = isPortFailure(error, 'unavailable');
          throw error;
        } finally {
          // A single row that reports an outage counts as tried. Otherwise, it could hold up the others forever.
          if (!isAway || some.length === 1) for (const row of some) untried.delete(row);
        }
      });
      aways.delete(engine);
    } catch (error) {
      if (!isPortFailure(error, 'unavailable')) {
        aways.delete(engine);
        throw error;
      }
      const last = aways.get(engine);
      const pauseMs = Math.min(Math.max((last?.pauseMs ?? 0) * 2, tickMs), tickMs * LONGEST_PAUSE_TICKS);
      aways.set(engine, { pauseMs, until: performance.now() + pauseMs });
      // Logged once per outage. Readiness reports it, too.
      if (!last) log.warn({ err: error, engine }, warning);
    } finally {
      const ids = [...untried].map(({ id }) => id);
      await giveBack(db, watch, ids);
    }
  };
  const round = async (signal: AbortSignal): Promise<boolean> => {
    let isMore = false;
    const observeDue = async (): Promise<void> => {
      const away = [...aways].filter(([, { until }]) => until > performance.now()).map(([engine]) => String(engine));
      const rows = await claimDue<Row>(db, watch, { limit: batch, away });
      isMore = rows.length === batch;
      const byEngine = Map.groupBy(rows, (row) => row[watch.engine]);
      await eachByItself(byEngine, ([engine, some]) => observeOn(engine, some, signal));
    };
    await eachByItself(also ? [also, observeDue] : [observeDue], (work) => work());
    return isMore;
  };
  return new Rounds({ everyMs: tickMs, round, log, warning });
};
