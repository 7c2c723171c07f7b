/** The search's state in the URL, and the call made from it. */
import { entryKinds, entryStatuses, type EntryKind, type Records } from '@slipway/contract/catalog/entry.ts';
import { scorecardChecks } from '@slipway/contract/catalog/rules.ts';
import type { catalogSearch } from '@slipway/contract/catalog/search.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { Call } from '@slipway/contract/kernel/kernel.ts';
import { listDefaults } from '#kit/list/list-control.ts';

export const pageSize = 25;
const none: readonly string[] = [];
export const searchDefaults = {
  ...listDefaults,
  kind: 'application',
  status: ['ACTIVE'] as readonly string[],
  proof: none,
  criticality: none,
  classification: none,
  labels: none,
  owner: '',
  platform: '',
  portfolio: '',
  check: '',
};
export type SearchState = typeof searchDefaults;
/** In place of an empty list, which would be the default again. */
export const allStatuses: readonly string[] = ['ALL'];
/** Filters that do not apply to each kind. */
export const kindFilters = { proof: none, criticality: none, classification: none, platform: '', portfolio: '', check: '' };

export const kindIn = (state: SearchState): EntryKind => entryKinds.find((kind) => kind === state.kind) ?? 'application';
const joined = (name: string, values: readonly string[]) => (values.length > 0 ? { [name]: values.join(',') } : {});
const given = (name: string, value: string) => (value === '' ? {} : { [name]: value });

/** The filters alone: what a saved search and an export keep. */
export const searchFilters = (state: SearchState): Record<string, string> => ({
  kind: kindIn(state),
  ...given('app', state.query),
  ...given('sort', state.sort),
  ...joined(
    'status',
    state.status.filter((status) => entryStatuses.some((known) => known === status)),
  ),
  ...joined('criticality', state.criticality),
  ...joined('classification', state.classification),
  ...joined('labels', state.labels),
  ...(state.proof.length === 1 ? { verified: String(state.proof[0] === 'verified') } : {}),
  ...given('owner', state.owner),
  ...given('platform', state.platform),
  ...given('portfolio', state.portfolio),
  ...(scorecardChecks.some((check) => check === state.check) ? { check: state.check } : {}),
});
export const searchCall = (state: SearchState): Call<typeof catalogSearch> => ({
  query: { ...searchFilters(state), page: String(state.page), size: String(pageSize), facets: 'true' } as never,
});

/** Converts the catalog's page to the one that lists show. */
export const pageOf = <T>({ totalRecords, totalPages, currentPage, isTotalAtLeast, next, content }: Records<T>): Page<T> =>
  ({
    content,
    totalElements: totalRecords,
    totalPages,
    number: currentPage,
    size: content.length,
    numberOfElements: content.length,
    first: currentPage === 0,
    last: next === null,
    empty: content.length === 0,
    isTotalAtLeast,
  }) as unknown as Page<T>;
