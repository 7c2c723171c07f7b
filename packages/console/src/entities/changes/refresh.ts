/** Finds the cached answers that a change invalidates, and revalidates them. */
import { answersOf, type ChangeHint } from '@slipway/contract/hint.ts';
import { mutate } from 'swr';
import type { QueryKey } from '#kit/api/query.ts';

const isQueryKey = (key: unknown): key is QueryKey => Array.isArray(key) && key.length === 3 && typeof key[0] === 'string';

/** Returns true if the hint affects the key's route by the kinds' declarations, and no name that both contain differs. */
export const isConcerned = (key: unknown, hint: ChangeHint): boolean => {
  if (!isQueryKey(key)) return false;
  const [id, params] = key;
  if (!answersOf(hint).some((beginning) => id.startsWith(beginning))) return false;
  return Object.entries(hint).every(([name, value]) => params[name] === undefined || params[name] === value);
};

/** Revalidates after a write what the server's hint will name, without waiting for the hint. */
export const refresh = (hint: ChangeHint): Promise<unknown> => mutate((key) => isConcerned(key, hint));
