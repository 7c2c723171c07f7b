/** State of the log toolbar: the number of lines that match a filter, counted as lines arrive, and whether lines wrap. */
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { matches, type LogFilter } from './log-filter.ts';
import type { LogLevel, LogLine } from './log-line.ts';
import type { LogStore } from './log-store.ts';
import { storedValue } from '#kit/state/stored.ts';
import { useStore } from '#kit/state/store.ts';

type Counted = (line: LogLine) => boolean;
const createCounter = (store: LogStore, isCounted: Counted): (() => number) => {
  let seen = 0;
  let count = 0;
  return () => {
    const { dropped, lines } = store;
    if (dropped + lines.length < seen) seen = count = 0;
    for (let index = Math.max(0, seen - dropped); index < lines.length; index += 1) {
      const line = lines[index];
      if (line && isCounted(line)) count += 1;
    }
    seen = dropped + lines.length;
    return count;
  };
};

const useCounter = (store: LogStore, isCounted: Counted): number => {
  const read = useMemo(() => createCounter(store, isCounted), [store, isCounted]);
  return useSyncExternalStore(store.subscribe, read);
};

const ofLevel: Readonly<Record<LogLevel, Counted>> = {
  info: ({ level }) => level === 'info',
  warn: ({ level }) => level === 'warn',
  error: ({ level }) => level === 'error',
};
export const useLogCount = (store: LogStore, level: LogLevel): number => useCounter(store, ofLevel[level]);

/** Counts matches. Keep the filter stable: a new object counts all lines again. */
export const useMatchCount = (store: LogStore, filter: LogFilter): number =>
  useCounter(
    store,
    useCallback((line: LogLine) => matches(line, filter), [filter]),
  );

const stored = storedValue<boolean | undefined>('log-wrap', (raw) => (typeof raw === 'boolean' ? raw : undefined));

/** Whether long lines wrap: one setting for all logs in this browser, on by default. */
export const useLogWrap = (): [isWrapped: boolean, set: (isWrapped: boolean) => void] => {
  const chosen = useStore(stored);
  return [chosen ?? true, stored.set];
};
