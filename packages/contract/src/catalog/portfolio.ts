/** Portfolios of the catalog, which group platforms. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { changesOf } from '../resource.ts';
import { catalogPortfolioKind } from '../kinds/catalog.kind.ts';
import {
  CatalogPerson,
  catalogTag as tag,
  choiceOf,
  EaContacts,
  entryAudit,
  EntryDescription,
  EntryName,
  entrySorts,
  EntryStatus,
  LabelRef,
  Owners,
  recordCodes,
  recordsOf,
  recordsQuery,
  RequestComment,
} from './entry.ts';
import { entryRoutes } from './entry-routes.ts';
import { activeQuery, CatalogPlatform } from './platform.ts';

export const portfolioTypes = ['BUSINESS', 'TECHNOLOGY'] as const;
export const CatalogPortfolio = z.object({
  portfolioId: z.string(),
  portfolioName: z.string(),
  shortName: z.string(),
  description: z.string(),
  owners: z.array(CatalogPerson),
  /** Enterprise architects. Requests are routed to those who are approvers. */
  eaContacts: z.array(CatalogPerson),
  portfolioType: z.enum(portfolioTypes),
  platforms: z.array(z.object({ platformId: z.string(), platformName: z.string(), status: EntryStatus })),
  labels: z.array(LabelRef),
  ...entryAudit,
});
export type CatalogPortfolio = z.infer<typeof CatalogPortfolio>;

const fields = {
  owners: Owners,
  portfolioName: EntryName,
  portfolioType: choiceOf(portfolioTypes),
  description: EntryDescription,
  eaContacts: z._default(EaContacts, []),
  /** Made from the initials of the name if absent. */
  shortName: z.optional(z.string().check(z.trim(), z.regex(/^[A-Z0-9]{2,8}$/, { error: 'DoesNotMatchPattern' }))),
  requestComment: z.optional(RequestComment),
};
export const CatalogPortfolioCreate = z.object(fields);
export const CatalogPortfolioUpdate = z.extend(changesOf(fields), { status: z.optional(z.string()) });

export const catalogPortfolioRoutes = entryRoutes({
  kind: catalogPortfolioKind,
  plural: 'portfolios',
  param: 'portfolioId',
  header: 'Mac-Portfolio-Id',
  view: CatalogPortfolio,
  create: CatalogPortfolioCreate,
  update: CatalogPortfolioUpdate,
  query: z.extend(recordsQuery(entrySorts), activeQuery),
  list: recordsOf(CatalogPortfolio),
  codes: { form: ['EntryAlreadyExists', 'OwnerNotInDirectory'], kept: ['PortfolioHasPlatforms'] },
});
export const {
  list: catalogPortfolioList,
  view: catalogPortfolioView,
  create: catalogPortfolioCreate,
  update: catalogPortfolioUpdate,
  patch: catalogPortfolioPatch,
  remove: catalogPortfolioDecommission,
  history: catalogPortfolioHistory,
  requests: catalogPortfolioRequests,
} = catalogPortfolioRoutes;
export const catalogPortfolioPlatforms = route('catalogPortfolioPlatforms', `GET ${catalogPortfolioView.path}/platforms`, {
  summary: 'Platforms of the portfolio, as JSON or CSV',
  tag,
  access: 'signedIn',
  query: recordsQuery(entrySorts),
  headers: z.object({ 'X-Content-Type': z._default(z.string(), 'application/json') }),
  response: recordsOf(CatalogPlatform),
  alsoAs: ['text/csv'],
  codes: [...recordCodes, 'EntryDoesNotExist'],
});
