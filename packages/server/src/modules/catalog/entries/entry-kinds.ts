/** Differences between the four kinds of entries: names of fields, views, parents and children. */
import type { CatalogApplication } from '@slipway/contract/catalog/application.ts';
import { entryKindOf, type EntryKindOf } from '@slipway/contract/catalog/entry-kind-of.ts';
import { entryKinds, type EntryKind } from '@slipway/contract/catalog/entry.ts';
import { CatalogPlatform } from '@slipway/contract/catalog/platform.ts';
import { CatalogPortfolio } from '@slipway/contract/catalog/portfolio.ts';
import { CatalogProduct } from '@slipway/contract/catalog/product.ts';
import { scorecardChecks } from '@slipway/contract/catalog/rules.ts';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import { instantOf, peopleIn, personIn, sharedView, type EntryRow } from './entry-row.ts';
import type { Viewer } from './entry-rights.ts';

/** Columns that a body may set. */
export type Column =
  | 'name'
  | 'description'
  | 'owners'
  | 'ea_contacts'
  | 'type'
  | 'code'
  | 'platform_id'
  | 'portfolio_id'
  | 'criticality'
  | 'classification'
  | 'mip_layer'
  | 'intent'
  | 'target_date'
  | 'production_deployed'
  | 'exploration_app'
  | 'locally_managed'
  | 'source'
  | 'labels';

export interface KindSpec extends Omit<EntryKindOf, 'parent'> {
  readonly id: { readonly prefix: string; readonly digits: number };
  /** Column of each field of its bodies. */
  readonly fields: Readonly<Record<string, Column>>;
  readonly parent?:
    | undefined
    | {
        readonly field: string;
        readonly column: 'platform_id' | 'portfolio_id';
        readonly kind: EntryKind;
        readonly inactive: ErrorCode;
      };
  readonly taken: ErrorCode;
  /** Answered beside `taken`. */
  readonly alsoTaken?: ErrorCode;
  /** Code if it still has children, which keep it from being decommissioned. */
  readonly kept?: ErrorCode;
  view(row: EntryRow, viewer: Viewer): object;
}

const shared = { description: 'description', owners: 'owners' } as const;
const portfolioOf = ({ portfolio: of }: EntryRow) => of && { portfolioId: of.id, portfolioName: of.name, portfolioType: of.type };
const platformOf = (row: EntryRow) =>
  row.platform && {
    platformId: row.platform.id,
    platformName: row.platform.name,
    platformType: row.platform.type,
    portfolio: portfolioOf(row),
  };
const optionOf = <Word extends string>(id: string | null, row: EntryRow, list: string, word: Word) =>
  id === null ? null : ({ id, [word]: row.options?.[list] ?? id } as { id: string } & Record<Word, string>);

const applicationView = (row: EntryRow, viewer: Viewer): CatalogApplication => ({
  applicationId: row.id,
  applicationName: row.name,
  ...sharedView(row, viewer),
  platform: platformOf(row),
  product: row.product && { productId: row.product.id, productName: row.product.name },
  criticalityCategory: optionOf(row.criticality, row, 'criticalityCategories', 'category'),
  classification: optionOf(row.classification, row, 'informationClassifications', 'classification'),
  mipLayer: optionOf(row.mip_layer, row, 'mipLayers', 'layer'),
  strategicIntent: optionOf(row.intent, row, 'strategicIntents', 'intent'),
  targetDecommissioningDate: row.target_date,
  decommissionedDate: row.decommissioned_on,
  productionDeployed: row.production_deployed,
  explorationApp: row.exploration_app,
  locallyManaged: row.locally_managed,
  validApp: row.is_valid,
  verified: row.is_verified,
  app: row.app,
  seenRunningAt: instantOf(row.seen_running_at),
  attestedAt: instantOf(row.attested_at),
  attestedBy: personIn(row, row.attested_by),
  overdue: row.status === 'ACTIVE' && row.decommission_due !== null && row.decommission_due <= new Date().toISOString().slice(0, 10),
  scorecard: scorecardChecks
    .filter((check) => check !== 'runs' || !row.locally_managed)
    .map((check) => ({ check, holds: !row.failing.includes(check) })),
});
const platformView = (row: EntryRow, viewer: Viewer): CatalogPlatform => ({
  platformId: row.id,
  platformName: row.name,
  ...sharedView(row, viewer),
  platformType: CatalogPlatform.shape.platformType.parse(row.type),
  portfolio: portfolioOf(row),
  products: (row.children ?? []).map(({ id, name, status }) => ({ productId: id, productName: name, status })),
  applicationCount: row.child_count,
});
const portfolioView = (row: EntryRow, viewer: Viewer): CatalogPortfolio => ({
  portfolioId: row.id,
  portfolioName: row.name,
  shortName: row.code ?? '',
  ...sharedView(row, viewer),
  eaContacts: peopleIn(row, row.ea_contacts),
  portfolioType: CatalogPortfolio.shape.portfolioType.parse(row.type),
  platforms: (row.children ?? []).map(({ id, name, status }) => ({ platformId: id, platformName: name, status })),
});
const productView = (row: EntryRow, viewer: Viewer): CatalogProduct => ({
  productId: row.id,
  productName: row.name,
  productCode: row.code ?? '',
  productType: CatalogProduct.shape.productType.parse(row.type),
  ...sharedView(row, viewer),
  platform: platformOf(row),
  applications: (row.children ?? []).map(({ id, name, status }) => ({ applicationId: id, applicationName: name, status })),
  source: row.source,
});

const onPlatform = { field: 'platformId', column: 'platform_id', kind: 'platform', inactive: 'PlatformNotActive' } as const;
const specs: Readonly<Record<EntryKind, KindSpec>> = {
  application: {
    ...entryKindOf.application,
    id: { prefix: 'MAC', digits: 5 },
    fields: {
      ...shared,
      applicationName: 'name',
      platformId: 'platform_id',
      criticalityId: 'criticality',
      classificationId: 'classification',
      mipLayerId: 'mip_layer',
      strategicIntentId: 'intent',
      targetDecommissioningDate: 'target_date',
      productionDeployed: 'production_deployed',
      explorationApp: 'exploration_app',
      locallyManaged: 'locally_managed',
      labels: 'labels',
    },
    parent: onPlatform,
    taken: 'ApplicationAlreadyExists',
    alsoTaken: 'APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS',
    view: applicationView,
  },
  platform: {
    ...entryKindOf.platform,
    id: { prefix: 'PLT', digits: 4 },
    fields: { ...shared, platformName: 'name', portfolioId: 'portfolio_id', platformType: 'type', labels: 'labels' },
    parent: { field: 'portfolioId', column: 'portfolio_id', kind: 'portfolio', inactive: 'PortfolioNotActive' },
    taken: 'EntryAlreadyExists',
    kept: 'PlatformHasApplications',
    view: platformView,
  },
  portfolio: {
    ...entryKindOf.portfolio,
    parent: undefined,
    id: { prefix: 'PFO', digits: 3 },
    fields: {
      ...shared,
      portfolioName: 'name',
      portfolioType: 'type',
      eaContacts: 'ea_contacts',
      shortName: 'code',
      labels: 'labels',
    },
    taken: 'EntryAlreadyExists',
    kept: 'PortfolioHasPlatforms',
    view: portfolioView,
  },
  product: {
    ...entryKindOf.product,
    id: { prefix: 'PRD', digits: 4 },
    fields: {
      ...shared,
      productName: 'name',
      productCode: 'code',
      productType: 'type',
      source: 'source',
      platformId: 'platform_id',
      labels: 'labels',
    },
    parent: onPlatform,
    taken: 'EntryAlreadyExists',
    kept: 'ProductHasApplications',
    view: productView,
  },
};
export const specOf = (kind: EntryKind): KindSpec => specs[kind];
export const allSpecs: readonly KindSpec[] = entryKinds.map(specOf);
export const viewOf = (row: EntryRow, viewer: Viewer): object => specOf(row.kind).view(row, viewer);

/** Names of the address of an entry, for subjects and hints. */
export const namesOf = ({ subject }: KindSpec, id: string): Record<string, string> => ({ [subject.names[0] ?? '']: id });
export const specOfSubject = (word: string): KindSpec | undefined => allSpecs.find(({ subject }) => subject.kind === word);
