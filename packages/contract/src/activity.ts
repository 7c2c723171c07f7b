/** The activity log: every write, with its author, changes and outcome. */
import * as z from 'zod/mini';
import { After, Environment, Instant, isKept, PageQuery, pageCodes, pageOf } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { SubjectKey, SubjectView } from './subject-view.ts';

export const activityLevels = ['INFO', 'WARNING', 'ERROR'] as const;
export const Activity = z.object({
  id: z.string(),
  at: Instant,
  /** The operation's id, or the pipeline's type. */
  type: z.string(),
  reason: z.string(),
  level: z.enum(activityLevels),
  message: z.string(),
  actor: z.object({ id: z.string(), displayName: z.string() }),
  origin: z.enum(['console', 'token', 'pipeline', 'platform']),
  outcome: z.enum(['DONE', 'STARTED', 'FAILED', 'REFUSED']),
  team: z.nullable(z.string()),
  app: z.nullable(z.string()),
  env: z.nullable(z.string()),
  service: z.nullable(z.string()),
  pipelineId: z.nullable(z.string()),
  /** Trace of the request or pipeline that wrote the entry, as in the answer of a failed request. Null without tracing. */
  traceId: z.nullable(z.string()),
  /** Null if the entry is about the platform itself. */
  subject: z.nullable(SubjectView),
  before: z.unknown(),
  after: z.unknown(),
});
export type Activity = z.infer<typeof Activity>;

const At = z.string().check(z.refine(isKept, { error: 'InvalidValue' }));
const filter = z.object({
  query: z.optional(z.string().check(z.maxLength(200))),
  level: z.optional(z.enum(activityLevels)),
  service: z.optional(z.string()),
  /** Matches this subject and everything below it. */
  subject: z.optional(SubjectKey),
  type: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** Id of the identity that wrote. */
  actor: z.optional(z.string()),
  /** Instants (`2026-11-20T00:00:00Z`) or days. `from` is inclusive, `to` exclusive. */
  from: z.optional(At),
  to: z.optional(At),
});
const query = z.extend(PageQuery, { ...filter.shape, after: After });
const exportQuery = z.extend(filter, { format: z._default(z.enum(['csv', 'json']), 'csv') });
export const ActivityPage = z.extend(pageOf(Activity), {
  next: z.nullable(z.string()),
  /** Filter choices, taken from the newest thousand entries regardless of the filter. */
  facets: z.object({
    types: z.array(z.string()),
    reasons: z.array(z.string()),
    subjects: z.array(SubjectView),
    actors: z.array(z.object({ id: z.string(), displayName: z.string() })),
  }),
});
export type ActivityPage = z.infer<typeof ActivityPage>;
const TraceId = z.string().check(z.regex(/^[0-9a-f]{32}$/, { error: 'InvalidValue' }));
/** Filters of the whole log, beside those of every log. */
const everywhere = {
  traceId: z.optional(TraceId),
  team: z.optional(z.string()),
  app: z.optional(z.string()),
  env: z.optional(Environment),
};
const tag = 'Activity';
const appPath = '/api/v1/apps/{app}/{env}/activity-logs';
const route = routesIn({ tag, access: 'appMemberHidden' });
export const appActivityList = route('appActivityList', `GET ${appPath}`, {
  summary: "An app's activity, newest first",
  query,
  response: ActivityPage,
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', ...pageCodes],
});
/** Maximum number of entries in an export, newest first. */
export const maxExportedActivities = 50_000;
export const appActivityExport = route('appActivityExport', `GET ${appPath}/export`, {
  summary: "An app's activity as a file: CSV, or JSON lines",
  query: exportQuery,
  stream: 'text',
  mediaTypes: ['text/csv', 'application/x-ndjson'],
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', 'InvalidValue'],
});
export const teamActivityList = route('teamActivityList', 'GET /api/v1/teams/{team}/activity-logs', {
  summary: "A team's activity, newest first",
  access: 'teamMember',
  query,
  response: ActivityPage,
  codes: ['TeamDoesNotExist', 'NotAMember', ...pageCodes],
});

const auditPath = '/api/v1/platform/activity-logs';
export const activityList = route('activityList', `GET ${auditPath}`, {
  summary: 'The activity of the whole platform, newest first',
  description: 'A filter other than time searches the newest ten thousand entries. `from` and `to` move that range.',
  access: 'administratorHidden',
  query: z.extend(query, everywhere),
  response: ActivityPage,
  codes: pageCodes,
});
export const activityExport = route('activityExport', `GET ${auditPath}/export`, {
  summary: `The activity of the whole platform as a file: CSV, or JSON lines; at most ${maxExportedActivities.toLocaleString('en')} entries`,
  access: 'administratorHidden',
  query: z.extend(exportQuery, everywhere),
  stream: 'text',
  mediaTypes: ['text/csv', 'application/x-ndjson'],
  codes: ['InvalidValue'],
});
