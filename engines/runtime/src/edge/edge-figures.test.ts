/** The edge's arithmetic: rates and metrics. */
import { expect, test } from 'vitest';
import { EdgeMeter } from './edge-meter.ts';
import { TokenBucket } from './token-bucket.ts';

test('a bucket lets a burst pass, then its rate, and tells how long to wait', () => {
  const bucket = new TokenBucket();
  bucket.setRate(600, 0);
  expect(Array.from({ length: 12 }, () => bucket.take(0)).filter((wait) => wait === 0)).toHaveLength(10);
  expect(bucket.take(0)).toBe(1);
  expect(bucket.take(150)).toBe(0);
  bucket.setRate(6, 1000);
  for (let index = 0; index < 5; index++) bucket.take(1000);
  // Half a token was left over.
  expect(bucket.take(1000)).toBe(5);
  bucket.setRate(0, 1000);
  expect(bucket.take(1000)).toBe(0);
});

test('figures cover the last minute', () => {
  const meter = new EdgeMeter();
  const now = 1_700_000_000_000;
  expect(meter.read(now)).toEqual({ requests: 0, errors5xx: 0, p95Ms: 0 });
  for (let index = 0; index < 95; index++) meter.record(200, 10, now);
  for (let index = 0; index < 5; index++) meter.record(503, 2000, now + 30_000);
  expect(meter.read(now + 31_000)).toMatchObject({ requests: 100, errors5xx: 5 });
  expect(meter.read(now + 31_000).p95Ms).toBeCloseTo(10, -0.5);
  expect(meter.read(now + 61_000)).toMatchObject({ requests: 5, errors5xx: 5 });
  expect(meter.read(now + 61_000).p95Ms).toBeGreaterThan(1800);
  expect(meter.read(now + 120_000).requests).toBe(0);
  expect(meter.lastRequestAt).toEqual(new Date(now + 30_000));
});

test('shorter spells are shown, and what was counted in all', () => {
  const meter = new EdgeMeter();
  const now = 1_700_000_000_000;
  for (let index = 0; index < 9; index++) meter.record(200, 10, now);
  meter.record(502, 400, now + 40_000);
  expect(meter.read(now + 41_000, 15)).toMatchObject({ requests: 1, errors5xx: 1 });
  expect(meter.read(now + 41_000, 15).p95Ms).toBeGreaterThan(350);
  expect(meter.read(now + 200_000).requests).toBe(0);
  expect(meter.total).toEqual({ requests: 10, errors5xx: 1 });
});
