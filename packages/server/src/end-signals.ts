/**
 * Ends the program at a signal and, under npm, at the end of npm. npm passes on neither SIGHUP nor its own kill -9, and a
 * server that outlived npm would refuse the next start.
 */
import { constants } from 'node:os';

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const SIGNALS: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MS = 500;

/** During the start nothing needs to be closed in order. */
let end = (signal: EndSignal): void => process.exit(128 + constants.signals[signal]);

/** Replaces the reaction to a signal. */
export const onEnd = (next: (signal: EndSignal) => void): void => {
  end = next;
};

/**
 * Handles the signals from the first moment on: the first process of a container ignores signals without a handler. Errors of the output
 * are ignored, since a closed terminal must not break the end off.
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
