/**
 * Webhooks of an app's registry project. Events are sent to a URL as signed JSON in Harbor's format; a log keeps every delivery with its
 * attempts. Headers and signature follow Standard Webhooks.
 */
import * as z from 'zod/mini';
import { DeliveryFailureCode, deliveryProgress, deliveryStates, DeliveryHeader, DeliveryTimings, TargetUrl } from '../kernel/delivery.ts';
import { After, Can, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { synchronous, changesOf, resource } from '../resource.ts';
import { OverlapHours } from './robot-account.ts';
import { registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { webhookKind } from '../kinds/webhook.kind.ts';

export const webhookEventTypes = [
  'PUSH_ARTIFACT',
  'PULL_ARTIFACT',
  'DELETE_ARTIFACT',
  'SCANNING_COMPLETED',
  'SCANNING_FAILED',
  'QUOTA_WARNING',
  'QUOTA_EXCEED',
  'TAG_RETENTION',
] as const;
export const WebhookEventType = z.enum(webhookEventTypes);
export type WebhookEventType = z.infer<typeof WebhookEventType>;
export const webhookEventLabels: Readonly<Record<WebhookEventType | 'TEST', string>> = {
  PUSH_ARTIFACT: 'Image pushed',
  PULL_ARTIFACT: 'Image pulled',
  DELETE_ARTIFACT: 'Image deleted',
  SCANNING_COMPLETED: 'Scan completed',
  SCANNING_FAILED: 'Scan failed',
  QUOTA_WARNING: 'Quota nearly full',
  QUOTA_EXCEED: 'Quota full',
  TAG_RETENTION: 'Retention rule applied',
  TEST: 'Test',
};
/** Seconds from each attempt to the next: eight attempts in about a day. */
export const webhookRetrySeconds = [10, 60, 300, 1800, 7200, 21_600, 54_000] as const;
/** How long deliveries are kept. */
export const webhookLogDays = 30;
export const maxWebhooks = 20;

const Person = z.object({ id: z.string(), displayName: z.string() });
export const Webhook = z.object({
  name: z.string(),
  description: z.string(),
  targetUrl: z.string(),
  eventTypes: z.array(WebhookEventType),
  /** Author and time of the authorization header. Null without a header. Its value is never returned. */
  authorization: z.nullable(z.object({ setAt: Instant, setBy: Person })),
  skipCertificateVerification: z.boolean(),
  enabled: z.boolean(),
  /** Why the platform disabled it: all deliveries failed for days, or the target answered 410. */
  disabledReason: z.nullable(z.enum(['FAILING', 'GONE'])),
  /** When the signing secret was created, and until when the previous one also signs. */
  signingSecret: z.object({ setAt: Instant, previousEndsAt: z.nullable(Instant) }),
  /** Counts of the last seven days. */
  deliveries: z.object({ delivered: z.number(), failed: z.number(), pending: z.number() }),
  lastDelivery: z.nullable(z.object({ at: Instant, state: z.enum(deliveryStates) })),
  createdAt: Instant,
  createdBy: Person,
  updatedAt: Instant,
  /** Verbs: update, delete, test. */
  can: Can,
});
export type Webhook = z.infer<typeof Webhook>;
/** The signing secret is returned once: `whsec_` and 32 bytes in base64. */
export const WebhookSecret = z.object({ name: z.string(), signingSecret: z.string(), previousEndsAt: z.nullable(Instant) });

const form = {
  description: z._default(z.string().check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' })), ''),
  targetUrl: TargetUrl,
  eventTypes: z
    .array(WebhookEventType, { error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(webhookEventTypes.length, { error: 'ExceedsMaximumLength' })),
  /** Value of the `Authorization` header, never returned. Omitted: unchanged; null: no header. */
  authorization: z.optional(
    z.nullable(
      z
        .string()
        .check(
          z.minLength(1, { error: 'Required', abort: true }),
          z.maxLength(4096, { error: 'ExceedsMaximumLength' }),
          z.regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, { error: 'AuthorizationInvalid' }),
        ),
    ),
  ),
  skipCertificateVerification: z._default(z.boolean(), false),
  enabled: z._default(z.boolean(), true),
};
export const WebhookCreate = z.object({
  name: z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      z.minLength(1, { error: 'Required', abort: true }),
      z.regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error: 'KebabCase' }),
      z.maxLength(63, { error: 'ExceedsMaximumLength' }),
    ),
  ...form,
});
export const WebhookUpdate = changesOf(form);

export const WebhookDelivery = z.object({
  /** The same in every attempt: the header `webhook-id`. */
  id: z.string(),
  event: z.enum([...webhookEventTypes, 'TEST']),
  state: z.enum(deliveryStates),
  createdAt: Instant,
  /** `{app}/{service}`, and tag or digest. Null for events about the whole project. */
  repository: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  /** The originator of the event; Harbor's `operator`. */
  operator: z.string(),
  ...deliveryProgress,
  failure: z.nullable(DeliveryFailureCode),
  durationMs: z.nullable(z.number()),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
export const WebhookTry = z.object({
  number: z.number(),
  at: Instant,
  status: z.nullable(z.number()),
  failure: z.nullable(DeliveryFailureCode),
  /** The contacted address. Null if no connection was attempted. */
  address: z.nullable(z.string()),
  /** At most six. */
  headers: z.array(DeliveryHeader),
  /** The first 512 bytes of the answer. */
  body: z.string(),
  isBodyCut: z.boolean(),
  /** When the target's certificate expires. */
  certificateUntil: z.nullable(Instant),
  timings: DeliveryTimings,
});
export type WebhookTry = z.infer<typeof WebhookTry>;
export const WebhookDeliveryDetails = z.extend(WebhookDelivery, {
  request: z.object({
    method: z.string(),
    url: z.string(),
    /** Headers of the last attempt, or of the first if it is still pending. Omits the value of Authorization. */
    headers: z.array(DeliveryHeader),
    body: z.string(),
    sizeBytes: z.number(),
  }),
  /** Newest first. */
  attempts: z.array(WebhookTry),
  /** Verbs: resend. */
  can: Can,
});
export type WebhookDeliveryDetails = z.infer<typeof WebhookDeliveryDetails>;
export const WebhookDeliveryPage = z.extend(pageOf(WebhookDelivery), { next: z.nullable(z.string()) });

const access = 'appMemberHidden';
const formCodes = [
  'Required',
  'KebabCase',
  'ExceedsMaximumLength',
  'InvalidValue',
  'WebhookTargetInvalid',
  'WebhookTargetInside',
  'AuthorizationInvalid',
] as const;
const made = resource({
  kind: webhookKind,
  tag: registryTag,
  path: `${registryPath}/webhooks`,
  name: 'webhook',
  view: Webhook,
  create: WebhookCreate,
  update: WebhookUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above: registryCodes,
    missing: 'WebhookDoesNotExist',
    taken: 'WebhookAlreadyExists',
    form: [...formCodes, 'TooManyWebhooks'],
    kept: [],
  },
  summaries: { create: 'Create a webhook; its signing secret is answered once', remove: 'Delete a webhook with its log' },
});
export const webhookResource = {
  ...made,
  create: { ...synchronous(made.create, z.extend(Webhook, { secret: z.string() })), isSecret: true },
  update: { ...synchronous(made.update, Webhook), isSecret: true },
  remove: synchronous(made.remove),
} as const;
export const {
  list: webhookList,
  view: webhookView,
  create: webhookCreate,
  update: webhookUpdate,
  remove: webhookDelete,
} = webhookResource;

const one = `${registryPath}/webhooks/{webhook}` as const;
const oneCodes = [...registryCodes, 'WebhookDoesNotExist'] as const;
const deliveryCodes = [...oneCodes, 'WebhookDeliveryDoesNotExist'] as const;
const route = routesIn({ tag: registryTag, access });
export const webhookTest = route('webhookTest', `POST ${one}/test`, {
  summary: 'Send a fixed body now; once a minute',
  response: z.object({ status: z.nullable(z.number()), failure: z.nullable(DeliveryFailureCode), durationMs: z.number() }),
  codes: [...oneCodes, 'WebhookTestTooSoon'],
});
export const webhookSecretRotate = route('webhookSecretRotate', `POST ${one}/signing-secret`, {
  summary: 'Make a new signing secret; the old one signs beside it for the hours that are asked',
  body: z.object({ overlapHours: OverlapHours }),
  response: WebhookSecret,
  status: 201,
  isSecret: true,
  codes: [...oneCodes, 'NotANumber', 'InvalidValue'],
});
export const webhookDeliveryList = route('webhookDeliveryList', `GET ${one}/deliveries`, {
  summary: 'The log of deliveries, the newest first',
  query: z.object({
    size: PageQuery.shape.size,
    after: After,
    state: z.optional(z.enum(deliveryStates)),
  }),
  response: WebhookDeliveryPage,
  codes: [...oneCodes, ...pageCodes],
});
export const webhookDeliveryView = route('webhookDeliveryView', `GET ${one}/deliveries/{delivery}`, {
  summary: 'One delivery: what was sent, and what each try was answered',
  response: WebhookDeliveryDetails,
  codes: deliveryCodes,
});
export const webhookDeliveryResend = route('webhookDeliveryResend', `POST ${one}/deliveries/{delivery}/resendings`, {
  summary: 'Send a delivery again, once, with the same id',
  response: WebhookDeliveryDetails,
  status: 202,
  codes: [...deliveryCodes, 'WebhookDisabled'],
});
