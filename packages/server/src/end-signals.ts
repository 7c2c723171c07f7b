/**
 * Ends the program on a signal and, under npm, when npm ends. npm forwards neither SIGHUP nor a kill -9 of itself, and a server that
 * outlives npm would block the next start.
 */
import { constants } from 'node:os';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const SIGNALS: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MS = 500;

/** During the start, nothing needs an orderly shutdown. */
let end = (signal: EndSignal): void => process.exit(128 + constants.signals[signal]);

/** Replaces the signal handler. */
export const onEnd = (next: (signal: EndSignal) => void): void => {
  end = next;
};

/**
 * Handles signals from the start: the first process of a container ignores signals without a handler. Ignores output errors, so that a
 * closed terminal does not interrupt the shutdown.
 */
export const watchEndSignals = (): void => {
  for (const signal of SIGNALS) process.on(signal, () => end(signal));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    end('SIGTERM');
  }, LOOK_MS);
  looking.unref();
};
