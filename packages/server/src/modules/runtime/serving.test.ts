/** Tests what readiness reports about services over time, and after passes of the reconciler. */
import { expect, test, vi } from 'vitest';
import { PortFailure } from '#ports/failure.ts';
import { ENGINE_AWAY } from '#ports/runtime.ts';
import { Serving } from './serving.ts';

test('services that ran before are waited for, until they are served', () => {
  const serving = new Serving();
  serving.awaits(['a/production/one', 'a/production/two'], 60_000);
  expect(serving.check).toBe('Services start again: a/production/one, a/production/two');
  serving.passed(new Set(['a/production/two', 'b/production/new']));
  expect(serving.check).toBe('Services start again: a/production/two');
  serving.passed(new Set(['b/production/new']));
  expect(serving.check).toBe('ok');
});

test('those that are not served after the deadline are named, a few of them, and the replica is ready', () => {
  const serving = new Serving();
  serving.awaits(
    Array.from({ length: 7 }, (_, index) => `a/production/s${index}`),
    -1,
  );
  expect(serving.check).toBe(
    'degraded: not served since the start: a/production/s0, a/production/s1, a/production/s2, a/production/s3, a/production/s4, 2 more',
  );
});

test('a pass that failed is said until one ends well, and both are counted', () => {
  const serving = new Serving();
  serving.passFailed();
  expect(serving.check).toMatch(/^degraded: /);
  serving.passed(new Set());
  expect([serving.check, serving.passes]).toEqual(['ok', { ok: 1, failed: 1 }]);
});

test('an engine that stays away is named until a pass ends well', () => {
  vi.useFakeTimers();
  try {
    const serving = new Serving();
    const away = new PortFailure('unavailable', 'The cluster does not answer.');
    serving.passFailed(away);
    expect(serving.check).not.toContain('cluster');
    vi.advanceTimersByTime(10_000);
    expect(serving.check).toBe(`${ENGINE_AWAY}: The cluster does not answer.`);
    // Another failure is not the engine's absence.
    serving.passFailed(new Error('a defect'));
    expect(serving.check).not.toContain('cluster');
    serving.passFailed(away);
    serving.passed(new Set());
    vi.advanceTimersByTime(10_000);
    expect(serving.check).toBe('ok');
  } finally {
    vi.useRealTimers();
  }
});

test('a replica waits for what another one serves, and stays ready afterwards', () => {
  const serving = new Serving();
  expect([serving.elsewhere(undefined), serving.elsewhere('Services start again: a')]).toEqual([
    'Services are starting.',
    'Services start again: a',
  ]);
  expect(serving.elsewhere('degraded: not served since the start: a')).toBe('degraded: not served since the start: a');
  expect([serving.elsewhere(undefined), serving.elsewhere('Services start again: a')]).toEqual(['ok', 'degraded: Services start again: a']);
});

test('a replica that drove the runtime stays ready when another one takes it', () => {
  const serving = new Serving();
  serving.awaits(['a'], 60_000);
  serving.passed(new Set(['a']));
  expect(serving.elsewhere(undefined)).toBe('Services are starting.');
  serving.passed(new Set());
  expect(serving.elsewhere(undefined)).toBe('ok');
});
