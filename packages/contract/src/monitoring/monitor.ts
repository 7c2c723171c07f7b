/** Browser monitors: what browsers of an app may send to the collector, how long it is kept, and where it is forwarded to. */
import * as z from 'zod/mini';
import { DeliveryFailureCode, TargetUrl } from '../kernel/delivery.ts';
import { Can, Environment, Instant, PageQuery, reservedNames } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { changesOf, resource, synchronous } from '../resource.ts';
import { monitorKind } from '../kinds/monitor.kind.ts';

export const MonitorName = z.string({ error: 'Required' }).check(
  z.trim(),
  z.minLength(1, { error: 'Required', abort: true }),
  z.regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, { error: 'KebabCase' }),
  z.minLength(3, { error: 'MinimumLength' }),
  z.maxLength(52, { error: 'ExceedsMaximumLength' }),
  z.refine<string>((value) => !reservedNames.has(value), { error: 'InvalidName' }),
);
/** `https://app.example.com`, `https://*.example.com`, or `*` for every origin. */
const originPattern = /^(?:\*|https?:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[1-9]\d{0,4})?)$/;
export const maxOrigins = 20;
const Origin = z
  .string({ error: 'Required' })
  .check(z.trim(), z.toLowerCase(), z.maxLength(260, { error: 'ExceedsMaximumLength' }), z.regex(originPattern, { error: 'NotAnOrigin' }));
/** True if one of the entries names the origin of a request. `*.example.com` names each subdomain, but not `example.com` itself. */
export const isAllowedOrigin = (entries: readonly string[], origin: string | undefined): boolean => {
  if (entries.includes('*')) return true;
  if (origin === undefined) return false;
  return entries.some((entry) => {
    const [scheme = '', host = ''] = entry.split('://');
    if (!host.startsWith('*.')) return entry === origin;
    return origin.startsWith(`${scheme}://`) && origin.endsWith(host.slice(1)) && origin.length > scheme.length + host.length + 2;
  });
};

export const retentionDays = [7, 30, 90] as const;
export type RetentionDays = (typeof retentionDays)[number];
/** Hours for which the former API key stays valid after a rotation: pages that are open keep sending with it. */
export const formerKeyHours = 24;

export const Monitor = z.object({
  name: z.string(),
  app: z.string(),
  environment: Environment,
  /** The part of the collector's URL that names this monitor. It never changes. */
  appKey: z.string(),
  /** Sent by browsers as `x-api-key`. Public, because pages contain it; the allowed origins protect it. */
  apiKey: z.string(),
  /** Until when the former API key is accepted, too. */
  formerKeyUntil: z.nullable(Instant),
  collectorUrl: z.string(),
  allowedOrigins: z.array(z.string()),
  /** Percentage of sessions that are kept. */
  samplePercent: z.number(),
  retentionDays: z.number(),
  /** OTLP/HTTP endpoint that receives everything as well. Null if nothing is forwarded. */
  forwarding: z.nullable(
    z.object({
      url: z.string(),
      hasAuthorization: z.boolean(),
      failingSince: z.nullable(Instant),
      failure: z.nullable(DeliveryFailureCode),
      /** Payloads that were not forwarded since the URL was set. */
      dropped: z.number(),
    }),
  ),
  /** When the newest payload arrived. Null before the first. */
  lastSeenAt: z.nullable(Instant),
  createdAt: Instant,
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  /** Verbs: update, delete, rotate, forward, erase. */
  can: Can,
});
export type Monitor = z.infer<typeof Monitor>;

const settings = {
  allowedOrigins: z
    .array(Origin, { error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(maxOrigins, { error: 'ExceedsMaximumLength' })),
  samplePercent: z._default(
    z.number({ error: 'NotANumber' }).check(z.int(), z.minimum(1, { error: 'Minimum' }), z.maximum(100, { error: 'Maximum' })),
    100,
  ),
  retentionDays: z._default(z.literal(retentionDays, { error: 'InvalidValue' }), 30),
};
export const MonitorCreate = z.object({ name: MonitorName, ...settings });
export type MonitorCreate = z.output<typeof MonitorCreate>;
export const MonitorUpdate = z.partial(changesOf(settings));
export type MonitorUpdate = z.output<typeof MonitorUpdate>;

const base = '/api/v1/apps/{app}/{env}/monitors';
export const monitorPath = `${base}/{monitor}` as const;
const access = 'appMember';
export const monitorTag = 'Browser monitoring';
export const monitorCodes = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'MonitorDoesNotExist', 'NotAMember'] as const;

const made = resource({
  kind: monitorKind,
  tag: monitorTag,
  path: base,
  name: 'monitor',
  view: Monitor,
  create: MonitorCreate,
  update: MonitorUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'],
    missing: 'MonitorDoesNotExist',
    taken: 'MonitorAlreadyExists',
    form: [
      'Required',
      'KebabCase',
      'InvalidName',
      'MinimumLength',
      'ExceedsMaximumLength',
      'NotAnOrigin',
      'InvalidValue',
      'NotANumber',
      'NotAnInteger',
      'Minimum',
      'Maximum',
    ],
    kept: [],
  },
  summaries: {
    list: 'Browser monitors of an environment, by name',
    create: 'Create a browser monitor with its keys',
    remove: 'Delete a browser monitor with everything that it collected',
  },
});
export const monitorResource = {
  ...made,
  create: synchronous(made.create, Monitor),
  update: synchronous(made.update, Monitor),
  remove: synchronous(made.remove),
} as const;
export const {
  list: monitorList,
  view: monitorView,
  create: monitorCreate,
  update: monitorUpdate,
  remove: monitorDelete,
} = monitorResource;

export const monitorKeyRotate = route({
  id: 'monitorKeyRotate',
  method: 'POST',
  path: `${monitorPath}/key-rotations`,
  summary: 'Replace the API key',
  description: `The former key stays valid for ${formerKeyHours} hours, unless the body ends it now.`,
  tag: monitorTag,
  access,
  body: z.object({ endFormerNow: z._default(z.boolean({ error: 'InvalidValue' }), false) }),
  response: Monitor,
  codes: [...monitorCodes, 'InvalidValue'],
});
export const monitorForward = route({
  id: 'monitorForward',
  method: 'PUT',
  path: `${monitorPath}/forwarding`,
  summary: 'Forward everything to an OTLP/HTTP endpoint, or stop it',
  description: 'Slipway appends `/v1/logs` and `/v1/traces` to the URL. Leave `authorization` out to keep the stored header.',
  tag: monitorTag,
  access,
  body: z.object({
    url: z.nullable(TargetUrl),
    authorization: z.optional(
      z.nullable(
        z.string().check(z.maxLength(4000, { error: 'ExceedsMaximumLength' }), z.regex(/^[\x20-\x7e]*$/, { error: 'DoesNotMatchPattern' })),
      ),
    ),
  }),
  response: Monitor,
  isSecret: true,
  codes: [
    ...monitorCodes,
    'Required',
    'InvalidValue',
    'ExceedsMaximumLength',
    'DoesNotMatchPattern',
    'WebhookTargetInvalid',
    'WebhookTargetInside',
  ],
});
export const monitorErase = route({
  id: 'monitorErase',
  method: 'POST',
  path: `${monitorPath}/erasures`,
  summary: 'Delete everything that is stored about a person',
  description: 'Names the person as `user.id` of the SDK. Counts that name nobody stay. Call it again while `isMore` is true.',
  tag: monitorTag,
  access,
  body: z.object({
    userId: z
      .string({ error: 'Required' })
      .check(z.minLength(1, { error: 'Required' }), z.maxLength(300, { error: 'ExceedsMaximumLength' })),
  }),
  response: z.object({ sessions: z.number(), isMore: z.boolean() }),
  isSecret: true,
  codes: [...monitorCodes, 'Required', 'ExceedsMaximumLength', 'InvalidValue'],
});

export const MonitorSourceMap = z.object({ release: z.string(), file: z.string(), bytes: z.number(), uploadedAt: Instant });
export type MonitorSourceMap = z.infer<typeof MonitorSourceMap>;
/** Limits of one monitor. The oldest release makes room for a new one. */
export const sourceMapLimits = { megabytes: 16, filesPerRelease: 200, releases: 20, megabytesPerMonitor: 512 } as const;
const MAP_KILOBYTES = sourceMapLimits.megabytes * 1024;
export const monitorSourceMapList = route({
  id: 'monitorSourceMapList',
  method: 'GET',
  path: `${monitorPath}/source-maps`,
  summary: 'Source maps, newest release first',
  tag: monitorTag,
  access,
  response: z.array(MonitorSourceMap),
  codes: monitorCodes,
});
export const monitorSourceMapUpload = route({
  id: 'monitorSourceMapUpload',
  method: 'POST',
  path: `${monitorPath}/source-maps/{release}/{file}`,
  summary: 'Upload the source map of a JavaScript file',
  description:
    'The body is the map itself. `file` is the name of the JavaScript file without its path: `index-4f2a.js`. Source text in the map is not stored.',
  tag: monitorTag,
  access,
  body: z.looseObject({
    version: z.literal(3, { error: 'SourceMapInvalid' }),
    mappings: z.string({ error: 'SourceMapInvalid' }),
    sources: z.array(z.nullable(z.string()), { error: 'SourceMapInvalid' }),
    names: z.optional(z.array(z.string(), { error: 'SourceMapInvalid' })),
    sourceRoot: z.optional(z.nullable(z.string())),
  }),
  response: MonitorSourceMap,
  status: 201,
  bodyLimitKilobytes: MAP_KILOBYTES,
  codes: [...monitorCodes, 'SourceMapInvalid', 'TooManySourceMaps', 'SourceMapStorageFull', 'InvalidValue', 'Required'],
});
export const monitorSourceMapDelete = route({
  id: 'monitorSourceMapDelete',
  method: 'DELETE',
  path: `${monitorPath}/source-maps/{release}`,
  summary: 'Delete the source maps of a release',
  tag: monitorTag,
  access,
  codes: [...monitorCodes, 'SourceMapDoesNotExist'],
});
