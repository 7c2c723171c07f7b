/**
 * Grants: the right of an account to read or write a topic. The platform derives access rules on the cluster only from approved grants.
 * Approval is automatic for the team's own topics and, in development, for READ of other teams' PUBLIC and INTERNAL topics. Otherwise a
 * member of the team that owns the topic decides. An account requests a grant by listing the topic.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, RequiredText, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { DataClassification, Person, isReadFree } from './streaming.ts';

export const topicOperations = ['READ', 'WRITE'] as const;
export const TopicOperation = z.enum(topicOperations);
export type TopicOperation = z.infer<typeof TopicOperation>;

/** WITHDRAWN by the account's team, REVOKED by the topic's team. */
export const grantStates = ['REQUESTED', 'APPROVED', 'DECLINED', 'WITHDRAWN', 'REVOKED'] as const;
export const GrantState = z.enum(grantStates);
export type GrantState = z.infer<typeof GrantState>;

/** Reason for approval: the team's own topic, the rule for development, or a person's decision. */
export const grantBases = ['OWN', 'AUTOMATIC', 'DECISION'] as const;
export type GrantBasis = (typeof grantBases)[number];

/** Evaluates a request from topic, account and environment; `TopicNotShared` rejects it. The server enforces the result, forms show it. */
export const grantRule = (asked: {
  readonly environment: Environment;
  readonly operation: TopicOperation;
  /** True if one team owns both account and topic. */
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
  /** Null unless approved. */
  basis: z.nullable(z.enum(grantBases)),
  /** The account that requests access. */
  account: z.object({ resourceId: z.string(), name: z.string(), applicationCode: z.string(), team: Team, user: z.string() }),
  /** The requested topic. `topicName` is its name on the cluster. */
  topic: z.object({
    resourceId: z.string(),
    name: z.string(),
    applicationCode: z.string(),
    team: Team,
    topicName: z.string(),
    classification: DataClassification,
    isSharable: z.boolean(),
  }),
  /** The requester's reason. */
  reason: z.nullable(z.string()),
  requestedAt: Instant,
  requestedBy: Person,
  /** The last person to approve, decline, withdraw or revoke, and the time. The person is null if a rule decided. */
  decidedAt: z.nullable(Instant),
  decidedBy: z.nullable(Person),
  /** The comment on the decision. */
  decision: z.nullable(z.string()),
  /** True while a pipeline of the account applies the decision. If the pipeline fails, the decision is reverted. */
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

/** A topic that an account lists. */
export const TopicReference = z.object({
  /** Id or name of the topic. */
  resourceId: z
    .string({ error: 'Required' })
    .check(z.minLength(1, { error: 'Required' }), z.maxLength(80, { error: 'ExceedsMaximumLength' })),
  resourceType: z._default(z.literal('TOPIC', { error: 'InvalidValue' }), 'TOPIC'),
  /** The app that owns the topic. Defaults to the account's app. */
  applicationCode: z.optional(z.string()),
});
export type TopicReference = z.output<typeof TopicReference>;

/** An account with an approved grant for a topic. */
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
  /** `asked`: requests by own accounts. `received`: requests for own topics. Defaults to both. */
  side: z.optional(z.enum(['asked', 'received'])),
  topic: z.optional(z.string()),
  account: z.optional(z.string()),
});

const route = routesIn({ tag, access: 'signedIn' });
export const topicGrantList = route('topicGrantList', `GET ${environment}/topic-grants`, {
  summary: 'What the accounts of an app have asked for, and what was asked for its topics',
  access: 'appMemberHidden',
  query: TopicGrantQuery,
  response: pageOf(TopicGrant),
  codes: [...above, ...pageCodes],
});
export const topicGrantTeamList = route('topicGrantTeamList', 'GET /api/v1/teams/{team}/topic-grants', {
  summary: 'Requests to a team and by it, in both environments; those that wait first',
  access: 'teamMember',
  query: z.extend(TopicGrantQuery, { environment: z.optional(Environment) }),
  response: pageOf(TopicGrant),
  codes: ['TeamDoesNotExist', 'NotAMember', ...pageCodes],
});
export const topicGrantView = route('topicGrantView', `GET ${one}`, {
  summary: 'One grant, for members of the team that asks and of the team that decides',
  response: TopicGrant,
  codes: ['TopicGrantDoesNotExist'],
});
/** A pipeline of the account applies the change. The topic's team cannot see that pipeline, so the answer is the grant. */
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
export const topicGrantApprove = route('topicGrantApprove', `POST ${one}/approval`, {
  ...changed,
  summary: 'Approve a request: a pipeline makes the access rule',
  body: z._default(z.object({ reason: Reason }), {}),
  codes: [...changeCodes, 'TopicGrantDecided', 'TopicNotShared'],
});
export const topicGrantDecline = route('topicGrantDecline', `POST ${one}/refusal`, {
  summary: 'Decline a request, with the reason',
  body: z.object({ reason: RequiredText }),
  response: TopicGrant,
  codes: [...oneCodes, 'Required', 'ExceedsMaximumLength', 'TopicGrantDecided'],
});
export const topicGrantRevoke = route('topicGrantRevoke', `POST ${one}/revocation`, {
  ...changed,
  summary: 'Take an approved grant back, with the reason: a pipeline removes the access rule',
  body: z.object({ reason: RequiredText }),
  codes: [...changeCodes, 'TopicGrantNotApproved'],
});
export const topicGrantWithdraw = route('topicGrantWithdraw', `POST ${one}/withdrawal`, {
  ...changed,
  summary: 'Give up a request or a grant of an own account: the account lists the topic no longer',
  codes: [...changeCodes, 'TopicGrantDecided'],
});
export const topicUsageView = route('topicUsageView', `GET ${environment}/topics/{topic}/usage`, {
  summary: 'Accounts that may write or read a topic, writers first',
  access: 'appMember',
  response: TopicUsage,
  codes: [...above, 'TopicDoesNotExist', 'NotAMember'],
});
