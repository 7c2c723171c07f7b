/** The error that belongs to the whole page. The shell shows it and clears it on every route change. */
import { createStore, useStore } from '#kit/state/store.ts';

export interface GlobalError {
  /** Increases with each error, so that a new error opens a new banner. */
  readonly number: number;
  readonly error: unknown;
  /** Key of the failed query; undefined for actions. When that query succeeds again, its error is cleared. */
  readonly source?: string | undefined;
}

const current = createStore<GlobalError | undefined>(undefined);

let count = 0;
export const reportError = (error: unknown, source?: string): void => {
  count += 1;
  current.set({ number: count, error, source });
};

/** Makes a handler whose errors the page shows. */
export const reporting =
  <Arguments extends unknown[]>(work: (...given: Arguments) => Promise<unknown>): ((...given: Arguments) => Promise<void>) =>
  async (...given) => {
    try {
      await work(...given);
    } catch (error) {
      reportError(error);
    }
  };

/** Clears the error of this source. Without a source, clears any error. */
export const clearError = (source?: string): void => {
  if (source === undefined || current.get()?.source === source) current.set(undefined);
};

/** Extra data that support needs with an error, such as the signed-in user. The shell fills it in. */
export const supportContext = createStore<Readonly<Record<string, unknown>>>({});

/** Whether the user is an administrator, who gets a link to the trace of an error. The shell fills it in. */
export const mayOpenTraces = createStore(false);

export const useGlobalError = (): GlobalError | undefined => useStore(current);
