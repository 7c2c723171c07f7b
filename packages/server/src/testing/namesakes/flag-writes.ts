/** Writes of feature flags below an environment. A flag itself belongs to the app; its settings and the client keys to an environment. */
import { flagCreate, flagPreview, flagSettingsUpdate, flagVersionRestore } from '@slipway/contract/flag/flag.ts';
import { flagKeyCreate, flagKeyDelete, flagKeyRotate, flagKeyUpdate } from '@slipway/contract/flag/flag-key.ts';
import type { Write } from './write.ts';

const flag = { flag: 'notes' };
const key = { key: 'web' };
const namesake = { isInNamesakes: true } as const;
const made = async ({ app }: Parameters<NonNullable<Write['before']>>[0], place: Parameters<NonNullable<Write['before']>>[1]) =>
  app.call('member', flagCreate, { params: { ...place }, body: { name: 'notes' } });

export const flagWrites: readonly Write[] = [
  { route: flagSettingsUpdate, ...namesake, before: made, request: { params: flag, body: { basedOn: 1, value: true } } },
  { route: flagPreview, request: { params: flag, body: { attributes: {} } } },
  { route: flagVersionRestore, request: { params: { ...flag, version: '1' }, body: { basedOn: 2 } } },
  { route: flagKeyCreate, ...namesake, request: { body: { name: 'web' } } },
  { route: flagKeyUpdate, request: { params: key, body: { mode: 'ENCRYPTED' } } },
  { route: flagKeyRotate, request: { params: key, body: { overlapHours: 24 } } },
  { route: flagKeyDelete, request: { params: key } },
];
