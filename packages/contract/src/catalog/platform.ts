/** Platforms of the catalog, which group applications and products. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { changesOf } from '../resource.ts';
import { catalogPlatformKind } from '../kinds/catalog.kind.ts';
import {
  CatalogPerson,
  catalogTag as tag,
  choiceOf,
  entryAudit,
  EntryDescription,
  EntryName,
  entrySorts,
  EntryStatus,
  LabelRef,
  Owners,
  PortfolioRef,
  recordCodes,
  recordsOf,
  recordsQuery,
  RequestComment,
} from './entry.ts';
import { entryRoutes } from './entry-routes.ts';

export const platformTypes = ['CUSTOMER', 'OPERATIONS', 'CORPORATE', 'DATA', 'FOUNDATION'] as const;
export const CatalogPlatform = z.object({
  platformId: z.string(),
  platformName: z.string(),
  description: z.string(),
  owners: z.array(CatalogPerson),
  platformType: z.enum(platformTypes),
  portfolio: z.nullable(PortfolioRef),
  products: z.array(z.object({ productId: z.string(), productName: z.string(), status: EntryStatus })),
  /** Active applications. */
  applicationCount: z.number(),
  labels: z.array(LabelRef),
  ...entryAudit,
});
export type CatalogPlatform = z.infer<typeof CatalogPlatform>;

const fields = {
  owners: Owners,
  platformName: EntryName,
  description: EntryDescription,
  portfolioId: z.string({ error: 'Required' }).check(z.minLength(1, { error: 'Required' })),
  platformType: choiceOf(platformTypes),
  requestComment: z.optional(RequestComment),
};
export const CatalogPlatformCreate = z.object(fields);
export const CatalogPlatformUpdate = z.extend(changesOf(fields), { status: z.optional(z.string()) });

export const activeQuery = {
  name: z.optional(z.string().check(z.maxLength(100))),
  /** True for active entries, false for all others. Defaults to all that the caller may see. */
  active: z.optional(z.stringbool()),
};
export const catalogPlatformRoutes = entryRoutes({
  kind: catalogPlatformKind,
  plural: 'platforms',
  param: 'platformId',
  header: 'Mac-Platform-Id',
  view: CatalogPlatform,
  create: CatalogPlatformCreate,
  update: CatalogPlatformUpdate,
  query: z.extend(recordsQuery(entrySorts), {
    ...activeQuery,
    /** Directory id of an owner. */
    oid: z.optional(z.string()),
  }),
  list: recordsOf(CatalogPlatform),
  codes: { form: ['EntryAlreadyExists', 'PortfolioNotActive', 'OwnerNotInDirectory'], kept: ['PlatformHasApplications'] },
});
export const {
  list: catalogPlatformList,
  view: catalogPlatformView,
  create: catalogPlatformCreate,
  update: catalogPlatformUpdate,
  patch: catalogPlatformPatch,
  remove: catalogPlatformDecommission,
  history: catalogPlatformHistory,
  requests: catalogPlatformRequests,
} = catalogPlatformRoutes;
export const catalogPlatformProducts = route('catalogPlatformProducts', `GET ${catalogPlatformView.path}/products`, {
  summary: 'Products of the platform',
  tag,
  access: 'signedIn',
  query: recordsQuery(entrySorts),
  response: recordsOf(z.object({ productId: z.string(), productName: z.string(), productCode: z.string(), status: EntryStatus })),
  codes: [...recordCodes, 'EntryDoesNotExist'],
});
