/** Tells the four kinds of entries apart: their routes, words, and the names of their fields. */
import * as application from '@slipway/contract/catalog/application.ts';
import type { CatalogPerson, EntryKind, EntryStatus } from '@slipway/contract/catalog/entry.ts';
import * as platform from '@slipway/contract/catalog/platform.ts';
import * as portfolio from '@slipway/contract/catalog/portfolio.ts';
import * as product from '@slipway/contract/catalog/product.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';

/** The fields that entries of all kinds have, as the console reads them. */
export interface Entry {
  kind: EntryKind;
  id: string;
  name: string;
  description: string;
  status: EntryStatus;
  owners: CatalogPerson[];
  labels: { id: string; name: string; description: string }[];
  createdBy: CatalogPerson | null;
  createdDate: string;
  modifiedBy: CatalogPerson | null;
  modifiedDate: string;
  rejectedComments: string | null;
  canEdit: boolean;
  can: Can;
  version: number;
}

interface KindOf {
  readonly label: string;
  readonly plural: string;
  /** Names of the id and of the name in its views: `platformId`, `platformName`. */
  readonly idField: string;
  readonly nameField: string;
  readonly param: string;
  readonly header: string;
  readonly routes: Readonly<Record<'view' | 'create' | 'update' | 'patch' | 'remove' | 'history' | 'requests', RouteShape>>;
  /** The entry above it, for breadcrumbs and forms. */
  readonly parent?: EntryKind;
}

export const entryKindOf: Readonly<Record<EntryKind, KindOf>> = {
  application: {
    label: 'Application',
    plural: 'Applications',
    idField: 'applicationId',
    nameField: 'applicationName',
    param: 'appId',
    header: 'Mac-App-Id',
    parent: 'platform',
    routes: {
      view: application.catalogApplicationView,
      create: application.catalogApplicationCreate,
      update: application.catalogApplicationUpdate,
      patch: application.catalogApplicationPatch,
      remove: application.catalogApplicationDecommission,
      history: application.catalogApplicationHistory,
      requests: application.catalogApplicationRequests,
    },
  },
  platform: {
    label: 'Platform',
    plural: 'Platforms',
    idField: 'platformId',
    nameField: 'platformName',
    param: 'platformId',
    header: 'Mac-Platform-Id',
    parent: 'portfolio',
    routes: {
      view: platform.catalogPlatformView,
      create: platform.catalogPlatformCreate,
      update: platform.catalogPlatformUpdate,
      patch: platform.catalogPlatformPatch,
      remove: platform.catalogPlatformDecommission,
      history: platform.catalogPlatformHistory,
      requests: platform.catalogPlatformRequests,
    },
  },
  portfolio: {
    label: 'Portfolio',
    plural: 'Portfolios',
    idField: 'portfolioId',
    nameField: 'portfolioName',
    param: 'portfolioId',
    header: 'Mac-Portfolio-Id',
    routes: {
      view: portfolio.catalogPortfolioView,
      create: portfolio.catalogPortfolioCreate,
      update: portfolio.catalogPortfolioUpdate,
      patch: portfolio.catalogPortfolioPatch,
      remove: portfolio.catalogPortfolioDecommission,
      history: portfolio.catalogPortfolioHistory,
      requests: portfolio.catalogPortfolioRequests,
    },
  },
  product: {
    label: 'Product',
    plural: 'Products',
    idField: 'productId',
    nameField: 'productName',
    param: 'productId',
    header: 'Mac-Product-Id',
    parent: 'platform',
    routes: {
      view: product.catalogProductView,
      create: product.catalogProductCreate,
      update: product.catalogProductUpdate,
      patch: product.catalogProductPatch,
      remove: product.catalogProductDecommission,
      history: product.catalogProductHistory,
      requests: product.catalogProductRequests,
    },
  },
};

/** Converts the view of any kind. */
export const entryOf = (kind: EntryKind, view: unknown): Entry => {
  const fields = view as Record<string, unknown>;
  const { idField, nameField } = entryKindOf[kind];
  return { ...(fields as unknown as Entry), kind, id: String(fields[idField]), name: String(fields[nameField]) };
};

/** The call of one entry's route: the id in the path, and in the header where a write repeats it. */
export const entryCall = ({ kind, id }: Pick<Entry, 'kind' | 'id'>, more: { body?: unknown; query?: unknown; version?: number } = {}) => {
  const { param, header } = entryKindOf[kind];
  const { version, ...rest } = more;
  const headers = { [header]: id, source: 'CONSOLE', ...(version === undefined ? {} : { 'If-Match': `"${version}"` }) };
  return { params: { [param]: id }, ...(rest.body === undefined ? {} : { headers }), ...rest } as unknown as Call<RouteShape>;
};
