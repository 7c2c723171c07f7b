// A shared clock for all ticking texts: one timer for any number of texts, and none while there are none.
import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}

const subscribeNever = () => () => undefined;

/** Returns the current time as mapped by `read`, so that a text renders only when it changes. `isTicking` false stops the updates. */
export function useNow<Value extends string | number>(read: (now: number) => Value, isTicking = true): Value {
  return useSyncExternalStore(isTicking ? subscribe : subscribeNever, () => read(listeners.size > 0 ? now : Math.max(now, lastRead())));
}

// Before the timer runs, the snapshot must be stable within a render and still fresh for a text that mounts late.
function lastRead(): number {
  const current = Date.now();
  if (current - now >= TICK_MS) now = current;
  return now;
}
