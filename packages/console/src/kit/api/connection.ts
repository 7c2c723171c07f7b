/** Whether live changes arrive. Drives the dot in the shell and decides whether queries poll. */
import { createStore, useStore } from '#kit/state/store.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since`: when the stream was last live, milliseconds since 1970. */
  | { readonly state: 'reconnecting'; readonly since: number };

/** After this long without the stream, the screen shows "stale since". */
export const staleAfterMs = 15_000;

export const connection = createStore<Connection>({ state: 'connecting' });
export const useConnection = (): Connection => useStore(connection);
