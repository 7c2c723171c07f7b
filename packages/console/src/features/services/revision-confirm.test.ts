import { newServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Revision } from '@slipway/contract/revision.ts';
import { expect, test } from 'vitest';
import { revisionConfirm } from './revision-confirm.ts';

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
  can: {},
  ...change,
});

test('disabling what serves says that nobody takes over', () => {
  expect(revisionConfirm('disable', revision({}), 'berth-2').consequences).toEqual([
    'Stops 2 instances',
    'No other revision takes over: http://berth.example/ answers 503 until another one is enabled or deployed',
  ]);
});

test('enabling says what becomes of the one that serves', () => {
  const off = revision({ name: 'berth-1', isServing: false, enabled: false, replicasReady: 0 });
  expect(revisionConfirm('enable', off, 'berth-2').consequences).toEqual(['Once it is healthy, berth-2 is deleted']);
  expect(revisionConfirm('enable', off, null).consequences).toEqual([]);
});
