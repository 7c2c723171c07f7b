/** The error that belongs to the whole page. The shell shows it and clears it on every route change. */
import { createStore, useStore } from '#kit/state/store.ts';

export interface GlobalError {
  /** Counts up, so that a new error opens a new banner. */
  readonly number: number;
  readonly error: unknown;
  /** What failed: a query's key, or nothing for an action. A query that succeeds again takes its error away. */
  readonly source?: string | undefined;
}

const current = createStore<GlobalError | undefined>(undefined);

let count = 0;
export const reportError = (error: unknown, source?: string): void => {
  count += 1;
  current.set({ number: count, error, source });
};

/** Without a source whatever is shown goes. */
export const clearError = (source?: string): void => {
  if (source === undefined || current.get()?.source === source) current.set(undefined);
};

/** What support needs beside an error, the signed-in person for instance; the shell fills it in. */
export const supportContext = createStore<Readonly<Record<string, unknown>>>({});

export const useGlobalError = (): GlobalError | undefined => useStore(current);
