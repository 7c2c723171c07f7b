/** Requests of the catalog: the inbox, one request, its comments, assignment and decision. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import {
  catalogPath,
  CatalogPerson,
  catalogTag as tag,
  formCodes,
  listOfWords,
  OptionalComment,
  recordCodes,
  recordsOf,
  recordsQuery,
  RequestComment,
} from './entry.ts';

export const requestTypes = ['ONBOARD', 'UPDATE', 'OWNER_CHANGE', 'PLATFORM_CHANGE', 'DECOMMISSION', 'DATA_ISSUE'] as const;
export const CatalogRequestType = z.enum(requestTypes);
export type CatalogRequestType = z.infer<typeof CatalogRequestType>;
export const requestStatuses = ['PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN'] as const;
export const CatalogRequestStatus = z.enum(requestStatuses);
export type CatalogRequestStatus = z.infer<typeof CatalogRequestStatus>;

export const CatalogRequest = z.object({
  requestId: z.string(),
  entityId: z.string(),
  entity: z.enum(['APPLICATION', 'PLATFORM', 'PORTFOLIO', 'PRODUCT']),
  entityName: z.string(),
  reqType: CatalogRequestType,
  status: CatalogRequestStatus,
  requestedBy: CatalogPerson,
  requestedDate: Instant,
  requestComment: z.nullable(z.string()),
  /** Approvers that the request is routed to. Empty for all approvers. */
  assignedTo: z.array(CatalogPerson),
  actionedDate: z.nullable(Instant),
  actionedBy: z.nullable(CatalogPerson),
  actionComment: z.nullable(z.string()),
  /** The entry as it would be after the approval. */
  applicationMetaResponse: z.nullable(z.record(z.string(), z.unknown())),
  /** Fields that the request changes, and their values when it was raised. */
  payload: z.record(z.string(), z.unknown()),
  base: z.record(z.string(), z.unknown()),
  revision: z.number(),
  /** True if the platform withdrew the request because its subject changed. */
  void: z.boolean(),
  voidReason: z.nullable(z.string()),
  dueDate: z.iso.date(),
  comments: z.array(z.object({ by: CatalogPerson, at: Instant, text: z.string() })),
  can: z.record(z.string(), z.union([z.literal(true), z.string()])),
});
export type CatalogRequest = z.infer<typeof CatalogRequest>;

/** Body of a decision. A rejection needs a comment of at least 10 characters. */
export const CatalogDecision = z.object({
  status: z.enum(['APPROVED', 'REJECTED', 'WITHDRAWN'], { error: 'Required' }),
  comment: OptionalComment,
});
export type CatalogDecision = z.infer<typeof CatalogDecision>;
/** `If-Match: "REQ-20418.2"`: the revision that the caller saw. */
export const decisionHeaders = {
  'If-Match': z.optional(z.string().check(z.regex(/^"?REQ-\d+\.\d+"?$/, { error: 'InvalidValue' }))),
} as const;
export const decisionCodes = [
  ...formCodes,
  'RequestDoesNotExist',
  'RequestChanged',
  'RequestDecided',
  'RequestVoid',
  'OwnRequest',
  'NotCatalogueApprover',
  'NotTheRequester',
  // The decision carries out the request, whose rules apply again.
  'EntryAlreadyExists',
  'ApplicationAlreadyExists',
  'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS',
  'PlatformNotActive',
  'PortfolioNotActive',
  'OwnerNotInDirectory',
  'LastActiveOwner',
  'PlatformHasApplications',
  'PortfolioHasPlatforms',
  'ProductHasApplications',
] as const;

const access = 'signedIn';
const base = `${catalogPath}/requests` as const;
const one = { tag, access, response: CatalogRequest } as const;

const route = routesIn({ tag, access });
export const catalogRequestView = route('catalogRequestView', `GET ${base}/{requestId}`, {
  ...one,
  summary: 'One request',
  codes: ['RequestDoesNotExist'],
});
export const catalogRequestDecide = route('catalogRequestDecide', `PUT ${base}/{requestId}/approval`, {
  ...one,
  summary: 'Approve, reject or withdraw a request',
  headers: z.object(decisionHeaders),
  body: CatalogDecision,
  codes: decisionCodes,
});
export const catalogRequestComment = route('catalogRequestComment', `POST ${base}/{requestId}/comments`, {
  ...one,
  summary: 'Comment on a request',
  body: z.object({
    text: z
      .string({ error: 'Required' })
      .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(1000, { error: 'ExceedsMaximumLength' })),
  }),
  status: 201,
  codes: ['RequestDoesNotExist', 'Required', 'ExceedsMaximumLength', 'TooManyComments'],
});
export const catalogRequestAssign = route('catalogRequestAssign', `PUT ${base}/{requestId}/assignment`, {
  ...one,
  summary: 'Delegate a request to another approver',
  body: z.object({ assignedTo: z.array(z.string()).check(z.minLength(1, { error: 'Required' }), z.maxLength(5)), comment: RequestComment }),
  codes: [...formCodes, 'RequestDoesNotExist', 'RequestDecided', 'NotCatalogueApprover', 'AssigneeMayNotDecide'],
});
const maxDecidedAtOnce = 50;
export const catalogRequestsDecide = route('catalogRequestsDecide', `PUT ${catalogPath}/users/requests/approval`, {
  summary: 'Decide up to 50 requests, each in its own transaction',
  body: z.extend(CatalogDecision, {
    requestIds: z.array(z.string()).check(z.minLength(1, { error: 'Required' }), z.maxLength(maxDecidedAtOnce, { error: 'Maximum' })),
  }),
  response: z.array(z.object({ requestId: z.string(), request: z.nullable(CatalogRequest), code: z.nullable(z.string()) })),
  codes: formCodes,
});

export const requestViews = ['mine', 'decide', 'decided'] as const;
const inbox = {
  /** Comma-separated statuses. Defaults to all. */
  status: listOfWords(requestStatuses),
  /** `mine`: raised by the caller. `decide`: waiting for the caller. `decided`: decided by the caller. Defaults to all three. */
  view: z.optional(z.enum(requestViews, { error: 'InvalidValue' })),
};
export const CatalogRequestRecords = recordsOf(CatalogRequest);
export const catalogRequestList = route('catalogRequestList', `GET ${catalogPath}/users/requests`, {
  summary: "The caller's requests: raised, waiting for a decision, and decided",
  query: z.extend(z.omit(recordsQuery(['score']), { sort: true }), inbox),
  response: CatalogRequestRecords,
  codes: recordCodes,
});
export const catalogRequestCount = route('catalogRequestCount', `GET ${catalogPath}/users/requests/{status}/count`, {
  summary: "Number of the caller's requests in a status",
  query: z.object({ view: inbox.view }),
  response: z.object({ count: z.number() }),
  alsoAs: ['text/plain'],
  codes: ['InvalidValue'],
});
