/** Timers, injectable for tests. */
export type Cancel = () => void;
export interface Timers {
  after(ms: number, run: () => void): Cancel;
}

/** Longer timeouts would fire immediately. */
const LONGEST_MS = 2 ** 31 - 1;

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
