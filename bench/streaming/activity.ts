/** Measures the memory of a process, and its activity while it is idle, as Linux counts them. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processorMs } from '../compare/processor-time.ts';

const SAMPLE_MS = 50;
const SETTLE_MS = 5000;
const WATCH_MS = 20_000;

export interface Activity {
  readonly megabytes: number;
  /** Voluntary context switches of all threads, per second. */
  readonly wakeups: number;
  /** Handed to the disk, for each second. */
  readonly writtenBytes: number;
  readonly processorMs: number;
}

const numberOf = (file: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);

export const megabytesOf = (pid: number): number => numberOf(`/proc/${pid}/status`, 'VmRSS') / 1024;

const counted = (pid: number) => ({
  at: performance.now(),
  wakeups: readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + numberOf(`/proc/${pid}/task/${thread}/status`, 'voluntary_ctxt_switches'),
    0,
  ),
  writtenBytes: numberOf(`/proc/${pid}/io`, 'write_bytes'),
  processorMs: processorMs(pid),
});

export const idleActivity = async (pid: number): Promise<Activity> => {
  await delay(SETTLE_MS);
  const before = counted(pid);
  await delay(WATCH_MS);
  const after = counted(pid);
  const perSecond = (name: 'wakeups' | 'writtenBytes' | 'processorMs'): number =>
    ((after[name] - before[name]) / (after.at - before.at)) * 1000;
  return {
    megabytes: megabytesOf(pid),
    wakeups: perSecond('wakeups'),
    writtenBytes: perSecond('writtenBytes'),
    processorMs: perSecond('processorMs'),
  };
};

export interface Cost<Result> {
  readonly result: Result;
  readonly peakMegabytes: number;
  readonly processorMs: number;
}
/** Runs `work` and returns its result, the peak memory of the process meanwhile, and the processor time that the process used. */
export const costOf = async <Result>(pid: number, work: () => Promise<Result>): Promise<Cost<Result>> => {
  let peak = megabytesOf(pid);
  const sampling = setInterval(() => (peak = Math.max(peak, megabytesOf(pid))), SAMPLE_MS);
  const before = processorMs(pid);
  try {
    const result = await work();
    return { result, peakMegabytes: peak, processorMs: processorMs(pid) - before };
  } finally {
    clearInterval(sampling);
  }
};
