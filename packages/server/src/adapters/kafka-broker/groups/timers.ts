/** What is to happen later. Given to those who wait, so that tests need not. */
export type Cancel = () => void;
export interface Timers {
  after(ms: number, run: () => void): Cancel;
}

/** Longer ones would run at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
