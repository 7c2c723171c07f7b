/** Rights of an account on its cluster: actual rules compared with those its grants require, what-if checks, and its consumer groups. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { PipelineRun } from '../pipeline/pipeline.ts';
import { accountOne, accountOneCodes, accountShared, accountStartCodes } from './account.ts';
import { TopicOperation } from './grant.ts';

/** In Kafka's terms: `topic`, `literal`, `read`, `allow`. */
export const AccessRule = z.object({
  /** `*` matches every user. */
  user: z.string(),
  resource: z.string(),
  pattern: z.string(),
  name: z.string(),
  operation: z.string(),
  permission: z.enum(['allow', 'deny']),
  host: z.string(),
});
export type AccessRule = z.infer<typeof AccessRule>;
export const ruleStates = ['THERE', 'MISSING', 'FOREIGN', 'SURPLUS'] as const;
/** Rules of an account: the required ones and those on the cluster. */
export const AccountRules = z.object({
  /** False if the cluster does not answer. All required rules then have the state THERE. */
  isCompared: z.boolean(),
  comparedAt: Instant,
  rules: z.array(
    z.object({
      ...AccessRule.shape,
      /** FOREIGN: not created by the platform, never touched. SURPLUS: created by the platform, no longer required. */
      state: z.enum(ruleStates),
      /** The account's topic and operation that require the rule. Null for rules on its consumer groups and for foreign rules. */
      from: z.nullable(z.object({ topic: z.string(), applicationCode: z.string(), operation: TopicOperation })),
    }),
  ),
  /** Users that the account should have on the cluster. */
  users: z.array(z.object({ user: z.string(), isThere: z.boolean() })),
});
export type AccountRules = z.infer<typeof AccountRules>;

export const RightQuery = z.object({
  resource: z._default(z.enum(['topic', 'group'], { error: 'InvalidValue' }), 'topic'),
  /** Name on the cluster: `vessel-eta.vesseleta`. */
  name: z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(249, { error: 'ExceedsMaximumLength' })),
  operation: z._default(z.enum(['read', 'write', 'describe'], { error: 'InvalidValue' }), 'read'),
});
/** Whether an operation is allowed, evaluated like the brokers do from the rules on the cluster. */
export const Right = z.object({
  isAllowed: z.boolean(),
  /** DENIED wins over ALLOWED. Without a matching rule, access is denied. */
  because: z.enum(['ALLOWED', 'DENIED', 'NO_RULE']),
  /** The deciding rule, or null if none matches. */
  rule: z.nullable(AccessRule),
  /** The account's pending request for that topic. */
  waiting: z.nullable(z.object({ grant: z.string(), requestedAt: Instant, team: z.string() })),
});
export type Right = z.infer<typeof Right>;

/** A consumer group of the account: its current clients and its lag per topic. */
export const AccountGroup = z.object({
  group: z.string(),
  state: z.string(),
  /** `clientId` is set by the program. Null if the group has clients but the cluster does not describe them. */
  clients: z.nullable(z.array(z.object({ clientId: z.string(), host: z.string() }))),
  topics: z.array(z.object({ topicName: z.string(), lagMessages: z.number(), lagMs: z.nullable(z.number()) })),
});
export type AccountGroup = z.infer<typeof AccountGroup>;
/** Maximum number of topics per account for which groups are looked up. */
export const maxGroupTopics = 20;
/** Null if the cluster does not answer. Kafka reports clients only for groups: not for producers, and no sign-in times. */
export const AccountGroups = z.object({ groups: z.nullable(z.array(AccountGroup)) });
export type AccountGroups = z.infer<typeof AccountGroups>;

export const accountRulesView = route('accountRulesView', `GET ${accountOne}/rules`, {
  summary: 'Access rules and users of an account, compared with the cluster now',
  ...accountShared,
  response: AccountRules,
  codes: accountOneCodes,
});
export const accountRepair = route('accountRepair', `POST ${accountOne}/repairs`, {
  summary:
    'Make the rules on the cluster match again: a pipeline adds what is missing and removes what the platform made and wants no more',
  ...accountShared,
  response: PipelineRun,
  status: 202,
  codes: accountStartCodes,
});
export const accountRightView = route('accountRightView', `GET ${accountOne}/right`, {
  summary: 'May this account do that? Answered by the rules on the cluster',
  ...accountShared,
  query: RightQuery,
  response: Right,
  codes: [...accountOneCodes, 'Required', 'InvalidValue', 'ExceedsMaximumLength'],
});
export const accountGroupsView = route('accountGroupsView', `GET ${accountOne}/groups`, {
  summary: 'Reader groups of an account on the cluster now, with their clients and how far they have read',
  ...accountShared,
  response: AccountGroups,
  codes: accountOneCodes,
});
