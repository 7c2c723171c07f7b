import type { CatalogTreeNode } from '@slipway/contract/catalog/tree.ts';
import { expect, test } from 'vitest';
import { toggled, treeState } from './tree-state.ts';

const owner = { id: 'olga', displayName: 'Olga', email: null, active: true };
const node: CatalogTreeNode = {
  kind: 'platform',
  id: 'PLT-1',
  name: 'Quay',
  status: 'ACTIVE',
  owners: [owner],
  hasChildren: true,
  criticality: null,
  verified: false,
  targetDecommissioningDate: null,
  below: { applications: 2, mostCritical: 0, verified: 2, withoutOwner: 0, datePassed: 0 },
};
const below = (more: object) => ({ ...node, below: { ...node.below, ...more } }) as CatalogTreeNode;

test.each([
  ['nothing', node, 'Active'],
  ['a missing owner', { ...node, owners: [{ ...owner, active: false }] }, 'No active owner'],
  ['applications without owner', below({ withoutOwner: 3, datePassed: 1 }), '3 without owner'],
  ['passed dates below', below({ datePassed: 1 }), '1 past their date'],
  ['a waiting entry', { ...node, status: 'PENDING' } as const, 'Waiting for approval'],
  ['an application', { ...node, kind: 'application', below: null } as const, 'Not verified'],
  ['a passed date', { ...node, kind: 'application', below: null, targetDecommissioningDate: '2020-01-01' } as const, 'Date passed'],
])('says the worst: %s', (_name, one, word) => {
  expect(treeState(one).word).toBe(word);
});

test('opens and closes rows, also those that are open at first', () => {
  const none = { open: [], shut: [] };
  expect(toggled(none, [], 'a')).toEqual({ open: ['a'], shut: [] });
  expect(toggled({ open: ['a'], shut: [] }, [], 'a')).toEqual(none);
  expect(toggled(none, ['a'], 'a')).toEqual({ open: [], shut: ['a'] });
  expect(toggled({ open: [], shut: ['a'] }, ['a'], 'a')).toEqual(none);
});
