/** Readings of a browser monitor: vitals, errors, sessions and slow calls. Texts come from browsers: show them as text only. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { monitorCodes, monitorPath as path, monitorTag as tag } from './monitor.ts';
import { vitals } from './vitals.ts';

export const monitorRanges = ['24h', '7d', '30d'] as const;
export type MonitorRange = (typeof monitorRanges)[number];
const RangeQuery = z.object({ range: z._default(z.enum(monitorRanges, { error: 'InvalidValue' }), '24h') });
const access = 'appMember';
const method = 'GET';

const VitalName = z.enum(vitals);
export const VitalSummary = z.object({
  vital: VitalName,
  /** 75th percentile. Null without samples. */
  p75: z.nullable(z.number()),
  /** 75th percentile of the range before. */
  before: z.nullable(z.number()),
  good: z.number(),
  needsImprovement: z.number(),
  poor: z.number(),
});
export type VitalSummary = z.infer<typeof VitalSummary>;
const PerName = z.object({
  name: z.string(),
  views: z.number(),
  errors: z.number(),
  /** 75th percentiles; vitals without samples are missing. */
  p75: z.partialRecord(VitalName, z.number()),
});
export type VitalsPerName = z.infer<typeof PerName>;
export const VitalPoint = z.object({ at: Instant, p75: z.partialRecord(VitalName, z.number()) });
export type VitalPoint = z.infer<typeof VitalPoint>;
export const MonitorVitals = z.object({
  range: z.enum(monitorRanges),
  stepSeconds: z.number(),
  vitals: z.array(VitalSummary),
  views: z.number(),
  errors: z.number(),
  sessions: z.number(),
  points: z.array(VitalPoint),
  /** The most viewed pages and releases, at most 20 each. */
  pages: z.array(PerName),
  releases: z.array(PerName),
});
export type MonitorVitals = z.infer<typeof MonitorVitals>;
export const monitorVitalsView = route({
  id: 'monitorVitalsView',
  method,
  path: `${path}/vitals`,
  summary: 'Web vitals: 75th percentiles, distribution, over time, by page and by release',
  tag,
  access,
  query: RangeQuery,
  response: MonitorVitals,
  codes: [...monitorCodes, 'InvalidValue'],
});

export const errorStates = ['OPEN', 'RESOLVED', 'MUTED'] as const;
export type ErrorState = (typeof errorStates)[number];
export const MonitorError = z.object({
  id: z.string(),
  type: z.string(),
  message: z.string(),
  /** The first stack frame of the newest occurrence, as the browser reported it. */
  culprit: z.string(),
  state: z.enum(errorStates),
  /** True if the error occurred again after it was resolved. */
  isBackAgain: z.boolean(),
  count: z.number(),
  /** Counted up to 1,000. */
  users: z.number(),
  /** Occurrences on each of the last 14 days (UTC), the oldest first. */
  trend: z.array(z.number()),
  firstAt: Instant,
  firstRelease: z.string(),
  lastAt: Instant,
  lastRelease: z.string(),
});
export type MonitorError = z.infer<typeof MonitorError>;
export const StackFrame = z.object({
  function: z.string(),
  file: z.string(),
  line: z.nullable(z.number()),
  column: z.nullable(z.number()),
  /** True if a source map translated the frame. */
  isMapped: z.boolean(),
});
export type StackFrame = z.infer<typeof StackFrame>;
const Occurrence = z.object({ at: Instant, page: z.string(), release: z.string(), session: z.nullable(z.string()), message: z.string() });
export const MonitorErrorDetail = z.extend(MonitorError, {
  stack: z.array(StackFrame),
  /** The newest occurrences, at most 20. */
  occurrences: z.array(Occurrence),
});
export type MonitorErrorDetail = z.infer<typeof MonitorErrorDetail>;
/** Most errors of one monitor. Further ones are counted together. */
export const maxErrors = 1000;
export const monitorErrorList = route({
  id: 'monitorErrorList',
  method,
  path: `${path}/errors`,
  summary: 'Errors in groups, at most 100, the newest first',
  tag,
  access,
  query: z.object({ state: z.optional(z.enum(errorStates, { error: 'InvalidValue' })) }),
  response: z.object({ content: z.array(MonitorError), total: z.number() }),
  codes: [...monitorCodes, 'InvalidValue'],
});
const oneError = [...monitorCodes, 'MonitorErrorDoesNotExist'] as const;
export const monitorErrorView = route({
  id: 'monitorErrorView',
  method,
  path: `${path}/errors/{errorId}`,
  summary: 'One error with its stack and newest occurrences',
  tag,
  access,
  response: MonitorErrorDetail,
  codes: oneError,
});
export const monitorErrorUpdate = route({
  id: 'monitorErrorUpdate',
  method: 'PUT',
  path: `${path}/errors/{errorId}`,
  summary: 'Resolve, mute or open an error again',
  tag,
  access,
  body: z.object({ state: z.enum(errorStates, { error: 'InvalidValue' }) }),
  response: MonitorErrorDetail,
  codes: [...oneError, 'InvalidValue', 'Required'],
});

export const MonitorSession = z.object({
  id: z.string(),
  /** A salted hash of the user id. Null for anonymous sessions. */
  user: z.nullable(z.string()),
  browser: z.string(),
  os: z.string(),
  country: z.nullable(z.string()),
  release: z.string(),
  startedAt: Instant,
  lastAt: Instant,
  /** The first pages, at most 20. */
  pages: z.array(z.string()),
  views: z.number(),
  errors: z.number(),
});
export type MonitorSession = z.infer<typeof MonitorSession>;
export const sessionEventKinds = ['VIEW', 'VITAL', 'ERROR', 'CALL', 'LOG', 'EVENT'] as const;
export type SessionEventKind = (typeof sessionEventKinds)[number];
export const SessionEvent = z.object({
  at: Instant,
  kind: z.enum(sessionEventKinds),
  /** Vital, error id, called URL, log level or event name. */
  name: z.string(),
  page: z.string(),
  /** Value of a vital, or duration of a call in milliseconds. */
  value: z.nullable(z.number()),
  status: z.nullable(z.number()),
  message: z.string(),
});
export type SessionEvent = z.infer<typeof SessionEvent>;
export const monitorSessionList = route({
  id: 'monitorSessionList',
  method,
  path: `${path}/sessions`,
  summary: 'The newest sessions, at most 100',
  tag,
  access,
  query: z.object({ hasErrors: z.optional(z.enum(['true', 'false'], { error: 'InvalidValue' })) }),
  response: z.array(MonitorSession),
  codes: [...monitorCodes, 'InvalidValue'],
});
/** Most events of a session that are shown. */
export const maxSessionEvents = 500;
export const monitorSessionView = route({
  id: 'monitorSessionView',
  method,
  path: `${path}/sessions/{session}`,
  summary: 'One session with its events in order',
  tag,
  access,
  response: z.extend(MonitorSession, { events: z.array(SessionEvent), isCut: z.boolean() }),
  codes: [...monitorCodes, 'MonitorSessionDoesNotExist'],
});

export const MonitorCall = z.object({
  /** Host and path of the URL, with ids replaced. */
  name: z.string(),
  count: z.number(),
  failed: z.number(),
  p75: z.number(),
});
export type MonitorCall = z.infer<typeof MonitorCall>;
export const monitorCallList = route({
  id: 'monitorCallList',
  method,
  path: `${path}/calls`,
  summary: 'Calls of pages (fetch and XMLHttpRequest), at most 50, the slowest first',
  tag,
  access,
  query: RangeQuery,
  response: z.array(MonitorCall),
  codes: [...monitorCodes, 'InvalidValue'],
});
