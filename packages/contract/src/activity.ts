/** The activity log: every write, by whom, what it changed, and what came of it. */
import * as z from 'zod/mini';
import { Instant, PageQuery, pageCodes, pageOf } from './fields.ts';
import { route } from './kernel.ts';

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
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
});
export type Activity = z.infer<typeof Activity>;

const query = z.extend(PageQuery, {
  level: z.optional(z.enum(activityLevels)),
  service: z.optional(z.string()),
});
const tag = 'Activity';
export const appActivityList = route({
  id: 'appActivityList',
  method: 'GET',
  path: '/api/v1/apps/{app}/{env}/activity-logs',
  summary: "An app's activity, newest first",
  tag,
  access: 'appMemberHidden',
  query,
  response: pageOf(Activity),
  codes: ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist', ...pageCodes],
});
export const teamActivityList = route({
  id: 'teamActivityList',
  method: 'GET',
  path: '/api/v1/teams/{team}/activity-logs',
  summary: "A team's activity, newest first",
  tag,
  access: 'teamMember',
  query,
  response: pageOf(Activity),
  codes: ['TeamDoesNotExist', 'NotAMember', ...pageCodes],
});
