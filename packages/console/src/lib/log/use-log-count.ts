/** How many lines of a level a log holds, counted as they come. */
import { useMemo, useSyncExternalStore } from 'react';
import type { LogLevel } from './log-line.ts';
import type { LogStore } from './log-store.ts';

const createCounter = (store: LogStore, level: LogLevel): (() => number) => {
  let seen = 0;
  let count = 0;
  return () => {
    const { dropped, lines } = store;
    if (dropped + lines.length < seen) seen = count = 0;
    for (let index = Math.max(0, seen - dropped); index < lines.length; index += 1) if (lines[index]?.level === level) count += 1;
    seen = dropped + lines.length;
    return count;
  };
};

export const useLogCount = (store: LogStore, level: LogLevel): number => {
  const read = useMemo(() => createCounter(store, level), [store, level]);
  return useSyncExternalStore(store.subscribe, read);
};
