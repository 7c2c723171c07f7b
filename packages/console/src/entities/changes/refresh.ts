/** Which cached answers a change makes old, and asking for them again. */
import { answersOf, type ChangeHint } from '@slipway/contract/kernel/hint.ts';
import { mutate } from 'swr';
import type { QueryKey } from '#kit/api/query.ts';

const isQueryKey = (key: unknown): key is QueryKey => Array.isArray(key) && key.length === 3 && typeof key[0] === 'string';

/** By the kinds' declarations. A key is left alone only where both name the same kind of thing and the names differ. */
export const isConcerned = (key: unknown, hint: ChangeHint): boolean => {
  if (!isQueryKey(key)) return false;
  const [id, params] = key;
  if (!answersOf(hint).some((beginning) => id.startsWith(beginning))) return false;
  return Object.entries(hint).every(([name, value]) => params[name] === undefined || params[name] === value);
};

/** After a write: asks again for what the server's hint about it will name, without waiting for the hint. */
export const refresh = (hint: ChangeHint): Promise<unknown> => mutate((key) => isConcerned(key, hint));
