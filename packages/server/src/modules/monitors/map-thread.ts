/** Translates stack frames in a worker thread, one request after the other. The thread is replaced if a map takes too long. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StackFrame } from '@slipway/contract/monitoring/readings.ts';
import { Problem } from '#kernel/problem.ts';
import type { Frame } from './payload.ts';

export interface AskedFrame {
  readonly frame: Frame;
  /** Name of the file whose map translates the frame. */
  readonly map: string;
}

const DEADLINE_MS = 10_000;
const MAX_WAITING = 8;
const MEMORY_MEGABYTES = 512;

let thread: Worker | undefined;
let waiting = 0;
let turn: Promise<unknown> = Promise.resolve();

const start = (): Worker => {
  const worker = new Worker(new URL('./map-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MEGABYTES } });
  worker.unref();
  // An error may follow the deadline of its request, for example if the map is too large for the thread.
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
};

const ask = async (asked: readonly AskedFrame[], maps: ReadonlyMap<string, Uint8Array>): Promise<StackFrame[] | undefined> => {
  const worker = (thread ??= start());
  try {
    const answer = once(worker, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) });
    worker.postMessage({ asked, maps });
    return ((await answer) as [StackFrame[]])[0];
  } catch {
    thread = undefined;
    void worker.terminate();
    return undefined;
  }
};

/**
 * Loads the maps when it is this request's turn, so that those of one request are in memory at a time. Returns undefined if the maps cannot be
 * read in time.
 */
export const translateFrames = (
  asked: readonly AskedFrame[],
  load: () => Promise<ReadonlyMap<string, Uint8Array>>,
): Promise<StackFrame[] | undefined> => {
  if (waiting >= MAX_WAITING) throw new Problem('TooManyRequests', { context: { seconds: '5' } });
  waiting += 1;
  const result = turn.then(async () => ask(asked, await load())).finally(() => (waiting -= 1));
  turn = result.catch(() => undefined);
  return result;
};
