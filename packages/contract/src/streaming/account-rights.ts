/** What an account may do on its cluster: its rules compared with those that its grants ask for, what-if, and its reader groups. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { PipelineRun } from '../pipeline/pipeline.ts';
import { accountOne, accountOneCodes, accountShared, accountStartCodes } from './account.ts';
import { TopicOperation } from './grant.ts';

/** In Kafka's words: `topic`, `literal`, `read`, `allow`. */
export const AccessRule = z.object({
  /** `*` is everybody. */
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
/** The rules of an account: those that its grants ask for, beside those that are on the cluster. */
export const AccountRules = z.object({
  /** False: the cluster does not answer, and every rule that is wanted counts as THERE. */
  isCompared: z.boolean(),
  comparedAt: Instant,
  rules: z.array(
    z.object({
      ...AccessRule.shape,
      /** FOREIGN: made by somebody else, never touched. SURPLUS: made by the platform, wanted no more. */
      state: z.enum(ruleStates),
      /** The topic and operation of the account that it is made of; null for its groups, and for what is foreign. */
      from: z.nullable(z.object({ topic: z.string(), applicationCode: z.string(), operation: TopicOperation })),
    }),
  ),
  /** Users that the account should have on the cluster. */
  users: z.array(z.object({ user: z.string(), isThere: z.boolean() })),
});
export type AccountRules = z.infer<typeof AccountRules>;

export const RightQuery = z.object({
  resource: z._default(z.enum(['topic', 'group'], { error: 'InvalidValue' }), 'topic'),
  /** As the cluster knows it: `vessel-eta.vesseleta`. */
  name: z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(249, { error: 'ExceedsMaximumLength' })),
  operation: z._default(z.enum(['read', 'write', 'describe'], { error: 'InvalidValue' }), 'read'),
});
/** May it? Answered from the rules that are on the cluster, as its brokers weigh them. */
export const Right = z.object({
  isAllowed: z.boolean(),
  /** DENIED goes before ALLOWED; without any rule everything is refused. */
  because: z.enum(['ALLOWED', 'DENIED', 'NO_RULE']),
  /** The one that decided; null where none names it. */
  rule: z.nullable(AccessRule),
  /** A request of the account for that topic which waits. */
  waiting: z.nullable(z.object({ grant: z.string(), requestedAt: Instant, team: z.string() })),
});
export type Right = z.infer<typeof Right>;

/** A reader group of the account: its clients now, and how far each topic is read. */
export const AccountGroup = z.object({
  group: z.string(),
  state: z.string(),
  /** `clientId` is what the program calls itself. Null: it has clients, and which ones is not known. */
  clients: z.nullable(z.array(z.object({ clientId: z.string(), host: z.string() }))),
  topics: z.array(z.object({ topicName: z.string(), lagMessages: z.number(), lagMs: z.nullable(z.number()) })),
});
export type AccountGroup = z.infer<typeof AccountGroup>;
/** Topics of an account that are looked at for it. */
export const maxGroupTopics = 20;
/** Null where the cluster does not answer. Kafka names the clients of groups alone: who writes, and when an account signed in, it does not say. */
export const AccountGroups = z.object({ groups: z.nullable(z.array(AccountGroup)) });
export type AccountGroups = z.infer<typeof AccountGroups>;

export const accountRulesView = route({
  id: 'accountRulesView',
  method: 'GET',
  path: `${accountOne}/rules`,
  summary: 'Access rules and users of an account, compared with the cluster now',
  ...accountShared,
  response: AccountRules,
  codes: accountOneCodes,
});
export const accountRepair = route({
  id: 'accountRepair',
  method: 'POST',
  path: `${accountOne}/repairs`,
  summary:
    'Make the rules on the cluster match again: a pipeline adds what is missing and removes what the platform made and wants no more',
  ...accountShared,
  response: PipelineRun,
  status: 202,
  codes: accountStartCodes,
});
export const accountRightView = route({
  id: 'accountRightView',
  method: 'GET',
  path: `${accountOne}/right`,
  summary: 'May this account do that? Answered by the rules on the cluster',
  ...accountShared,
  query: RightQuery,
  response: Right,
  codes: [...accountOneCodes, 'Required', 'InvalidValue', 'ExceedsMaximumLength'],
});
export const accountGroupsView = route({
  id: 'accountGroupsView',
  method: 'GET',
  path: `${accountOne}/groups`,
  summary: 'Reader groups of an account on the cluster now, with their clients and how far they have read',
  ...accountShared,
  response: AccountGroups,
  codes: accountOneCodes,
});
