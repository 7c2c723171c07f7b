/** Applications of the catalog, and the calls that only they have. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { changesOf } from '../resource.ts';
import { catalogApplicationKind } from '../kinds/catalog.kind.ts';
import {
  CatalogPerson,
  catalogTag as tag,
  DateOnly,
  entryAudit,
  EntryDescription,
  entryKinds,
  EntryName,
  entrySorts,
  entryWriteCodes,
  formCodes,
  idHeader,
  LabelRef,
  OptionalComment,
  Owners,
  PlatformRef,
  ProductRef,
  recordsOf,
  recordsQuery,
  RequestComment,
} from './entry.ts';
import { EntryPatch, entryRoutes } from './entry-routes.ts';
import { CatalogDecision, CatalogRequest, CatalogRequestType, decisionCodes, decisionHeaders } from './request.ts';
import { scorecardChecks } from './rules.ts';

export const CatalogApplication = z.object({
  applicationId: z.string(),
  applicationName: z.string(),
  description: z.string(),
  owners: z.array(CatalogPerson),
  platform: z.nullable(PlatformRef),
  product: z.nullable(ProductRef),
  criticalityCategory: z.nullable(z.object({ id: z.string(), category: z.string() })),
  classification: z.nullable(z.object({ id: z.string(), classification: z.string() })),
  mipLayer: z.nullable(z.object({ id: z.string(), layer: z.string() })),
  strategicIntent: z.nullable(z.object({ id: z.string(), intent: z.string() })),
  targetDecommissioningDate: z.nullable(z.iso.date()),
  decommissionedDate: z.nullable(z.iso.date()),
  productionDeployed: z.boolean(),
  explorationApp: z.boolean(),
  /** Runs outside of Slipway. */
  locallyManaged: z.boolean(),
  validApp: z.boolean(),
  verified: z.boolean(),
  labels: z.array(LabelRef),
  /** The linked app. */
  app: z.nullable(z.object({ id: z.string(), displayName: z.string() })),
  /** When an instance of the linked app was last ready. */
  seenRunningAt: z.nullable(Instant),
  attestedAt: z.nullable(Instant),
  attestedBy: z.nullable(CatalogPerson),
  /** True if the decommissioning was due but the linked app still runs. */
  overdue: z.boolean(),
  /** The seven checks, or six if it is locally managed. */
  scorecard: z.array(z.object({ check: z.enum(scorecardChecks), holds: z.boolean() })),
  ...entryAudit,
});
export type CatalogApplication = z.infer<typeof CatalogApplication>;

const optionId = z.nullable(z.string().check(z.maxLength(60, { error: 'ExceedsMaximumLength' })));
const fields = {
  owners: Owners,
  applicationName: EntryName,
  description: EntryDescription,
  platformId: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  criticalityId: z._default(optionId, null),
  classificationId: z._default(optionId, null),
  mipLayerId: z._default(optionId, null),
  strategicIntentId: z._default(optionId, null),
  targetDecommissioningDate: z._default(z.nullable(DateOnly), null),
  /** Required by version 2 of the call. */
  productionDeployed: z.optional(z.boolean()),
  explorationApp: z._default(z.boolean(), false),
  locallyManaged: z._default(z.boolean(), false),
  labels: z._default(z.array(z.string()).check(z.maxLength(50, { error: 'Maximum' })), []),
  requestComment: z.optional(RequestComment),
};
export const CatalogApplicationCreate = z.object(fields);
export type CatalogApplicationCreate = z.infer<typeof CatalogApplicationCreate>;
export const CatalogApplicationUpdate = z.extend(changesOf(fields), {
  /** `PENDING` sends a rejected application again. Otherwise it must equal the stored status. */
  status: z.optional(z.string()),
  /** Ignored unless the caller is an approver. */
  rejectedComments: z.optional(z.nullable(z.string().check(z.maxLength(1000, { error: 'ExceedsMaximumLength' })))),
});
export const CatalogApplicationPatch = z.extend(EntryPatch, { criticalityId: z.optional(z.string()) });
/** `criticalityId`, `status` and `labels` must equal the stored values: proof that the caller saw the newest version. */
export const CatalogApplicationDecommission = z.object({
  reason: z.optional(RequestComment),
  targetDate: z.optional(DateOnly),
  criticalityId: z.optional(z.nullable(z.string())),
  status: z.optional(z.string()),
  labels: z.optional(z.array(z.string())),
});

const count = z.object({ active: z.number(), inactive: z.number(), total: z.number() });
const made = entryRoutes({
  kind: catalogApplicationKind,
  plural: 'applications',
  param: 'appId',
  header: 'Mac-App-Id',
  view: CatalogApplication,
  create: CatalogApplicationCreate,
  update: CatalogApplicationUpdate,
  query: z.extend(recordsQuery(entrySorts), {
    /** Part of the name. Case and accents are ignored. */
    name: z.optional(z.string().check(z.maxLength(100))),
    /** Window of `appOnboardedCount` in days. */
    days: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(365)), 30),
  }),
  list: z.extend(recordsOf(CatalogApplication), {
    applicationInfo: count,
    platformInfo: count,
    portfolioInfo: count,
    appOnboardedCount: z.number(),
    days: z.number(),
  }),
  codes: {
    form: [
      'ApplicationAlreadyExists',
      'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS',
      'PlatformNotActive',
      'OwnerNotInDirectory',
      'DateInPast',
      'OptionDoesNotExist',
      'LabelDoesNotExist',
      'UnsupportedVersion',
    ],
    kept: [],
  },
});
const id = idHeader('Mac-App-Id');
export const catalogApplicationRoutes = {
  ...made,
  view: {
    ...made.view,
    query: z.object({
      includeRequest: z._default(z.stringbool(), false),
      requestId: z.optional(z.string()),
      requestType: z.optional(CatalogRequestType),
    }),
    response: z.extend(CatalogApplication, { request: z.optional(z.nullable(CatalogRequest)) }),
    codes: [...made.view.codes, 'RequestDoesNotExist', 'InvalidValue'],
  },
  create: { ...made.create, headers: z.extend(made.create.headers, { 'X-API-Version': z._default(z.string(), '1') }) },
  patch: {
    ...made.patch,
    headers: id,
    body: CatalogApplicationPatch,
    codes: [...made.patch.codes, 'ApplicationAlreadyExists', 'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS', 'OptionDoesNotExist'],
  },
  remove: { ...made.remove, headers: id, body: CatalogApplicationDecommission },
} as const;
export const {
  list: catalogApplicationList,
  view: catalogApplicationView,
  create: catalogApplicationCreate,
  update: catalogApplicationUpdate,
  patch: catalogApplicationPatch,
  remove: catalogApplicationDecommission,
  history: catalogApplicationHistory,
  requests: catalogApplicationRequests,
} = catalogApplicationRoutes;

const base = made.view.path;
const access = 'signedIn';
const route = routesIn({ tag, access });
export const catalogApplicationOwnersDecide = route('catalogApplicationOwnersDecide', `PUT ${base}/owners`, {
  summary: 'Decide a request to change owners',
  headers: z.extend(id, decisionHeaders),
  query: z.object({ requestId: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })) }),
  body: z.object({ status: CatalogDecision.shape.status, comments: OptionalComment }),
  response: CatalogRequest,
  codes: [...decisionCodes, 'EntryDoesNotExist', 'HeaderMismatch'],
});
export const catalogApplicationApprovalDecide = route('catalogApplicationApprovalDecide', `PUT ${base}/approval/{requestId}`, {
  summary: 'Decide a request of the application',
  headers: z.extend(id, decisionHeaders),
  body: CatalogDecision,
  response: CatalogRequest,
  codes: [...decisionCodes, 'EntryDoesNotExist', 'HeaderMismatch'],
});
export const catalogIssueCreate = route('catalogIssueCreate', `POST ${base}/issue`, {
  summary: 'Report wrong data of the application',
  body: z.object({ comments: RequestComment, field: z.optional(z.string().check(z.maxLength(60, { error: 'ExceedsMaximumLength' }))) }),
  response: CatalogRequest,
  status: 201,
  codes: [...formCodes, 'EntryDoesNotExist', 'EntryNotActive', 'RequestAlreadyPending'],
});
export const catalogAttestationSet = route('catalogAttestationSet', `PUT ${base}/attestation`, {
  summary: 'Confirm that the entry is still true',
  response: CatalogApplication,
  codes: ['EntryDoesNotExist', 'EntryNotActive', 'NotCatalogueOwner'],
});
export const catalogAppUnlink = route('catalogAppUnlink', `DELETE ${base}/app`, {
  summary: 'Unlink the app from the application',
  body: z.object({ reason: RequestComment }),
  response: CatalogApplication,
  codes: [...formCodes, 'EntryDoesNotExist', 'NotCatalogueApprover', 'MacIdNotLinked'],
});

const maxChangedAtOnce = 500;
const ids = z._default(z.array(z.string()).check(z.maxLength(10, { error: 'Maximum' })), []);
export const bulkOutcomes = ['DONE', 'REQUESTED', 'LEFT_OUT'] as const;
export const catalogBulkChange = route('catalogBulkChange', 'POST /api/catalogue/bulk', {
  summary: 'Change owners and labels of up to 500 entries, each in its own transaction',
  description: 'With `dryRun=true` it answers what would happen and changes nothing.',
  query: z.object({ dryRun: z._default(z.stringbool(), false) }),
  body: z.object({
    entries: z
      .array(z.object({ kind: z.enum(entryKinds), id: z.string() }))
      .check(z.minLength(1, { error: 'Required' }), z.maxLength(maxChangedAtOnce, { error: 'Maximum' })),
    addOwners: ids,
    removeOwners: ids,
    addLabels: ids,
    removeLabels: ids,
    requestComment: z.optional(RequestComment),
  }),
  response: z.array(
    z.object({
      kind: z.enum(entryKinds),
      id: z.string(),
      name: z.nullable(z.string()),
      outcome: z.enum(bulkOutcomes),
      requestId: z.nullable(z.string()),
      /** Why the entry was left out. */
      code: z.nullable(z.string()),
    }),
  ),
  bodyLimitKilobytes: 128,
  codes: [...entryWriteCodes, 'OwnerNotInDirectory', 'LabelDoesNotExist'],
});
