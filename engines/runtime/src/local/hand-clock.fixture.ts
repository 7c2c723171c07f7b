/** A manual clock for tests. */
import type { SliceClock } from './log/output-limit.ts';

export interface HandClock extends SliceClock {
  turn(ms: number): void;
}

export function handClock(): HandClock {
  let time = 0;
  const due = new Set<{ readonly at: number; readonly ring: () => void }>();
  return {
    now: () => time,
    after(ms, ring) {
      const entry = { at: time + ms, ring };
      due.add(entry);
      return () => due.delete(entry);
    },
    turn(ms) {
      time += ms;
      for (const entry of due) {
        if (entry.at > time) continue;
        due.delete(entry);
        entry.ring();
      }
    },
  };
}
