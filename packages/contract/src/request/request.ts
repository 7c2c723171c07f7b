/**
 * Requests: a person or a service account asks for a change that another person decides. All kinds share states, routes and inbox. The kind
 * determines who decides, and applies the change in the transaction of the decision.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { requestScope } from './request-counts.ts';

/** All states except PENDING are final. */
export const requestStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN'] as const;
export const RequestStatus = z.enum(requestStatuses);
export type RequestStatus = z.infer<typeof RequestStatus>;

/** Minimum length of the reason for a rejection. */
export const reasonLength = 10;
/** Maximum number of requests in a bulk decision. */
export const mostDecided = 50;

export const Who = z.object({ id: z.string(), displayName: z.string() });
export type Who = z.infer<typeof Who>;

/** A field that approval changes, as text for people. */
export const RequestDifference = z.object({
  field: z.string(),
  label: z.string(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});
export type RequestDifference = z.infer<typeof RequestDifference>;

export const RequestComment = z.object({ by: Who, at: Instant, text: z.string() });
export type RequestComment = z.infer<typeof RequestComment>;

export const Request = z.object({
  /** `REQ-20418`. Ids are never reused. */
  id: z.string(),
  kind: z.string(),
  kindLabel: z.string(),
  /** The entity that the request is about. `path` is its page in the console. */
  subject: z.object({ kind: z.string(), id: z.string(), path: z.nullable(z.string()) }),
  /** Says in one sentence what is asked for. */
  title: z.string(),
  environmentClass: z.nullable(Environment),
  status: RequestStatus,
  requestedBy: Who,
  requestedAt: Instant,
  /** The requester's reason. */
  comment: z.nullable(z.string()),
  /** Receive notices and see the request first. Does not limit who may decide. */
  assignedTo: z.array(Who),
  actionedBy: z.nullable(Who),
  actionedAt: z.nullable(Instant),
  actionComment: z.nullable(z.string()),
  differences: z.array(RequestDifference),
  /** Increases with each change of a pending request. */
  revision: z.number(),
  /** The platform withdrew the request: what it asks for changed underneath it. */
  isVoid: z.boolean(),
  voidReason: z.nullable(z.string()),
  /** Date by which the request should be decided. */
  dueOn: z.string(),
  isLate: z.boolean(),
  /** Oldest first. Only in the answer for a single request; empty in lists. */
  comments: z.array(RequestComment),
  /** Verbs: decide, withdraw, update, assign, comment, raiseAgain. */
  can: Can,
});
export type Request = z.infer<typeof Request>;

export const requestViews = ['decide', 'mine', 'decided', 'all'] as const;
export const RequestView = z.enum(requestViews);
export type RequestView = z.infer<typeof RequestView>;

const several = <T extends z.ZodMiniType>(item: T) => z.optional(z.union([item, z.array(item)]));
/**
 * `decide`: pending requests that the caller, or the team or app, may decide. `mine`: raised by them. `decided`: decided by the caller, or
 * addressed to the team or app and no longer pending. `all`: every request that the caller may read.
 */
export const RequestQuery = z.extend(PageQuery, {
  view: z._default(RequestView, 'decide'),
  kind: z.optional(z.string()),
  status: several(RequestStatus),
  /** `upTo` of the first page. Requests raised since then are left out, so that pages do not shift. */
  upTo: z.optional(z.string()),
  ...requestScope,
});
export type RequestQuery = z.output<typeof RequestQuery>;

const text = (most: number) => z.string({ error: 'Required' }).check(z.trim(), z.maxLength(most, { error: 'ExceedsMaximumLength' }));
const OptionalText = z.optional(text(1000));
const RequiredComment = text(1000).check(z.minLength(1, { error: 'Required' }));
/** The write fails with RequestChanged if the request has another revision. If absent, any revision is accepted. */
const Revision = z.optional(z.number().check(z.int(), z.minimum(1)));
const decision = { status: z.enum(['APPROVED', 'REJECTED'], { error: 'InvalidValue' }), comment: OptionalText };
export const RequestDecision = z.object({ ...decision, revision: Revision });
export type RequestDecision = z.output<typeof RequestDecision>;

export const RequestOutcome = z.object({
  id: z.string(),
  /** State after the call. Null if the request does not exist or the caller may not see it. */
  status: z.nullable(RequestStatus),
  /** Why this request was not decided. */
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
});
export const RequestOutcomes = z.object({ content: z.array(RequestOutcome) });
export type RequestOutcomes = z.infer<typeof RequestOutcomes>;

const tag = 'Requests';
const one = '/api/v1/requests/{request}';
const signed = { tag, access: 'signedIn' } as const;
const textCodes = ['Required', 'ExceedsMaximumLength', 'InvalidValue', 'Minimum', 'NotAnInteger'] as const;
const writeCodes = [...textCodes, 'RequestDoesNotExist', 'RequestDecided', 'RequestChanged'] as const;

export const requestList = route('requestList', 'GET /api/v1/requests', {
  ...signed,
  summary: 'Requests of all kinds: to decide, by the caller, decided',
  description: 'Pending requests are ordered by due date, requests assigned to the caller first. Others are ordered newest first.',
  query: RequestQuery,
  response: z.extend(pageOf(Request), {
    /** Id of the newest request of all when the first page was read. */
    upTo: z.nullable(z.string()),
  }),
  codes: [...pageCodes, 'TeamDoesNotExist', 'ApplicationDoesNotExists', 'NotAMember'],
});
export const requestView = route('requestView', `GET ${one}`, {
  ...signed,
  summary: 'One request with its comments, for the requester, the deciders and the team that asks',
  response: Request,
  codes: ['RequestDoesNotExist'],
});
export const requestDecide = route('requestDecide', `PUT ${one}/decision`, {
  ...signed,
  summary: 'Approve or reject a request',
  description: `A rejection needs a comment of at least ${reasonLength} characters. Approval applies the change or starts its pipeline.`,
  body: RequestDecision,
  response: Request,
  codes: [
    'ProductionFrozen',
    ...writeCodes,
    'MinimumLength',
    'OwnRequest',
    'NotADecider',
    'ApproverMustBePerson',
    'RequestVoid',
    'TopicNotShared',
    'TopicGrantDoesNotExist',
    'StreamingPipelineRunning',
    'AccountNotCreated',
    'WorkflowExecutionAlreadyStarted',
    'DeployPipelineAlreadyRunning',
    'ChangeNoLongerFits',
    // Effects of the catalog's requests.
    'ApplicationAlreadyExists',
    'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS',
    'EntryAlreadyExists',
    'EntryDoesNotExist',
    'LastActiveOwner',
  ],
});
export const requestBulkDecide = route('requestBulkDecide', 'POST /api/v1/requests/decisions', {
  ...signed,
  summary: `Approve or reject up to ${mostDecided} requests, each in its own transaction`,
  body: z.object({
    requests: z
      .array(z.object({ id: z.string(), revision: Revision }))
      .check(z.minLength(1, { error: 'Required' }), z.maxLength(mostDecided, { error: 'ExceedsMaximumLength' })),
    ...decision,
  }),
  response: RequestOutcomes,
  codes: [...textCodes, 'MinimumLength'],
});
export const requestWithdraw = route('requestWithdraw', `POST ${one}/withdrawal`, {
  ...signed,
  summary: 'Withdraw a request of the caller',
  body: z._default(z.object({ comment: OptionalText }), {}),
  response: Request,
  codes: [...writeCodes, 'NotTheRequester', 'StreamingPipelineRunning', 'AccountNotCreated', 'WorkflowExecutionAlreadyStarted'],
});
export const requestUpdate = route('requestUpdate', `PUT ${one}`, {
  ...signed,
  summary: "Change the requester's reason of a pending request",
  description: 'The request gets a new revision: a decision on the former revision fails with RequestChanged. Comments stay.',
  body: z.object({ comment: RequiredComment, revision: Revision }),
  response: Request,
  codes: [...writeCodes, 'NotTheRequester'],
});
export const requestAssign = route('requestAssign', `PUT ${one}/assignment`, {
  ...signed,
  summary: 'Delegate a pending request to other people who may decide it',
  body: z.object({
    assignedTo: z.array(z.string()).check(z.minLength(1, { error: 'Required' }), z.maxLength(10, { error: 'ExceedsMaximumLength' })),
    comment: OptionalText,
  }),
  response: Request,
  codes: [...writeCodes, 'NotADecider', 'AssigneeMayNotDecide'],
});
export const requestCommentCreate = route('requestCommentCreate', `POST ${one}/comments`, {
  ...signed,
  summary: 'Comment on a request',
  body: z.object({ text: RequiredComment }),
  response: Request,
  status: 201,
  codes: [...textCodes, 'RequestDoesNotExist', 'TooManyComments'],
});
export const requestRaiseAgain = route('requestRaiseAgain', `POST ${one}/repetition`, {
  ...signed,
  summary: 'Raise a rejected, withdrawn or void request again, with the same content',
  body: z._default(z.object({ comment: OptionalText }), {}),
  response: Request,
  status: 201,
  codes: [
    ...textCodes,
    'RequestDoesNotExist',
    'NotTheRequester',
    'RequestNotRepeatable',
    'RequestAlreadyPending',
    'EntryDoesNotExist',
    'EntryNotActive',
    'ChangeNoLongerFits',
    'ApprovalNotNeeded',
    'DeployPipelineAlreadyRunning',
  ],
});
