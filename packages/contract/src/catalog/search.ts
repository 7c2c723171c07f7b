/** Search over the catalog with facets and CSV, and saved searches. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import {
  catalogPath,
  CatalogPerson,
  catalogTag as tag,
  DateOnly,
  EntryKind,
  entryKinds,
  entrySorts,
  EntryStatus,
  entryStatuses,
  formCodes,
  LabelRef,
  listOfIds,
  listOfWords,
  recordCodes,
  recordsOf,
  recordsQuery,
} from './entry.ts';
import { CatalogPlatform } from './platform.ts';
import { scorecardChecks } from './rules.ts';

export const CatalogFound = z.object({
  kind: EntryKind,
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: EntryStatus,
  owners: z.array(CatalogPerson),
  platformId: z.nullable(z.string()),
  platformName: z.nullable(z.string()),
  portfolioId: z.nullable(z.string()),
  portfolioName: z.nullable(z.string()),
  criticality: z.nullable(z.string()),
  classification: z.nullable(z.string()),
  validApp: z.boolean(),
  verified: z.boolean(),
  targetDecommissioningDate: z.nullable(z.string()),
  labels: z.array(LabelRef),
  modifiedDate: Instant,
  /** 0 to 1, or null without a search term. */
  score: z.nullable(z.number()),
});
export type CatalogFound = z.infer<typeof CatalogFound>;

const term = z.optional(z.string().check(z.trim(), z.maxLength(100, { error: 'ExceedsMaximumLength' })));
export const facetNames = ['kind', 'status', 'criticality', 'classification', 'verified', 'platform', 'portfolio', 'label'] as const;
export const CatalogFacets = z.record(
  z.string(),
  z.array(z.object({ value: z.string(), name: z.string(), count: z.number(), isCountAtLeast: z.boolean() })),
);
const route = routesIn({ tag, access: 'signedIn' });
export const catalogSearch = route('catalogSearch', `GET ${catalogPath}/search`, {
  summary: 'Search the catalog; all filters must hold',
  description: 'With `Accept: text/csv` the answer is a file with at most 100,000 rows.',
  query: z.extend(recordsQuery(entrySorts), {
    /** Full text over id, name, product, platform, portfolio, owners and description. Repairs misspelled words. */
    app: term,
    /** Id, or words of the name. */
    platform: term,
    portfolio: term,
    status: listOfWords(entryStatuses),
    fromTargetDecomDate: z.optional(DateOnly),
    toTargetDecomDate: z.optional(DateOnly),
    /** Ids. All must hold. */
    labels: listOfIds,
    kind: listOfWords(entryKinds),
    criticality: listOfIds,
    classification: listOfIds,
    verified: z.optional(z.stringbool()),
    /** `me`, or the id of a person. */
    owner: z.optional(z.string().check(z.maxLength(100))),
    /** Applications that fail this check of the scorecard. */
    check: z.optional(z.enum(scorecardChecks, { error: 'InvalidValue' })),
    facets: z._default(z.stringbool(), false),
  }),
  response: z.extend(recordsOf(CatalogFound), {
    /** The repaired search term, if words of it were misspelled. */
    repairedTerm: z.nullable(z.string()),
    facets: z.nullable(CatalogFacets),
  }),
  alsoAs: ['text/csv'],
  codes: [...recordCodes, 'DateInvalid', 'InvalidRange'],
});
export const catalogPlatformSearch = route('catalogPlatformSearch', `GET ${catalogPath}/search/platforms`, {
  summary: 'Find platforms by platform and portfolio',
  query: z.extend(recordsQuery(entrySorts), { platform: term, portfolio: term }),
  response: recordsOf(CatalogPlatform),
  codes: recordCodes,
});

export const SavedSearch = z.object({ id: z.string(), name: z.string(), query: z.string(), createdDate: Instant });
export const maxSavedSearches = 30;
const saved = `${catalogPath}/saved-searches` as const;
export const savedSearchList = route('catalogSavedSearchList', `GET ${saved}`, {
  summary: "The caller's saved searches",
  response: z.array(SavedSearch),
  codes: [],
});
export const savedSearchCreate = route('catalogSavedSearchCreate', `POST ${saved}`, {
  summary: 'Save a search',
  body: z.object({
    name: z
      .string({ error: 'Required' })
      .check(z.trim(), z.minLength(1, { error: 'Required' }), z.maxLength(60, { error: 'ExceedsMaximumLength' })),
    query: z.string({ error: 'Required' }).check(z.maxLength(2000, { error: 'ExceedsMaximumLength' })),
  }),
  response: SavedSearch,
  status: 201,
  codes: [...formCodes, 'TooManySavedSearches'],
});
export const savedSearchDelete = route('catalogSavedSearchDelete', `DELETE ${saved}/{searchId}`, {
  summary: 'Delete a saved search',
  codes: ['SavedSearchDoesNotExist'],
});
