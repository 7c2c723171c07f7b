import type { MetricPoint } from '@slipway/contract/service/metrics.ts';
import { expect, test } from 'vitest';
import { newest, short } from '#kit/chart/figures.ts';
import { measuredOf, markersOf } from './measures.ts';

const point = (change: Partial<MetricPoint>): MetricPoint => ({
  at: '2026-11-20T12:00:00.000Z',
  cpuMillicores: 120,
  memoryMegabytes: 300,
  maxMemoryMegabytes: 180,
  instances: 2,
  requests: 30,
  errors: 0,
  p95Ms: 12.4,
  ...change,
});
const limits = { cpuMillicores: 500, memoryMegabytes: 256 };

test('counts of a step become counts a minute, and the limit of CPU is that of all instances together', () => {
  const { rows } = measuredOf({ points: [point({})], stepSeconds: 15, limits });
  expect(rows.requests.values).toEqual([120]);
  expect(rows.errors.values).toEqual([0]);
  expect(rows.cpu.limit).toEqual([1000]);
  expect(rows.memory.limit).toEqual([256]);
});

test('what nobody measured stays a gap, also where a limit is known', () => {
  const down = { cpuMillicores: null, maxMemoryMegabytes: null, instances: 0, requests: null, p95Ms: null };
  const { rows, isAny } = measuredOf({ points: [point({}), point({ ...down, at: '2026-11-20T12:00:15.000Z' })], stepSeconds: 15, limits });
  expect(rows.cpu).toEqual({ values: [120, null], limit: [1000, null] });
  expect(rows.requests.values).toEqual([120, null]);
  expect(newest(rows.cpu.values)).toBe(120);
  expect(isAny).toBe(true);
});

test('no figures at all is said, not drawn', () => {
  expect(measuredOf({ points: [], stepSeconds: 15, limits }).isAny).toBe(false);
});

test('numbers are as short as eyes need', () => {
  expect([0, 0.256, 4.12, 412.4, 12_400].map(short)).toEqual(['0', '0.26', '4.1', '412', '12.4k']);
});

const place = { app: 'berth', env: 'production', service: 'berth' };
const at = '2026-11-20T12:00:00.000Z';

test('a mark names the revision, what it came by, and the first line of why', () => {
  const markers = [
    { at, revision: 'berth-3', type: 'PUSH', text: 'Snap arrivals\n\nto the tide window' },
    { at, revision: 'berth-4', type: 'ROLLBACK', text: 'timeouts' },
    { at, revision: 'berth-5', type: 'NEWS', text: null },
  ];
  expect(markersOf(place, markers).map(({ label }) => label)).toEqual([
    'berth-3, push: Snap arrivals',
    'berth-4, rollback: timeouts',
    'berth-5, news',
  ]);
  expect(markersOf(place, markers)[0]).toMatchObject({
    at: Date.parse(at) / 1000,
    href: '/app/berth/production/service/berth/revision/berth-3',
  });
});
