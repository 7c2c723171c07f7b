/** Needs of a person: conditions of the apps of their teams, most urgent first. An item disappears when its cause is gone. */
import * as z from 'zod/mini';
import { Environment, Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const needTypes = ['service.failing', 'secret.expiring', 'drift.found'] as const;
/** Days before its last day from which a secret is listed. */
export const needExpiryDays = 14;
export const mostNeeds = 50;

export const Need = z.object({
  type: z.enum(needTypes),
  app: z.string(),
  env: Environment,
  /** The service, the secret's key, or the topic or schema that differs. */
  name: z.string(),
  /** Failing: the revision. Expiring: the secret group. Drift: `topic` or `schema`. */
  detail: z.string(),
  /** When the condition was first seen. Null for a secret and in the first seconds of a condition. */
  since: z.nullable(Instant),
  /** Last day of a secret: `2026-12-01`. It may be over. */
  endsOn: z.nullable(z.string()),
  /** Page in the console. */
  path: z.string(),
});
export type Need = z.infer<typeof Need>;

export const needList = route({
  id: 'needList',
  method: 'GET',
  path: '/api/v1/me/needs',
  summary: 'What needs the caller: failing services, secrets that expire, and drift in the apps of their teams',
  description: `At most ${mostNeeds}, the most urgent first.`,
  tag: 'Notifications',
  access: 'signedIn',
  response: z.object({ content: z.array(Need), total: z.number() }),
  codes: [],
});
