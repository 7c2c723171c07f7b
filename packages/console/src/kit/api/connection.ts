/** Whether live changes arrive: what the dot in the shell says, and what decides about polling. */
import { createStore, useStore } from '#kit/state/store.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since`: when the last live moment was, milliseconds since 1970. */
  | { readonly state: 'reconnecting'; readonly since: number };

/** After that long without the stream the screen says "stale since". */
export const staleAfterMs = 15_000;

export const connection = createStore<Connection>({ state: 'connecting' });
export const useConnection = (): Connection => useStore(connection);
