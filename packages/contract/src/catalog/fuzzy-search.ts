/** Finds entries by a name or id that need not be spelled exactly. Creating an app from an entry uses it, too. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { catalogTag as tag, EntryStatus } from './entry.ts';

export const CatalogMatch = z.object({
  id: z.string(),
  name: z.string(),
  /** 1 for an equal id or name. */
  score: z.number(),
  description: z.string(),
  status: EntryStatus,
  /** Empty for kinds without a platform. */
  platformName: z.string(),
  /** The app that already has this macId, otherwise null. */
  app: z.nullable(z.string()),
});
export type CatalogMatch = z.infer<typeof CatalogMatch>;

export const catalogFuzzySearch = route('catalogFuzzySearch', 'GET /api/catalogue/search/fuzzy', {
  summary: 'Find entries by name or id, best match first',
  tag,
  access: 'signedIn',
  query: z.object({
    /** Kind of entry, in any case. */
    entity: z._default(z.string().check(z.regex(/^(application|platform|portfolio|product)$/i, { error: 'InvalidValue' })), 'application'),
    searchTerm: z._default(z.string().check(z.maxLength(100)), ''),
  }),
  response: z.object({ fullMatched: z.boolean(), contents: z.array(CatalogMatch) }),
  codes: ['InvalidValue', 'ExceedsMaximumLength'],
});
