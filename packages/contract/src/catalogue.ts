/** The application catalogue, limited to creating an app from an entry: fuzzy search (specification 2, §7). */
import * as z from 'zod/mini';
import { route } from './kernel/kernel.ts';

export const CatalogueEntry = z.object({
  id: z.string(),
  name: z.string(),
  score: z.number(),
  description: z.string(),
  status: z.enum(['PENDING', 'ACTIVE', 'REJECTED', 'DECOMMISSIONED']),
  platformName: z.string(),
  /** The app that already has this macId, otherwise null. */
  app: z.nullable(z.string()),
});
export type CatalogueEntry = z.infer<typeof CatalogueEntry>;

export const catalogueSearch = route({
  id: 'catalogueSearch',
  method: 'GET',
  path: '/api/catalogue/search/fuzzy',
  summary: 'Find entries by name or macId, best first',
  tag: 'Catalogue',
  access: 'signedIn',
  query: z.object({
    entity: z._default(z.string(), 'application'),
    searchTerm: z._default(z.string().check(z.maxLength(100)), ''),
  }),
  response: z.object({ fullMatched: z.boolean(), contents: z.array(CatalogueEntry) }),
  codes: ['InvalidValue'],
});
