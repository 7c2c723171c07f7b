/** Notifications: a person's preferences, a team's channels with their delivery log, and the outbox of the embedded mail adapter. */
import * as z from 'zod/mini';
import { DeliveryFailureCode, deliveryFailures, deliveryProgress, deliveryStates, TargetUrl } from '../kernel/delivery.ts';
import { fill } from '../kernel/errors.ts';
import { After, Can, DisplayName, Instant, PageQuery, pageCodes } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { cadences, channelCadences, isTopic } from './notice-types.ts';

const tag = 'Notifications';
/** Days that notices and deliveries are kept. */
export const noticeDays = 90;
/** Seconds from each try to the next: six tries in about 15 hours. */
export const notificationRetrySeconds = [60, 300, 1800, 7200, 43_200] as const;
export const maxChannels = 20;
/** UTC hour of the daily and weekly digest. The weekly digest is sent on Mondays. */
export const digestHour = 8;
const Topic = z.string().check(z.refine((name) => isTopic(name), { error: 'InvalidValue' }));

const route = routesIn({ tag, access: 'signedIn' });
const Preference = z.object({ topic: Topic, tray: z.boolean(), email: z.enum(cadences, { error: 'InvalidValue' }) });
export type Preference = z.infer<typeof Preference>;
export const NoticePreferences = z.object({
  /** The person's address. Null without an address: nothing is sent. */
  email: z.nullable(z.string()),
  topics: z.array(Preference),
});
export type NoticePreferences = z.infer<typeof NoticePreferences>;
export const noticePreferenceView = route('noticePreferenceView', 'GET /api/v1/me/notification-preferences', {
  summary: 'Which notifications reach you, and how',
  response: NoticePreferences,
  codes: [],
});
export const noticePreferenceUpdate = route('noticePreferenceUpdate', 'PUT /api/v1/me/notification-preferences', {
  summary: 'Choose which notifications reach you; topics that the body leaves out stay as they are',
  body: z.object({ topics: z.array(Preference, { error: 'Required' }).check(z.maxLength(50, { error: 'ExceedsMaximumLength' })) }),
  response: NoticePreferences,
  codes: ['Required', 'InvalidValue', 'ExceedsMaximumLength', 'AzureADUserHasNoEmail'],
});

export const channelKinds = ['EMAIL', 'WEBHOOK', 'SLACK', 'TEAMS'] as const;
export type ChannelKind = (typeof channelKinds)[number];
export const channelKindLabels: Readonly<Record<ChannelKind, string>> = {
  EMAIL: 'E-mail',
  WEBHOOK: 'Webhook',
  SLACK: 'Slack',
  TEAMS: 'Microsoft Teams',
};
/** Why a try of a notification failed. */
export const notificationFailures = {
  ...deliveryFailures,
  MAIL_REJECTED: 'The mail server rejected it',
  MAIL_UNAVAILABLE: 'The mail server could not be reached',
  NO_ADDRESS: 'The person has no e-mail address',
} as const;
export type NotificationFailure = keyof typeof notificationFailures;
const FailureCode = z.enum([...DeliveryFailureCode.options, 'MAIL_REJECTED', 'MAIL_UNAVAILABLE', 'NO_ADDRESS']);
export const notificationFailureText = (failure: NotificationFailure, status: number | null): string =>
  fill(notificationFailures[failure], { status: String(status ?? ''), seconds: '10' });

const emailAddress = /^[^\s@<>"(),:;\\[\]]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
/** Returns the code that says why the address does not suit the kind of channel. */
export const channelAddressIssue = (kind: ChannelKind, address: string): 'NotAnEmailAddress' | 'WebhookTargetInvalid' | undefined => {
  if (kind === 'EMAIL') return emailAddress.test(address) && address.length <= 254 ? undefined : 'NotAnEmailAddress';
  return TargetUrl.safeParse(address).success ? undefined : 'WebhookTargetInvalid';
};

const Cadences = z.record(Topic, z.enum(channelCadences, { error: 'InvalidValue' }));
export const NotificationChannel = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(channelKinds),
  /** An e-mail address, or a URL whose path is shortened, because it is a secret. */
  address: z.string(),
  /** Cadence of every topic that a channel can receive. */
  cadences: Cadences,
  /** Since when every try has failed. */
  failingSince: z.nullable(Instant),
  lastDelivery: z.nullable(
    z.object({ at: Instant, state: z.enum(deliveryStates), status: z.nullable(z.number()), failure: z.nullable(FailureCode) }),
  ),
  /** Deliveries that wait, and when the next one is tried. Counted up to 100. */
  waiting: z.number(),
  nextTryAt: z.nullable(Instant),
  /** Verbs: update, delete, test. */
  can: Can,
});
export type NotificationChannel = z.infer<typeof NotificationChannel>;

const name = DisplayName;
const address = z
  .string({ error: 'Required' })
  .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(2000, { error: 'ExceedsMaximumLength' }));
export const NotificationChannelCreate = z.object({ name, kind: z.enum(channelKinds, { error: 'InvalidValue' }), address });
export const NotificationChannelUpdate = z.object({
  name: z.optional(name),
  /** Omitted: unchanged. */
  address: z.optional(address),
  /** Topics that it leaves out stay as they are. */
  cadences: z.optional(Cadences),
});

const base = '/api/v1/teams/{team}/notification-channels';
const one = `${base}/{channel}` as const;
const ownerCodes = ['TeamDoesNotExist', 'NotAnOwner'] as const;
const oneCodes = [...ownerCodes, 'ChannelDoesNotExist'] as const;
const formCodes = [
  'Required',
  'InvalidValue',
  'ExceedsMaximumLength',
  'NotAnEmailAddress',
  'WebhookTargetInvalid',
  'WebhookTargetInside',
  'ChannelAlreadyExists',
] as const;
export const notificationChannelList = route('notificationChannelList', `GET ${base}`, {
  summary: "A team's notification channels with their state; at most 20",
  access: 'teamMember',
  response: z.array(NotificationChannel),
  codes: ['TeamDoesNotExist', 'NotAMember'],
});
export const notificationChannelCreate = route('notificationChannelCreate', `POST ${base}`, {
  summary: 'Add a channel; the signing secret of a webhook is answered once',
  access: 'teamOwner',
  body: NotificationChannelCreate,
  response: z.extend(NotificationChannel, { secret: z.nullable(z.string()) }),
  status: 201,
  isSecret: true,
  codes: [...ownerCodes, ...formCodes, 'TooManyChannels'],
});
export const notificationChannelUpdate = route('notificationChannelUpdate', `PUT ${one}`, {
  summary: 'Change name, address or events of a channel',
  access: 'teamOwner',
  body: NotificationChannelUpdate,
  response: NotificationChannel,
  isSecret: true,
  codes: [...oneCodes, ...formCodes],
});
export const notificationChannelDelete = route('notificationChannelDelete', `DELETE ${one}`, {
  summary: 'Delete a channel with its log',
  access: 'teamOwner',
  codes: oneCodes,
});
export const notificationChannelTest = route('notificationChannelTest', `POST ${one}/test`, {
  summary: 'Send one notification that is marked as a test now; once a minute',
  access: 'teamOwner',
  response: z.object({ status: z.nullable(z.number()), failure: z.nullable(FailureCode), durationMs: z.number() }),
  codes: [...oneCodes, 'WebhookTestTooSoon'],
});

export const NotificationDelivery = z.object({
  id: z.string(),
  channel: z.object({ id: z.string(), name: z.string(), kind: z.enum(channelKinds) }),
  /** The type of its notification, or DAILY, WEEKLY, TEST. */
  event: z.string(),
  title: z.string(),
  state: z.enum(deliveryStates),
  createdAt: Instant,
  ...deliveryProgress,
  failure: z.nullable(FailureCode),
  /** Start of the receiver's answer. */
  answer: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
});
export type NotificationDelivery = z.infer<typeof NotificationDelivery>;
export const NotificationDeliveryPage = z.object({ content: z.array(NotificationDelivery), next: z.nullable(z.string()) });
export const notificationDeliveryList = route('notificationDeliveryList', 'GET /api/v1/teams/{team}/notification-deliveries', {
  summary: "Deliveries to a team's channels, newest first",
  access: 'teamMember',
  query: z.object({ size: PageQuery.shape.size, after: After }),
  response: NotificationDeliveryPage,
  codes: ['TeamDoesNotExist', 'NotAMember', ...pageCodes],
});

export const OutboxMail = z.object({ id: z.string(), at: Instant, to: z.string(), subject: z.string(), body: z.string() });
export const mailOutboxList = route('mailOutboxList', 'GET /api/v1/platform/mail-outbox', {
  summary: 'E-mail that the embedded adapter kept instead of sending it, newest first',
  access: 'administratorHidden',
  query: z.object({ size: PageQuery.shape.size, after: After }),
  response: z.object({
    /** `smtp` if a mail server is configured. The outbox stays empty then. */
    mailer: z.enum(['embedded', 'smtp']),
    content: z.array(OutboxMail),
    next: z.nullable(z.string()),
  }),
  codes: pageCodes,
});

/** Title of a delivery in the log. */
export const deliveryTitle = (event: string, notices: number, first: string | null): string => {
  if (event === 'TEST') return 'Test';
  if (event === 'DAILY' || event === 'WEEKLY')
    return `${event === 'DAILY' ? 'Daily' : 'Weekly'} digest, ${notices} ${notices === 1 ? 'notice' : 'notices'}`;
  return first ?? event;
};
