/** Client keys: what an SDK names to get the flags of one environment. A key is no secret; it only selects flags. */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { changesOf, resource, synchronous } from '../resource.ts';
import { OverlapHours } from '../registry/robot-account.ts';
import { flagNameCodes, flagTag } from './flag.ts';
import { FlagName } from './flag-rule.ts';
import { flagKeyKind } from '../kinds/flag.kind.ts';

export const maxFlagKeys = 20;
/** PLAIN: rules as JSON. ENCRYPTED: rules encrypted for clients that know `decryptionKey`. REMOTE: the server evaluates, no rule leaves it. */
export const flagKeyModes = ['PLAIN', 'ENCRYPTED', 'REMOTE'] as const;
export const FlagKey = z.object({
  name: z.string(),
  app: z.string(),
  environment: Environment,
  mode: z.enum(flagKeyModes),
  clientKey: z.string(),
  /** For the SDK's option of the same name. Null unless the mode is ENCRYPTED. */
  decryptionKey: z.nullable(z.string()),
  /** Until when the key before the last rotation works. */
  previousEndsAt: z.nullable(Instant),
  /** To within a minute. */
  lastRequestedAt: z.nullable(Instant),
  createdAt: Instant,
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  /** Verbs: update, delete, rotate. */
  can: Can,
});
export type FlagKey = z.infer<typeof FlagKey>;
const form = { mode: z._default(z.enum(flagKeyModes), 'PLAIN') };
export const FlagKeyCreate = z.object({ name: FlagName, ...form });
export const FlagKeyUpdate = changesOf(form);

const access = 'appMemberHidden';
const base = '/api/v1/apps/{app}/{env}/flag-keys';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const made = resource({
  kind: flagKeyKind,
  tag: flagTag,
  path: base,
  name: 'key',
  view: FlagKey,
  create: FlagKeyCreate,
  update: FlagKeyUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above,
    missing: 'FlagKeyDoesNotExist',
    taken: 'FlagKeyAlreadyExists',
    form: [...flagNameCodes, 'FlagLimitReached'],
    kept: [],
  },
  summaries: { remove: 'Delete a client key; its clients keep the flags they have' },
});
export const flagKeyResource = {
  ...made,
  create: synchronous(made.create, FlagKey),
  update: synchronous(made.update, FlagKey),
  remove: synchronous(made.remove),
} as const;
export const {
  list: flagKeyList,
  view: flagKeyView,
  create: flagKeyCreate,
  update: flagKeyUpdate,
  remove: flagKeyDelete,
} = flagKeyResource;
export const flagKeyRotate = route({
  id: 'flagKeyRotate',
  method: 'POST',
  path: `${base}/{key}/rotations`,
  summary: 'Issue a new client key; the previous one works for the hours that the body names',
  tag: flagTag,
  access,
  body: z.object({ overlapHours: OverlapHours }),
  response: FlagKey,
  status: 201,
  codes: [...above, 'FlagKeyDoesNotExist', 'NotANumber', 'InvalidValue'],
});
