/** Tests that a plan names settings that the engine cannot follow. */
import { expect, test } from 'vitest';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { RuntimeLack } from '#ports/runtime.ts';
import { impactWarnings } from './impact.ts';

const base = newServiceSpec('localhost/shop/orders');
const listed = (host: string): ServiceSpec => ({ ...base, outgoingTraffic: { type: 'LISTED', hosts: [host] } });
const scaled: ServiceSpec = {
  ...base,
  template: { ...base.template, replicaScaling: { ...base.template.replicaScaling, scalingType: 'AUTO' } },
};
const warned = (spec: ServiceSpec, ...lacks: RuntimeLack[]): (string | undefined)[] => {
  const after = { active: true, githubRepositoryName: null, spec };
  const about = { key: { app: 'shop', environment: 'development', service: 'orders' }, after, changes: [], impact: { restarts: false } };
  const engine = { limits: 'enforced', spot: 'none', isNetworkIsolated: true, lacks } as const;
  const notes = impactWarnings(about as unknown as Parameters<typeof impactWarnings>[0], engine);
  return notes.filter(({ code }) => code === 'NotOffered').map(({ context }) => context['label']);
};

test('outgoing patterns on an engine that knows addresses only', () => {
  expect(warned(listed('*.example.com'), 'hostPatterns')).toEqual(['Outgoing traffic to names like *.example.com']);
  expect(warned(listed('api.example.com'), 'hostPatterns')).toEqual([]);
  expect(warned(listed('*.example.com'))).toEqual([]);
});

test('scaling by CPU without figures', () => {
  expect(warned(scaled, 'figures')).toEqual(['Scaling by CPU']);
  expect(warned(base, 'figures')).toEqual([]);
  expect(warned(scaled)).toEqual([]);
});
