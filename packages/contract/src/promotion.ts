/**
 * The way to production: compares development and production of an app, and promotes the chosen rows in one pipeline, in the order of
 * `promotionKinds`. Values of secrets are never copied: they are typed for production.
 */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { PlanNote, startsRun } from './pipeline/plan.ts';
import { PipelineState } from './pipeline/pipeline.ts';
import { SecretEntry, maxSecretKeys, maxSecretValueBytes, secretEntriesCheck } from './secret/secret-entry.ts';
import { secretGroupCreate, secretVersionCreate } from './secret/secret-group.ts';

/** In the order in which they are promoted: each may need the ones before it. */
export const promotionKinds = ['secretGroup', 'database', 'schema', 'topic', 'account', 'service'] as const;
export const PromotionKind = z.enum(promotionKinds);
export type PromotionKind = z.infer<typeof PromotionKind>;

/** The `field` of a service's image tag, beside the paths of its settings. */
export const imageField = 'image';

export const promotionStates = ['EQUAL', 'DIFFERS', 'MISSING', 'ONLY_PRODUCTION'] as const;
export const PromotionRow = z.object({
  kind: PromotionKind,
  name: z.string(),
  /** MISSING: production has none. ONLY_PRODUCTION: development has none, so nothing is promoted. */
  state: z.enum(promotionStates),
  /** Fingerprint of both sides. A promotion is refused at the row if it changed meanwhile. */
  mark: z.string(),
  /** True if a promotion usually contains it. */
  isChosen: z.boolean(),
  differences: z.array(
    z.object({
      field: z.string(),
      label: z.string(),
      /** Value in production. Null if absent there. */
      before: z.nullable(z.string()),
      /** Value in development. */
      after: z.nullable(z.string()),
      /** False for settings that are meant to differ. Only differences of services are chosen one by one. */
      isChosen: z.boolean(),
    }),
  ),
  /** Keys of a secret group that need a value for production. */
  missingKeys: z.array(z.string()),
  /** Points that deserve a second look. */
  notes: z.array(PlanNote),
  /** Why it cannot be promoted now. */
  blocked: z.nullable(PlanNote),
});
export type PromotionRow = z.infer<typeof PromotionRow>;

/** ASKED: a second person decides on `request`. WAITING: not started. */
export const promotionPartStates = ['WAITING', 'RUNNING', 'DONE', 'ASKED', 'FAILED'] as const;
export const PromotionPart = z.object({
  kind: PromotionKind,
  name: z.string(),
  state: z.enum(promotionPartStates),
  /** The part's own pipeline. */
  pipelineId: z.nullable(z.string()),
  /** Id of the request for approval: `REQ-12`. */
  request: z.nullable(z.string()),
  failure: z.nullable(z.string()),
});
export type PromotionPart = z.infer<typeof PromotionPart>;

export const AppPromotion = z.object({
  rows: z.array(PromotionRow),
  comparedAt: Instant,
  /** Display name of the team that demands a second person for services. */
  approvingTeam: z.nullable(z.string()),
  /** The last promotion of the app. */
  latest: z.nullable(z.object({ pipelineId: z.string(), state: PipelineState, parts: z.array(PromotionPart) })),
});
export type AppPromotion = z.infer<typeof AppPromotion>;

const maxParts = 200;
const maxFields = 1000;
/** Another shape than that of a secret group's entries: generators name equal shapes after the first one, and clients use the name. */
const PromotedEntry = z.extend(SecretEntry, {
  value: SecretEntry.shape.value.check(z.maxLength(maxSecretValueBytes, { error: 'SecretValueTooLarge' })),
});
export const AppPromote = z.object({
  parts: z
    .array(
      z.object({
        kind: PromotionKind,
        name: z.string({ error: 'Required' }),
        mark: z.string({ error: 'Required' }),
        /** Differences of a service to promote. Defaults to the chosen ones. */
        fields: z.optional(z.array(z.string()).check(z.maxLength(maxFields, { error: 'ExceedsMaximumLength' }))),
        /** Values of a secret group's keys in production. */
        entries: z.optional(
          z.array(PromotedEntry).check(z.maxLength(maxSecretKeys, { error: 'TooManySecretKeys' }), ...secretEntriesCheck),
        ),
      }),
    )
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(maxParts, { error: 'ExceedsMaximumLength' })),
});
export type AppPromote = z.output<typeof AppPromote>;

const route = routesIn({ tag: 'Applications', access: 'appMemberHidden' });
export const appPromotionView = route('appPromotionView', 'GET /api/v1/apps/{app}/promotion', {
  summary: 'What promoting an app from development to production would change',
  response: AppPromotion,
  codes: ['ApplicationDoesNotExists'],
});
export const appPromote = route('appPromote', 'POST /api/v1/apps/{app}/promotions', {
  ...startsRun,
  summary: 'Promote the chosen rows to production; the dry run lists what each of them does',
  description:
    'Values of secrets are saved first, before the pipeline starts. The pipeline stops at the first part that fails; a re-run continues there.',
  body: AppPromote,
  isSecret: true,
  bodyLimitKilobytes: 8 * 1024,
  codes: [
    ...new Set([
      'ProductionChangedMeanwhile' as const,
      'WorkflowExecutionAlreadyStarted' as const,
      'ApplicationNotCreated' as const,
      'ProductionFrozen' as const,
      ...secretGroupCreate.codes,
      ...secretVersionCreate.codes,
    ]),
  ],
});
