import { expect, test } from 'vitest';
import { searchDefaults, searchFilters } from './search-state.ts';

test('filters are sent as the search takes them, and unknown words of a URL are left out', () => {
  expect(searchFilters(searchDefaults)).toEqual({ kind: 'application', status: 'ACTIVE' });
  expect(
    searchFilters({
      ...searchDefaults,
      query: 'berth',
      kind: 'boat',
      status: ['ACTIVE', 'SUNK', 'PENDING'],
      proof: ['unverified'],
      labels: ['LBL-1', 'LBL-2'],
      owner: 'me',
      check: 'owners',
    }),
  ).toEqual({
    kind: 'application',
    app: 'berth',
    status: 'ACTIVE,PENDING',
    verified: 'false',
    labels: 'LBL-1,LBL-2',
    owner: 'me',
    check: 'owners',
  });
  // Both proofs are no filter, and an unknown check is none.
  expect(searchFilters({ ...searchDefaults, proof: ['verified', 'unverified'], check: 'x' })).not.toHaveProperty('verified');
});
