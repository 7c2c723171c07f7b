/** The keys that wrap every secret at rest: the current key and key rotation. For administrators only. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';

export const KeyRotation = z.object({
  state: z.enum(['RUNNING', 'COMPLETED', 'FAILED']),
  /** The key that wraps everything once the rotation is done. */
  kid: z.string(),
  /** Wrapped data keys: total to rewrap, and those done. */
  total: z.number(),
  done: z.number(),
  /** Data keys that could not be opened. They stay wrapped with their old key and need manual repair. */
  failed: z.number(),
  startedAt: Instant,
  startedBy: z.object({ id: z.string(), displayName: z.string() }),
  finishedAt: z.nullable(Instant),
});
export type KeyRotation = z.infer<typeof KeyRotation>;

export const KeyStatus = z.object({
  kind: z.enum(['file', 'vault', 'kms']),
  currentKid: z.string(),
  /** Number of data keys that each key wraps. An old key can be removed when it wraps none and no remaining backup needs it. */
  kids: z.array(z.object({ kid: z.string(), wraps: z.number(), isCurrent: z.boolean() })),
  /** The latest rotation, or null if there was none. */
  rotation: z.nullable(KeyRotation),
});
export type KeyStatus = z.infer<typeof KeyStatus>;

const tag = 'Keys';
const access = 'administrator';
export const keyStatusView = route('keyStatusView', 'GET /api/v1/keys', {
  summary: 'Which key wraps what, and how far a rotation is',
  tag,
  access,
  response: KeyStatus,
  codes: ['NotAnAdministrator'],
});
export const keyRotationCreate = route('keyRotationCreate', 'POST /api/v1/keys/rotations', {
  summary: 'Make a new key and wrap everything with it, while everything goes on',
  tag,
  access,
  response: KeyStatus,
  status: 202,
  codes: ['NotAnAdministrator', 'KeyRotationRunning'],
});
