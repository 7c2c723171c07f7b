/** The rights of the catalog as a table: each role, each state, each verb. */
import { describe, expect, test } from 'vitest';
import { canOf, type Standing, type Viewer } from './entry-rights.ts';

const viewer = (id: string, isApprover = false): Viewer => ({ caller: { id } as Viewer['caller'], isApprover });
const roles = {
  anybody: viewer('anybody'),
  requester: viewer('requester'),
  owner: viewer('owner'),
  platformOwner: viewer('above'),
  approver: viewer('approver', true),
};
const entry = (more: Partial<Standing>): Standing => ({
  kind: 'application',
  status: 'ACTIVE',
  created_by: 'requester',
  owners: ['owner'],
  hands: ['owner'],
  parent_hands: ['above'],
  app: null,
  ...more,
});
const allowed = (standing: Standing, verb: string): string[] =>
  Object.entries(roles).flatMap(([role, who]) => (canOf(standing, who)[verb] === true ? [role] : []));

describe.each([
  ['an active application', entry({}), { update: ['owner'], decommission: ['owner'], attest: ['owner'], putBack: [], unlink: [] }],
  ['a linked application', entry({ app: {} }), { unlink: ['approver'] }],
  ['a waiting application', entry({ status: 'PENDING' }), { update: ['requester', 'owner'], decommission: [], changeOwners: [] }],
  ['a rejected application', entry({ status: 'REJECTED' }), { update: ['requester'], attest: [] }],
  ['a decommissioned application', entry({ status: 'DECOMMISSIONED' }), { update: [], putBack: ['approver'], reportIssue: [] }],
  [
    'an orphan on an owned platform',
    entry({ owners: ['left'], hands: ['above'] }),
    { update: ['platformOwner'], attest: ['platformOwner'] },
  ],
  [
    'an orphaned portfolio',
    entry({ kind: 'portfolio', hands: [], parent_hands: null }),
    { update: ['approver'], decommission: ['approver'] },
  ],
  ['a platform', entry({ kind: 'platform' }), { update: ['owner'], decommission: ['owner'] }],
  ['a product', entry({ kind: 'product' }), { update: ['owner', 'platformOwner'], changeContents: ['owner', 'platformOwner', 'approver'] }],
] as const)('%s', (_name, standing, expected) => {
  test.each(Object.entries(expected))('%s is for %j', (verb, who) => {
    expect(allowed(standing, verb)).toEqual(who);
  });
});
test('everybody may claim ownership and report issues', () => {
  expect(allowed(entry({}), 'changeOwners')).toHaveLength(5);
  expect(allowed(entry({}), 'reportIssue')).toHaveLength(5);
});
