/** Deliveries to addresses that users name: states, failures and what a log keeps of a try. Webhooks and notifications share them. */
import * as z from 'zod/mini';
import { Instant } from './fields.ts';

export const deliveryStates = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why a try got no 2xx response. */
export const deliveryFailures = {
  STATUS: 'The target answered {status}',
  REDIRECTED: 'The target answered with a redirect, which is not followed',
  REFUSED_ADDRESS: 'The target leads to an inside address. An administrator can allow it.',
  REFUSED_TARGET: 'The target is no address that may be called',
  NAME_NOT_FOUND: 'The name of the target is not known',
  NOT_REACHED: 'The target could not be reached',
  CERTIFICATE: 'The certificate of the target is not trusted',
  TIMEOUT: 'No answer in {seconds} s',
  BROKEN_ANSWER: 'The answer of the target is no HTTP, or broke off',
} as const;
export type DeliveryFailure = keyof typeof deliveryFailures;
export const DeliveryFailureCode = z.enum([
  'STATUS',
  'REDIRECTED',
  'REFUSED_ADDRESS',
  'REFUSED_TARGET',
  'NAME_NOT_FOUND',
  'NOT_REACHED',
  'CERTIFICATE',
  'TIMEOUT',
  'BROKEN_ANSWER',
]);

/** http or https with a host, without user name or fragment. The server validates the rest of the URL. */
const target = /^https?:\/\/[^\s\\/?#@]+(?:[/?][^\s#]*)?$/i;
export const TargetUrl = z
  .string({ error: 'Required' })
  .check(
    z.trim(),
    z.minLength(1, { error: 'Required', abort: true }),
    z.maxLength(2000, { error: 'ExceedsMaximumLength', abort: true }),
    z.regex(target, { error: 'WebhookTargetInvalid' }),
  );

/** Progress of a delivery. */
export const deliveryProgress = {
  tries: z.number(),
  maxTries: z.number(),
  nextTryAt: z.nullable(Instant),
  /** Status of the last attempt. Null before the first. */
  status: z.nullable(z.number()),
};

export const DeliveryHeader = z.object({ name: z.string(), value: z.string() });
export type DeliveryHeader = z.infer<typeof DeliveryHeader>;
/** In milliseconds. Null for phases that did not happen. */
export const DeliveryTimings = z.object({
  lookup: z.nullable(z.number()),
  connect: z.nullable(z.number()),
  tls: z.nullable(z.number()),
  firstByte: z.nullable(z.number()),
  total: z.number(),
});
export type DeliveryTimings = z.infer<typeof DeliveryTimings>;
