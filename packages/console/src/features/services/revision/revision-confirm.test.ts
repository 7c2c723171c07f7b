import type { Revision } from '@slipway/contract/service/revision.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { expect, test } from 'vitest';
import { revisionConfirm, rollbackReason } from './revision-confirm.ts';
import { formatReason } from '#features/services/service-labels.ts';

const revision = (change: Partial<Revision>): Revision => ({
  name: 'berth-2',
  number: 2,
  app: 'berth',
  environment: 'production',
  service: 'berth',
  imageTag: 'v2',
  imageDigest: 'sha256:0',
  spec: newServiceSpec('localhost/berth/berth'),
  secretVersions: {},
  status: 'HEALTHY',
  enabled: true,
  isServing: true,
  replicasWanted: 2,
  replicasReady: 2,
  url: 'http://berth.example/',
  reason: { type: 'DEPLOY', text: null, commit: null, commitMessage: null },
  pipelineId: null,
  createdAt: '',
  createdBy: { id: 'i', displayName: 'Ingrid' },
  can: { enable: true, disable: true, delete: true },
  ...change,
});

test('disabling what serves says that nobody takes over', () => {
  expect(revisionConfirm('disable', revision({})).description).toMatch(/No other revision takes over by itself/);
  expect(revisionConfirm('disable', revision({ isServing: false })).description).not.toMatch(/takes over/);
});

test('one goes back to what does not serve, also when it is deleted, and not while it is being deleted', () => {
  const past = { isServing: false, enabled: false };
  expect(rollbackReason(revision({}), 'Cranes')).toBe('This revision serves already');
  expect(rollbackReason(revision(past), 'Cranes')).toBeUndefined();
  expect(rollbackReason(revision({ ...past, status: 'DELETED', can: { enable: 'RevisionBeingDeleted' } }), 'Cranes')).toBeUndefined();
  expect(rollbackReason(revision({ ...past, can: { enable: 'RevisionBeingDeleted' } }), 'Cranes')).toMatch(/deleted/);
  expect(rollbackReason(revision({ ...past, can: { enable: 'NotAMember' } }), 'Cranes')).toMatch(/members/);
  expect(rollbackReason(revision({ ...past, can: { enable: true, rollback: 'RollbackImageGone' } }), 'Cranes')).toMatch(/registry/);
});

test('history names what was gone back to, and why', () => {
  const reason = { type: 'ROLLBACK' as const, text: 'timeouts towards tide-sync', from: 'berth-12', commit: null, commitMessage: null };
  expect(formatReason(reason)).toBe('Rollback to 12: timeouts towards tide-sync');
  expect(formatReason({ ...reason, type: 'PUSH', text: null, commitMessage: 'Snap arrivals\n\nmore' })).toBe('Push “Snap arrivals”');
});
