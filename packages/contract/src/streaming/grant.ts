/**
 * Grants: that an account may read or write a topic. Access rules on the cluster are made of approved grants and of nothing else. Topics of
 * the own team are granted at once, READ of PUBLIC and INTERNAL topics of others in development, too; everything else is decided by a
 * member of the team that owns the topic. A request is asked by the account that lists the topic.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, RequiredText, pageCodes, pageOf } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { DataClassification, Person, isReadFree } from './streaming.ts';

export const topicOperations = ['READ', 'WRITE'] as const;
export const TopicOperation = z.enum(topicOperations);
export type TopicOperation = z.infer<typeof TopicOperation>;

/** WITHDRAWN by the account's team, REVOKED by the topic's. */
export const grantStates = ['REQUESTED', 'APPROVED', 'DECLINED', 'WITHDRAWN', 'REVOKED'] as const;
export const GrantState = z.enum(grantStates);
export type GrantState = z.infer<typeof GrantState>;

/** Why it was approved: the topic is the own team's, the rule for development, or somebody's decision. */
export const grantBases = ['OWN', 'AUTOMATIC', 'DECISION'] as const;
export type GrantBasis = (typeof grantBases)[number];

/** What a topic, its asker and the environment come to; `TopicNotShared` refuses the request. The server enforces it, forms show it. */
export const grantRule = (asked: {
  readonly environment: Environment;
  readonly operation: TopicOperation;
  /** One team owns account and topic. */
  readonly isOwnTeam: boolean;
  readonly isSharable: boolean;
  readonly classification: DataClassification;
}): 'OWN' | 'AUTOMATIC' | 'REQUEST' | 'TopicNotShared' => {
  if (asked.isOwnTeam) return 'OWN';
  if (!asked.isSharable) return 'TopicNotShared';
  return asked.operation === 'READ' && isReadFree(asked.environment, asked.classification) ? 'AUTOMATIC' : 'REQUEST';
};

const Team = z.object({ id: z.string(), displayName: z.string() });
export const TopicGrant = z.object({
  id: z.string(),
  environmentClass: Environment,
  operation: TopicOperation,
  state: GrantState,
  /** Null as long as it is not approved. */
  basis: z.nullable(z.enum(grantBases)),
  /** Who asks, and by which account. */
  account: z.object({ resourceId: z.string(), name: z.string(), applicationCode: z.string(), team: Team, user: z.string() }),
  /** What is asked for. `topicName`: as the cluster knows it. */
  topic: z.object({
    resourceId: z.string(),
    name: z.string(),
    applicationCode: z.string(),
    team: Team,
    topicName: z.string(),
    classification: DataClassification,
    isSharable: z.boolean(),
  }),
  /** Why they need it, in their words. */
  reason: z.nullable(z.string()),
  requestedAt: Instant,
  requestedBy: Person,
  /** Who approved, declined, withdrew or revoked it last; null where a rule did. */
  decidedAt: z.nullable(Instant),
  decidedBy: z.nullable(Person),
  /** What was said with the decision. */
  decision: z.nullable(z.string()),
  /** A pipeline of the account is under way: what was decided is being carried out, and is taken back where that fails. */
  isBusy: z.boolean(),
  /** Verbs: decide, revoke, withdraw. */
  can: Can,
});
export type TopicGrant = z.infer<typeof TopicGrant>;

type Facts = Pick<TopicGrant, 'state'>;
export const grantDecideRule = ({ state }: Facts): true | 'TopicGrantDecided' => (state === 'REQUESTED' ? true : 'TopicGrantDecided');
export const grantRevokeRule = ({ state }: Facts): true | 'TopicGrantNotApproved' =>
  state === 'APPROVED' ? true : 'TopicGrantNotApproved';
export const grantWithdrawRule = ({ state }: Facts): true | 'TopicGrantDecided' =>
  state === 'REQUESTED' || state === 'APPROVED' ? true : 'TopicGrantDecided';

/** A topic that an account names. */
export const TopicReference = z.object({
  /** Its id, or its name. */
  resourceId: z
    .string({ error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(80, { error: 'ExceedsMaximumLength' })),
  resourceType: z._default(z.literal('TOPIC', { error: 'InvalidValue' }), 'TOPIC'),
  /** The app that owns it; the account's own, unless said. */
  applicationCode: z.optional(z.string()),
});
export type TopicReference = z.output<typeof TopicReference>;

/** An account that may use a topic, by an approved grant. */
export const TopicUser = z.object({
  accountId: z.string(),
  account: z.string(),
  applicationCode: z.string(),
  teamId: z.string(),
  teamName: z.string(),
  operation: TopicOperation,
  since: Instant,
});
export type TopicUser = z.infer<typeof TopicUser>;
export const TopicUsage = z.object({ users: z.array(TopicUser) });

const tag = 'Streaming access';
const environment = '/api/v1/apps/{app}/{env}';
const one = '/api/v1/topic-grants/{grant}';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const oneCodes = ['TopicGrantDoesNotExist', 'NotAMember'] as const;
const several = <T extends z.ZodMiniType>(item: T) => z.optional(z.union([item, z.array(item)]));
/** Newest first. */
export const TopicGrantQuery = z.extend(PageQuery, {
  state: several(GrantState),
  /** `asked`: by the accounts; `received`: for the topics. Both unless said. */
  side: z.optional(z.enum(['asked', 'received'])),
  topic: z.optional(z.string()),
  account: z.optional(z.string()),
});

export const topicGrantList = route({
  id: 'topicGrantList',
  method: 'GET',
  path: `${environment}/topic-grants`,
  summary: 'What the accounts of an app have asked for, and what was asked for its topics',
  tag,
  access: 'appMemberHidden',
  query: TopicGrantQuery,
  response: pageOf(TopicGrant),
  codes: [...above, ...pageCodes],
});
export const topicGrantTeamList = route({
  id: 'topicGrantTeamList',
  method: 'GET',
  path: '/api/v1/teams/{team}/topic-grants',
  summary: 'Requests to a team and by it, in both environments; those that wait first',
  tag,
  access: 'teamMember',
  query: z.extend(TopicGrantQuery, { environment: z.optional(Environment) }),
  response: pageOf(TopicGrant),
  codes: ['TeamDoesNotExist', 'NotAMember', ...pageCodes],
});
export const topicGrantView = route({
  id: 'topicGrantView',
  method: 'GET',
  path: one,
  summary: 'One grant, for members of the team that asks and of the team that decides',
  tag,
  access: 'signedIn',
  response: TopicGrant,
  codes: ['TopicGrantDoesNotExist'],
});
/** A pipeline of the account carries it out, which the team of the topic does not see: the answer is the grant. */
const changed = { tag, access: 'signedIn', response: TopicGrant, status: 202 } as const;
const changeCodes = [
  ...oneCodes,
  'Required',
  'ExceedsMaximumLength',
  'WorkflowExecutionAlreadyStarted',
  'StreamingPipelineRunning',
  'AccountNotCreated',
] as const;
const Reason = z.optional(z.string().check(z.trim(), z.maxLength(500, { error: 'ExceedsMaximumLength' })));
export const topicGrantApprove = route({
  ...changed,
  id: 'topicGrantApprove',
  method: 'POST',
  path: `${one}/approval`,
  summary: 'Approve a request: a pipeline makes the access rule',
  body: z._default(z.object({ reason: Reason }), {}),
  codes: [...changeCodes, 'TopicGrantDecided', 'TopicNotShared'],
});
export const topicGrantDecline = route({
  id: 'topicGrantDecline',
  method: 'POST',
  path: `${one}/refusal`,
  summary: 'Decline a request, with the reason',
  tag,
  access: 'signedIn',
  body: z.object({ reason: RequiredText }),
  response: TopicGrant,
  codes: [...oneCodes, 'Required', 'ExceedsMaximumLength', 'TopicGrantDecided'],
});
export const topicGrantRevoke = route({
  ...changed,
  id: 'topicGrantRevoke',
  method: 'POST',
  path: `${one}/revocation`,
  summary: 'Take an approved grant back, with the reason: a pipeline removes the access rule',
  body: z.object({ reason: RequiredText }),
  codes: [...changeCodes, 'TopicGrantNotApproved'],
});
export const topicGrantWithdraw = route({
  ...changed,
  id: 'topicGrantWithdraw',
  method: 'POST',
  path: `${one}/withdrawal`,
  summary: 'Give up a request or a grant of an own account: the account lists the topic no longer',
  codes: [...changeCodes, 'TopicGrantDecided'],
});
export const topicUsageView = route({
  id: 'topicUsageView',
  method: 'GET',
  path: `${environment}/topics/{topic}/usage`,
  summary: 'Accounts that may write or read a topic, writers first',
  tag,
  access: 'appMember',
  response: TopicUsage,
  codes: [...above, 'TopicDoesNotExist', 'NotAMember'],
});
