/** Batches which flags the console used, with their values. Nothing is kept unless the monitoring of the console listens. */

/** Specification §9. */
const BATCH_MS = 2000;

type Usage = Readonly<Record<string, string>>;
let used: Record<string, string> = {};
let timer: ReturnType<typeof setTimeout> | undefined;
let listener: ((usage: Usage) => void) | undefined;

const schedule = (): void => {
  if (!listener || Object.keys(used).length === 0) return;
  timer ??= setTimeout(() => {
    const batch = used;
    [used, timer] = [{}, undefined];
    listener?.(batch);
  }, BATCH_MS);
};

/** The last value of each flag waits, at most one per flag. */
export const noteFlagUsage = (flag: string, value: unknown): void => {
  used[flag] = JSON.stringify(value) ?? '';
  schedule();
};

export const onFlagUsage = (report: (usage: Usage) => void): void => {
  listener = report;
  schedule();
};
