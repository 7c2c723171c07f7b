/** Promotion from development to production: the differences, and the pipeline that applies them. */
import * as z from 'zod/mini';
import type { ErrorCode } from '../kernel/errors.ts';
import { route } from '../kernel/kernel.ts';
import { DryRunQuery, PlanOrRun, startsRun } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { accountFieldLabel, accountOne, accountResource, accountShared } from './account.ts';
import { TopicOperation } from './grant.ts';
import { SchemaVerdict } from './schema-verdict.ts';
import { schemaResource } from './schema.ts';
import { topicResource } from './topic.ts';

export const PromotionDifference = z.object({
  /** `spec.retentionHours`, `content` … */
  field: z.string(),
  label: z.string(),
  /** Value in production. Null if the resource does not exist there yet. */
  before: z.nullable(z.string()),
  /** Value in development, which production gets. */
  after: z.string(),
});
export type PromotionDifference = z.infer<typeof PromotionDifference>;
const promotion = {
  /** True if production has no resource of this name. */
  isNew: z.boolean(),
  /** Empty if production is identical. */
  differences: z.array(PromotionDifference),
  /** Identifies production's current state. A promotion with an outdated mark is rejected. */
  mark: z.string(),
};
const Mark = z.optional(z.string({ error: 'InvalidValue' }).check(z.maxLength(100, { error: 'ExceedsMaximumLength' })));
/** `mark` comes from the comparison that the user reviewed. Without it the promotion applies to any state of production. */
export const Promote = z.object({ mark: Mark });
/**
 * `verdict` compares development's content with production's; null if production has none. `missingSchemas`: names of referenced schemas
 * that must be promoted first.
 */
export const SchemaPromotion = z.object({ ...promotion, verdict: z.nullable(SchemaVerdict), missingSchemas: z.array(z.string()) });
export type SchemaPromotion = z.infer<typeof SchemaPromotion>;
/** `missingSchemas`: names of schemas that must be promoted first. `olderSchemas`: names of schemas whose content differs in production. */
export const TopicPromotion = z.object({ ...promotion, missingSchemas: z.array(z.string()), olderSchemas: z.array(z.string()) });
export type TopicPromotion = z.infer<typeof TopicPromotion>;

/** A topic of the account, as it is in production. Excludes topics that were declined or revoked in development. */
export const PromotedTopic = z.object({
  name: z.string(),
  applicationCode: z.string(),
  operation: TopicOperation,
  /** NOT_SHARED: belongs to another team that does not share it. LISTED: the production account already lists it. */
  state: z.enum(['MISSING', 'NOT_SHARED', 'LISTED', 'FREE', 'ASKED']),
  /** The deciding team for ASKED. */
  team: z.nullable(z.object({ id: z.string(), displayName: z.string() })),
});
export type PromotedTopic = z.infer<typeof PromotedTopic>;
export const AccountPromotion = z.object({
  ...promotion,
  topics: z.array(PromotedTopic),
  /** The production group that receives the password. Null if the account does not exist there yet. */
  secretGroup: z.nullable(z.string()),
});
export type AccountPromotion = z.infer<typeof AccountPromotion>;
/** `secretGroup`: for a new production account; without it the password is shown once. `reason`: shown to the teams that decide. */
export const AccountPromote = z.object({
  mark: Mark,
  secretGroup: z.optional(SecretGroupName),
  reason: z.optional(z.string().check(z.trim(), z.maxLength(500, { error: 'ExceedsMaximumLength' }))),
});

const seen = { method: 'GET', access: 'signedIn' } as const;
const started = {
  method: 'POST',
  access: 'appMember',
  query: DryRunQuery,
  body: z._default(Promote, {}),
  response: PlanOrRun,
  status: 202,
} as const;
const schemas = { tag: 'Schemas', path: '/api/v1/apps/{app}/{env}/schemas/{schema}' } as const;
const topics = { tag: 'Topics', path: '/api/v1/apps/{app}/{env}/topics/{topic}' } as const;
const own = 'PromotionFromDevelopment';
const ownCodes = [own, 'ProductionChangedMeanwhile', 'InvalidValue', 'ExceedsMaximumLength'] as const;

export const schemaPromotionView = route({
  ...seen,
  id: 'schemaPromotionView',
  tag: schemas.tag,
  path: `${schemas.path}/promotion`,
  summary: 'What promoting a schema to production would change there',
  response: SchemaPromotion,
  codes: [...schemaResource.view.codes, own],
});
export const schemaPromote = route({
  ...started,
  id: 'schemaPromote',
  tag: schemas.tag,
  path: `${schemas.path}/promotions`,
  summary: 'Make the schema in production, or register its newest content there as a new version',
  codes: [...new Set<ErrorCode>([...schemaResource.create.codes, ...schemaResource.update.codes, ...ownCodes])],
});
export const topicPromotionView = route({
  ...seen,
  id: 'topicPromotionView',
  tag: topics.tag,
  path: `${topics.path}/promotion`,
  summary: 'What promoting a topic to production would change there',
  response: TopicPromotion,
  codes: [...topicResource.view.codes, own],
});
export const topicPromote = route({
  ...started,
  id: 'topicPromote',
  tag: topics.tag,
  path: `${topics.path}/promotions`,
  summary: 'Make the topic in production, or give it the settings of development there',
  codes: [...new Set<ErrorCode>([...topicResource.create.codes, ...topicResource.update.codes, ...ownCodes])],
});
export const accountPromotionView = route('accountPromotionView', `GET ${accountOne}/promotion`, {
  ...accountShared,
  summary: 'What promoting an account to production would change there, and which teams would be asked',
  response: AccountPromotion,
  codes: [...accountResource.view.codes, own],
});
export const accountPromote = route('accountPromote', `POST ${accountOne}/promotions`, {
  ...startsRun,
  ...accountShared,
  summary: 'Make the account in production with a password of its own, or give it the topics of development there',
  body: z._default(AccountPromote, {}),
  fieldLabel: accountFieldLabel,
  codes: [...new Set<ErrorCode>([...accountResource.create.codes, ...accountResource.update.codes, ...ownCodes])],
});
