/**
 * Parses settings files one after the other in a worker thread, so that no file blocks other requests. The thread starts with the first
 * file, and is replaced if a file takes too long.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { hasCode } from '#kernel/caught.ts';
import { Problem } from '#kernel/problem.ts';
import { invalid, type SettingsTree } from './yaml-tree.ts';

/** A file of the maximum length takes up to a second on a busy machine. The limit includes starting the thread. */
const DEADLINE_MS = 20_000;
export const MAX_WAITING = 16;
const RETRY_SECONDS = '5';

let thread: Worker | undefined;
let waiting = 0;
let turn: Promise<unknown> = Promise.resolve();

const start = (): Worker => {
  const worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.unref();
  return worker;
};

const unreadable = (reason: string): SettingsTree => ({ file: {}, lines: new Map(), errors: [invalid(1, reason)], steps: 0 });

const ask = async (text: string, deadlineMs: number): Promise<SettingsTree> => {
  const worker = (thread ??= start());
  try {
    const answer = once(worker, 'message', { signal: AbortSignal.timeout(deadlineMs) });
    worker.postMessage(text);
    return ((await answer) as [SettingsTree])[0];
  } catch (error) {
    thread = undefined;
    void worker.terminate();
    const isLate = error instanceof Error && error.name === 'AbortError';
    if (isLate || hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')) return unreadable('The file takes too long to read');
    throw error;
  }
};

export const readTree = async (text: string, deadlineMs = DEADLINE_MS): Promise<SettingsTree> => {
  if (waiting >= MAX_WAITING) throw new Problem('TooManyRequests', { context: { seconds: RETRY_SECONDS } });
  waiting += 1;
  const result = turn.then(() => ask(text, deadlineMs)).finally(() => (waiting -= 1));
  turn = result.catch(() => undefined);
  return result;
};
