/** The four kinds of catalog entries. */
import { declareKind } from '../kernel/subject.ts';

const shared = { access: 'signedIn', shownBy: ['catalog', 'application'] } as const;

export const catalogPortfolioKind = declareKind({
  ...shared,
  kind: 'catalogPortfolio',
  label: 'Portfolio',
  plural: 'Portfolios',
  names: ['portfolioId'],
  path: '/catalogue/portfolios/{portfolioId}',
});
export const catalogPlatformKind = declareKind({
  ...shared,
  kind: 'catalogPlatform',
  label: 'Platform',
  plural: 'Platforms',
  names: ['platformId'],
  path: '/catalogue/platforms/{platformId}',
});
export const catalogProductKind = declareKind({
  ...shared,
  kind: 'catalogProduct',
  label: 'Product',
  plural: 'Products',
  names: ['productId'],
  path: '/catalogue/products/{productId}',
});
export const catalogApplicationKind = declareKind({
  ...shared,
  kind: 'catalogApplication',
  label: 'Application',
  plural: 'Applications',
  names: ['applicationId'],
  path: '/catalogue/applications/{applicationId}',
});
