/** Freeze windows: periods in which services in production do not change, and how somebody overrides them for one app. */
import * as z from 'zod/mini';
import { Instant, isKept } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';

const text = (max: number) =>
  z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required', abort: true }), z.maxLength(max, { error: 'ExceedsMaximumLength' }));
const At = z.string({ error: 'Required' }).check(
  z.minLength(1, { error: 'Required', abort: true }),
  // Without an offset, the instant would depend on the server's time zone.
  z.regex(/T.*(?:Z|[+-]\d\d:?\d\d)$/, { error: 'InvalidValue' }),
  z.refine(isKept, { error: 'InvalidValue' }),
);
const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
};

export const maxFreezeScope = 50;
const ids = z.array(text(100)).check(z.maxLength(maxFreezeScope, { error: 'Maximum' }));
const settings = {
  name: text(80),
  /** Everybody sees it whose change is refused. */
  reason: text(300),
  startsAt: At,
  endsAt: At,
  /** IANA name of the zone in which people read the times: `Europe/Oslo`. */
  timeZone: z.string({ error: 'Required' }).check(z.refine(isTimeZone, { error: 'InvalidValue' })),
  /** Ids of teams and apps that the window is for. Both empty: all of production. */
  teams: ids,
  apps: ids,
  /** True if owners of an app's team may override it. Administrators always may. */
  ownersMayOverride: z.boolean({ error: 'Required' }),
};
const endsLater = z.refine<{ startsAt: string; endsAt: string }>(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
  error: 'FreezeEndsTooEarly',
  path: ['endsAt'],
});
export const FreezeSettings = z.object(settings).check(endsLater);
export type FreezeSettings = z.infer<typeof FreezeSettings>;

export const freezeStates = ['COMING', 'OPEN', 'ENDED'] as const;
export const FreezeWindow = z.object({
  id: z.string(),
  ...settings,
  state: z.enum(freezeStates),
  /** Set if somebody ended it early. */
  endedAt: z.nullable(Instant),
  revision: z.number(),
  updatedAt: Instant,
  updatedBy: z.object({ id: z.string(), displayName: z.string() }),
});
export type FreezeWindow = z.infer<typeof FreezeWindow>;

/** `1 Dec 2026, 06:00 (Europe/Oslo)` */
export const freezeTime = (at: string, timeZone: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }).format(new Date(at))} (${timeZone})`;

/** The part of a window that people of an app read. */
export const Freeze = z.object({
  id: z.string(),
  name: z.string(),
  reason: z.string(),
  startsAt: Instant,
  endsAt: Instant,
  timeZone: z.string(),
});
export type Freeze = z.infer<typeof Freeze>;

export const overrideRules = ['FreezeOverrideRefused', 'NotAnOwner', 'NotAMember', 'NotFrozen'] as const;
export const AppFreeze = z.object({
  /** The open window that ends last. Null if production of the app is not frozen, or the environment is development. */
  open: z.nullable(Freeze),
  /** The next window, within two weeks. */
  coming: z.nullable(Freeze),
  /** Set while somebody's override lets changes of the app pass, for members of its team. */
  override: z.nullable(z.object({ by: z.string(), reason: z.string(), at: Instant, until: Instant })),
  /** Whether the caller may override the open windows, or the code that says why not. */
  can: z.object({ override: z.union([z.literal(true), z.enum(overrideRules)]) }),
});
export type AppFreeze = z.infer<typeof AppFreeze>;

/** Minutes for which an override lets changes of an app pass. */
export const overrideMinutes = 60;

const administrators = routesIn({ tag: 'Freeze windows', access: 'administrator' });
const windows = '/api/v1/platform/freeze-windows';
export const maxFreezeWindows = 200;
const formCodes = [
  'NotAnAdministrator',
  'Required',
  'InvalidValue',
  'ExceedsMaximumLength',
  'Maximum',
  'FreezeEndsTooEarly',
  'FreezeIsOver',
  'FreezeScopeUnknown',
] as const;
export const freezeWindowList = administrators('freezeWindowList', `GET ${windows}`, {
  summary: `Freeze windows, those that begin last first; at most ${maxFreezeWindows}`,
  response: z.object({ windows: z.array(FreezeWindow) }),
  codes: ['NotAnAdministrator'],
});
export const freezeWindowCreate = administrators('freezeWindowCreate', `POST ${windows}`, {
  summary: 'Freeze production for a time',
  body: FreezeSettings,
  response: FreezeWindow,
  status: 201,
  codes: [...formCodes],
});
export const freezeWindowUpdate = administrators('freezeWindowUpdate', `PUT ${windows}/{freezeWindow}`, {
  summary: 'Change a freeze window that is not over. `revision` is the one that was read',
  body: z.object({ ...settings, revision: z.int({ error: 'Required' }) }).check(endsLater),
  response: FreezeWindow,
  codes: [...formCodes, 'FreezeWindowDoesNotExist', 'SettingsChangedMeanwhile', 'NotAnInteger'],
});
export const freezeWindowEnd = administrators('freezeWindowEnd', `POST ${windows}/{freezeWindow}/end`, {
  summary: 'End a freeze window now, or cancel one that has not begun',
  response: FreezeWindow,
  codes: ['NotAnAdministrator', 'FreezeWindowDoesNotExist', 'FreezeIsOver'],
});

const apps = routesIn({ tag: 'Freeze windows', access: 'appMember' });
const appCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
export const appFreezeView = apps('appFreezeView', 'GET /api/v1/apps/{app}/{env}/freeze', {
  summary: 'Whether production of an app is frozen, until when and why',
  access: 'signedIn',
  response: AppFreeze,
  codes: [...appCodes],
});
export const FreezeOverride = z.object({ reason: text(500) });
export const freezeOverrideCreate = apps('freezeOverrideCreate', 'POST /api/v1/apps/{app}/{env}/freeze-overrides', {
  summary: `Let changes of an app pass for ${overrideMinutes} minutes although production is frozen`,
  description: 'The reason is recorded in the activity log, and the team of the app is notified. A window that opens later is not covered.',
  body: FreezeOverride,
  response: AppFreeze,
  status: 201,
  codes: [
    ...appCodes,
    'NotAMember',
    'NotAnOwner',
    'NotFrozen',
    'FreezeOverrideRefused',
    'Required',
    'InvalidValue',
    'ExceedsMaximumLength',
  ],
});
