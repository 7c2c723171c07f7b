/** Timers with a manual clock for tests. */
import type { Timers } from './timers.ts';

export interface ManualTime extends Timers {
  now(): number;
  /** Runs due timers in order, including timers that they start. */
  pass(ms: number): void;
  readonly size: number;
}

export const manualTime = (): ManualTime => {
  const planned = new Map<number, { readonly at: number; readonly run: () => void }>();
  let time = 1_000_000;
  let last = 0;
  return {
    now: () => time,
    get size() {
      return planned.size;
    },
    after(ms, run) {
      last += 1;
      const id = last;
      planned.set(id, { at: time + ms, run });
      return () => void planned.delete(id);
    },
    pass(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = [...planned].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
        if (next === undefined) break;
        const [id, { at, run }] = next;
        planned.delete(id);
        time = at;
        run();
      }
      time = end;
    },
  };
};
