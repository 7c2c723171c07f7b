import type { DatabaseFigures, DatabasePoint } from '@slipway/contract/database/figures.ts';
import { expect, test } from 'vitest';
import { connectedOf } from './connected.ts';
import { shownOf } from './figures.ts';

const G = 1024 ** 3;
const point = (minute: number, change: Partial<DatabasePoint>): DatabasePoint => ({
  at: new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString(),
  sizeBytes: 8 * 1024 ** 2,
  connections: 2,
  maxConnections: 4,
  cacheHitRatio: 0.98,
  transactionsPerSecond: 12,
  rollbacks: 3,
  deadlocks: 0,
  tempBytes: 0,
  ...change,
});
const figures = (points: DatabasePoint[]): DatabaseFigures => ({
  range: '1h',
  from: '2026-11-20T11:30:00.000Z',
  to: '2026-11-20T12:30:00.000Z',
  stepSeconds: 60,
  points,
  markers: [{ at: '2026-11-20T12:00:30.000Z', service: 'berth-api', revision: 'berth-api-3', type: 'DEPLOY' }],
  now: null,
  limits: { storageBytes: 64 * G, maxConnections: 100 },
  growthBytesPerDay: null,
});
const shown = (...points: DatabasePoint[]) => shownOf({ app: 'berth', env: 'development' }, figures(points));

test('a small database is drawn in megabytes, without the limit that it is far from', () => {
  const { measures, measured } = shown(point(0, {}));
  expect(measures[0]).toMatchObject({ key: 'size', unit: 'MB' });
  expect(measured.rows.size).toEqual({ values: [8], limit: undefined });
  expect(measured.rows.connections.limit).toBeUndefined();
  expect(measured.rows.hits.values).toEqual([98]);
  expect(measured.rows.rollbacks.values).toEqual([3]);
});

test('one that nears its limits is drawn with them, and a gap stays a gap', () => {
  const { measures, measured } = shown(
    point(0, { sizeBytes: 48 * G, maxConnections: 60 }),
    point(5, { sizeBytes: null, cacheHitRatio: null, maxConnections: null }),
  );
  expect(measures[0]).toMatchObject({ unit: 'GB' });
  expect(measured.rows.size).toEqual({ values: [48, null, null], limit: [64, null, 64] });
  expect(measured.rows.connections).toEqual({ values: [60, null, null], limit: [100, null, 100] });
  expect(measured.rows.hits.values).toEqual([98, null, null]);
});

test('a deploy of a service that reads the group is marked, with the way to its revision', () => {
  expect(shown(point(0, {})).markers).toEqual([
    {
      at: Date.parse('2026-11-20T12:00:30.000Z') / 1000,
      label: 'berth-api-3 was deployed',
      href: '/app/berth/development/service/berth-api/revision/berth-api-3',
    },
  ]);
});

test('those who are connected come first; services that read the group are there also without a connection', () => {
  const connections = [
    { application: '', count: 1, isFormer: false },
    { application: 'berth-api', count: 24, isFormer: false },
    { application: 'berth-export', count: 2, isFormer: true },
    { application: 'psql', count: 1, isFormer: false, isReader: true },
    { application: 'report', count: 1, isFormer: true, isReader: true },
  ];
  const readers = [
    { service: 'berth-api', needsRestart: false },
    { service: 'berth-export', needsRestart: true },
    { service: 'berth-jobs', needsRestart: true },
    { service: 'berth-web', needsRestart: false },
    // Reads both groups.
    { service: 'berth-web', needsRestart: false },
  ];
  expect(connectedOf(connections, readers).map(({ name, words, isService, isOld }) => [name, words, isService, isOld])).toEqual([
    ['berth-api', '24 connections', true, false],
    ['berth-export', '2, former password', true, true],
    ['Unnamed program', '1 connection', false, false],
    ['psql', '1, read only', false, false],
    ['report', '1, read only, former password', false, true],
    ['berth-jobs', 'needs a restart', true, true],
    ['berth-web', 'none', true, false],
  ]);
});
