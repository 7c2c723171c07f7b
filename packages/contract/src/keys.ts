/** The keys that wrap every secret at rest: which one is current, and its rotation. For administrators. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';

export const KeyRotation = z.object({
  state: z.enum(['RUNNING', 'COMPLETED', 'FAILED']),
  /** The key that everything is wrapped with when it is done. */
  kid: z.string(),
  /** Wrapped data keys: how many there were to do, and how many are done. */
  total: z.number(),
  done: z.number(),
  /** Those that could not be opened: they stay wrapped with their old key, and need a person. */
  failed: z.number(),
  startedAt: Instant,
  startedBy: z.object({ id: z.string(), displayName: z.string() }),
  finishedAt: z.nullable(Instant),
});
export type KeyRotation = z.infer<typeof KeyRotation>;

export const KeyStatus = z.object({
  kind: z.enum(['file', 'vault', 'kms']),
  currentKid: z.string(),
  /** How many data keys each key wraps. An old key may go when it wraps nothing, and no backup is left that needs it. */
  kids: z.array(z.object({ kid: z.string(), wraps: z.number(), isCurrent: z.boolean() })),
  /** The latest one; null when there never was any. */
  rotation: z.nullable(KeyRotation),
});
export type KeyStatus = z.infer<typeof KeyStatus>;

const tag = 'Keys';
const access = 'administrator';
export const keyStatusView = route({
  id: 'keyStatusView',
  method: 'GET',
  path: '/api/v1/keys',
  summary: 'Which key wraps what, and how far a rotation is',
  tag,
  access,
  response: KeyStatus,
  codes: ['NotAnAdministrator'],
});
export const keyRotationCreate = route({
  id: 'keyRotationCreate',
  method: 'POST',
  path: '/api/v1/keys/rotations',
  summary: 'Make a new key and wrap everything with it, while everything goes on',
  tag,
  access,
  response: KeyStatus,
  status: 202,
  codes: ['NotAnAdministrator', 'KeyRotationRunning'],
});
