/** Restarts a child process that exits unexpectedly. The pause between restarts grows until the process stays up. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../ports/log.ts';

const PAUSE_FIRST_MS = 100;
const PAUSE_MOST_MS = 5000;
/** A process that ran this long counts as healthy, so the pause is reset. */
const STEADY_MS = 60_000;

export interface KeptProcess {
  /** Resolves with the exit reason when the process is gone. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}
export interface ProcessKeeper {
  /** Resolves when the process runs: immediately, or after the next start. Never resolves after stop(). */
  up(): Promise<void>;
  /** Stops the process, or a start in progress. */
  stop(): Promise<void>;
}

/** `what` is the name in the log: `The embedded PostgreSQL`. */
export function keepRunning(first: KeptProcess, launch: () => Promise<KeptProcess>, what: string, log: Log): ProcessKeeper {
  const stopping = new AbortController();
  let current: KeptProcess | undefined = first;
  let started = Promise.withResolvers<void>();
  started.resolve();
  let pauseMs = PAUSE_FIRST_MS;
  const pause = async (): Promise<void> => {
    await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, PAUSE_MOST_MS);
  };
  const watch = async (running: KeptProcess): Promise<void> => {
    const startedAt = performance.now();
    const detail = await running.exited;
    started = Promise.withResolvers();
    if (stopping.signal.aborted) return;
    log.error({ detail }, `${what} ended: starting it again`);
    if (performance.now() - startedAt > STEADY_MS) pauseMs = PAUSE_FIRST_MS;
    await pause();
  };
  const start = async (): Promise<void> => {
    try {
      current = await launch();
      started.resolve();
      log.warn({}, `${what} runs again`);
    } catch (error) {
      log.error({ err: error }, `${what} does not start: trying again`);
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
    // Stops a process whose start was in progress when stop() was called.
    await current?.stop();
  };
  return { stop, up: () => started.promise };
}
