/** Keeps PostgreSQL running: one that ends unasked is started again, after a pause that grows while it does not stay up. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#ports/log.ts';
import type { PostgresProcess } from './embedded-process.ts';

const PAUSE_FIRST_MS = 100;
const PAUSE_MOST_MS = 5000;
/** Whoever ran so long did not end for the reason of the time before. */
const STEADY_MS = 60_000;

export interface PostgresKeeper {
  /** Ends PostgreSQL in order, or a start that is under way. */
  stop(): Promise<void>;
}

export function keepRunning(first: PostgresProcess, launch: () => Promise<PostgresProcess>, log: Log): PostgresKeeper {
  const stopping = new AbortController();
  let current: PostgresProcess | undefined = first;
  let pauseMs = PAUSE_FIRST_MS;
  const pause = async (): Promise<void> => {
    await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, PAUSE_MOST_MS);
  };
  const watch = async (running: PostgresProcess): Promise<void> => {
    const startedAt = performance.now();
    const detail = await running.exited;
    if (stopping.signal.aborted) return;
    log.error({ detail }, 'The embedded PostgreSQL ended: starting it again');
    if (performance.now() - startedAt > STEADY_MS) pauseMs = PAUSE_FIRST_MS;
    await pause();
  };
  const start = async (): Promise<void> => {
    try {
      current = await launch();
      log.warn({}, 'The embedded PostgreSQL runs again');
    } catch (error) {
      log.error({ err: error }, 'The embedded PostgreSQL does not start: trying again');
      await pause();
    }
  };
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (current) await watch(current);
      current = undefined;
      if (!stopping.signal.aborted) await start();
    }
  };
  const kept = keep();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await current?.stop();
    await kept;
    // A start that was under way when the end was asked for.
    await current?.stop();
  };
  return { stop };
}
