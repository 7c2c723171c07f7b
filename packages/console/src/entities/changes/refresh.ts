/** After a write: asks again for what the server's hint about it will name, without waiting for the hint. */
import type { ChangeHint } from '@slipway/contract/kernel/hint.ts';
import { mutate } from 'swr';
import { isConcerned } from './hints.ts';

export const refresh = (hint: ChangeHint): Promise<unknown> => mutate((key) => isConcerned(key, hint));
