/** Differences between the four kinds of entries, for server and console. */
import type { RouteShape } from '../kernel/kernel.ts';
import type { Kind } from '../kernel/subject.ts';
import { catalogApplicationRoutes } from './application.ts';
import { catalogApplicationKind, catalogPlatformKind, catalogPortfolioKind, catalogProductKind } from '../kinds/catalog.kind.ts';
import type { EntryKind } from './entry.ts';
import { catalogPlatformRoutes } from './platform.ts';
import { catalogPortfolioRoutes } from './portfolio.ts';
import { catalogProductRoutes } from './product.ts';

type Verb = 'list' | 'view' | 'create' | 'update' | 'patch' | 'remove' | 'history' | 'requests';
export interface EntryKindOf {
  readonly kind: EntryKind;
  readonly subject: Kind;
  /** Names of the id and of the name in its views. */
  readonly idField: string;
  readonly nameField: string;
  /** Path parameter, and the header that repeats it. */
  readonly param: string;
  readonly header: string;
  readonly routes: Readonly<Record<Verb, RouteShape>>;
  /** The kind of the entry above it. */
  readonly parent?: 'platform' | 'portfolio';
}
type Own = Pick<EntryKindOf, 'subject' | 'routes' | 'parent'> & { readonly short?: string };
const of = (kind: EntryKind, { short = kind, ...own }: Own): EntryKindOf => ({
  kind,
  idField: `${kind}Id`,
  nameField: `${kind}Name`,
  param: `${short}Id`,
  header: `Mac-${short.charAt(0).toUpperCase()}${short.slice(1)}-Id`,
  ...own,
});
export const entryKindOf: Readonly<Record<EntryKind, EntryKindOf>> = {
  application: of('application', {
    short: 'app',
    subject: catalogApplicationKind,
    parent: 'platform',
    routes: catalogApplicationRoutes,
  }),
  platform: of('platform', { subject: catalogPlatformKind, parent: 'portfolio', routes: catalogPlatformRoutes }),
  portfolio: of('portfolio', { subject: catalogPortfolioKind, routes: catalogPortfolioRoutes }),
  product: of('product', { subject: catalogProductKind, parent: 'platform', routes: catalogProductRoutes }),
};
