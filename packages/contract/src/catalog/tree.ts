/** The catalog as a tree: portfolios, their platforms, products and applications. Only active and waiting entries. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { catalogPath, CatalogPerson, catalogTag as tag, EntryKind, EntryStatus } from './entry.ts';

export const treePageSize = 50;
export const CatalogTreeNode = z.object({
  kind: EntryKind,
  id: z.string(),
  name: z.string(),
  status: EntryStatus,
  owners: z.array(CatalogPerson),
  hasChildren: z.boolean(),
  /** Id of the criticality of an application. */
  criticality: z.nullable(z.string()),
  verified: z.boolean(),
  targetDecommissioningDate: z.nullable(z.string()),
  /** Active applications below it. Null for an application. */
  below: z.nullable(
    z.object({
      applications: z.number(),
      /** Applications of the highest criticality. */
      mostCritical: z.number(),
      verified: z.number(),
      withoutOwner: z.number(),
      datePassed: z.number(),
    }),
  ),
});
export type CatalogTreeNode = z.infer<typeof CatalogTreeNode>;

export const CatalogTree = z.object({
  /** The entry whose children these are. Null for the portfolios. */
  parent: z.nullable(CatalogTreeNode),
  nodes: z.array(CatalogTreeNode),
  /** Value of `after` for the next nodes: the id of the last one. Null if these are the last. */
  next: z.nullable(z.string()),
  /** Number of nodes that follow, at most 10,000. */
  more: z.number(),
});
export type CatalogTree = z.infer<typeof CatalogTree>;

export const catalogTreeView = route({
  id: 'catalogTreeView',
  method: 'GET',
  path: `${catalogPath}/tree`,
  summary: 'Children of an entry, or the portfolios, with counts of the applications below each',
  description: `At most ${treePageSize} nodes. Products come before applications that are in no product.`,
  tag,
  access: 'signedIn',
  query: z.object({
    /** Id of a portfolio, platform or product. */
    parent: z.optional(z.string().check(z.maxLength(100))),
    after: z.optional(z.string().check(z.maxLength(100))),
    /** Only entries with a problem, and those with such an application below. */
    problems: z._default(z.stringbool(), false),
  }),
  response: CatalogTree,
  codes: ['EntryDoesNotExist', 'InvalidValue', 'ExceedsMaximumLength'],
});
