/** Products of the catalog, which group applications of one platform. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { changesOf } from '../resource.ts';
import { catalogProductKind } from '../kinds/catalog.kind.ts';
import {
  CatalogPerson,
  catalogTag as tag,
  entryAudit,
  EntryDescription,
  EntryName,
  entrySorts,
  EntryStatus,
  entryWriteCodes,
  idHeader,
  LabelRef,
  Owners,
  PlatformRef,
  recordCodes,
  recordsOf,
  recordsQuery,
  RequestComment,
  sourceHeader,
} from './entry.ts';
import { entryRoutes } from './entry-routes.ts';

export const productTypes = ['EXTERNAL', 'INTERNAL'] as const;
export const entrySources = ['CONSOLE', 'API', 'IMPORT'] as const;
const ApplicationRef = z.object({ applicationId: z.string(), applicationName: z.string(), status: EntryStatus });
export const CatalogProduct = z.object({
  productId: z.string(),
  productName: z.string(),
  productCode: z.string(),
  productType: z.enum(productTypes),
  description: z.string(),
  owners: z.array(CatalogPerson),
  platform: z.nullable(PlatformRef),
  /** The first 100 applications. */
  applications: z.array(ApplicationRef),
  source: z.enum(entrySources),
  labels: z.array(LabelRef),
  ...entryAudit,
});
export type CatalogProduct = z.infer<typeof CatalogProduct>;

const fields = {
  owners: Owners,
  productName: EntryName,
  productCode: z
    .string({ error: 'Required' })
    .check(z.trim(), z.minLength(1, { error: 'Required', abort: true }), z.regex(/^[A-Z0-9-]{2,12}$/, { error: 'DoesNotMatchPattern' })),
  productType: z._default(z.enum(productTypes), 'INTERNAL'),
  description: EntryDescription,
  source: z.optional(z.enum(entrySources)),
  platformId: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  status: z.optional(z.string()),
  requestComment: z.optional(RequestComment),
};
export const CatalogProductCreate = z.object(fields);
export const CatalogProductUpdate = z.extend(changesOf(fields), {
  /** True if `platformId` differs from the stored one. The product's applications then move along. */
  platformChanged: z.optional(z.boolean()),
});

const made = entryRoutes({
  kind: catalogProductKind,
  plural: 'products',
  param: 'productId',
  header: 'Mac-Product-Id',
  view: CatalogProduct,
  create: CatalogProductCreate,
  update: CatalogProductUpdate,
  query: z.extend(recordsQuery(entrySorts), { id: z.optional(z.string()), name: z.optional(z.string().check(z.maxLength(100))) }),
  list: recordsOf(CatalogProduct),
  codes: { form: ['EntryAlreadyExists', 'PlatformNotActive', 'OwnerNotInDirectory'], kept: ['ProductHasApplications'] },
});
export const catalogProductRoutes = {
  ...made,
  create: { ...made.create, codes: [...made.create.codes, 'StatusNotSettable'] },
  update: { ...made.update, codes: [...made.update.codes, 'PlatformChangedMismatch'] },
} as const;
export const {
  list: catalogProductList,
  view: catalogProductView,
  create: catalogProductCreate,
  update: catalogProductUpdate,
  patch: catalogProductPatch,
  remove: catalogProductDecommission,
  history: catalogProductHistory,
  requests: catalogProductRequests,
} = catalogProductRoutes;

const contents = `${made.view.path}/applications` as const;
export const catalogProductApplications = route('catalogProductApplications', `GET ${contents}`, {
  summary: 'Applications of the product',
  tag,
  access: 'signedIn',
  query: recordsQuery(entrySorts),
  response: recordsOf(ApplicationRef),
  codes: [...recordCodes, 'EntryDoesNotExist'],
});
export const catalogProductApplicationsSet = route('catalogProductApplicationsSet', `PATCH ${contents}`, {
  summary: 'Replace the applications of the product',
  tag,
  access: 'signedIn',
  headers: z.extend(idHeader('Mac-Product-Id'), sourceHeader),
  body: z.object({ applicationIds: z.array(z.string(), { error: 'Required' }).check(z.maxLength(1000, { error: 'Maximum' })) }),
  response: CatalogProduct,
  codes: [...entryWriteCodes, 'ApplicationOfOtherPlatform', 'ApplicationInOtherProduct'],
});
