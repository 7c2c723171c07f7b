/** The autoscaler's arithmetic: a table of situations, and what holds in all of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withinBounds } from '@slipway/contract/service/replicas.ts';
import { recommendReplicas, Stabilizer, type ScalingSample, type ScalingSituation } from './scaling.ts';

const settled = (...cpu: (number | undefined)[]): ScalingSample[] => cpu.map((cpuMillicores) => ({ isSettled: true, cpuMillicores }));
const starting: ScalingSample = { isSettled: false, cpuMillicores: 400 };
const situation = (samples: readonly ScalingSample[], change: Partial<ScalingSituation> = {}): ScalingSituation => ({
  wanted: samples.length,
  requestedMillicores: 500,
  isLimited: false,
  samples,
  scaling: { minReplicas: 1, maxReplicas: 10, cpuUtilization: 80 },
  ...change,
});
const target = (cpuUtilization: number) => ({ minReplicas: 1, maxReplicas: 10, cpuUtilization });

test.each<[string, ScalingSituation, number]>([
  ['on target', situation(settled(400)), 1],
  ['a little above', situation(settled(439, 439)), 2],
  ['a little below', situation(settled(361, 361)), 2],
  ['above the tolerance', situation(settled(450, 450)), 3],
  ['twice the target', situation(settled(800, 800)), 4],
  ['exactly three times', situation(settled(1200)), 3],
  ['half the target', situation(settled(200, 200, 200, 200)), 2],
  ['idle', situation(settled(0, 0, 0)), 0],
  ['nothing measured', situation(settled(undefined, undefined)), 2],
  ['only starting', situation([starting, starting]), 2],
  ['no instance yet', situation([], { wanted: 2 }), 2],
  ['busy, but others are starting: they count as idle', situation([...settled(800), starting]), 2],
  ['very busy, and one starting', situation([...settled(2000), starting]), 5],
  ['idle, one not measured: it counts as busy', situation(settled(100, undefined)), 2],
  ['idle, one starting: it does not count', situation([...settled(100), starting]), 1],
  ['busy, one not measured: it counts as idle', situation(settled(900, undefined)), 3],
  ['a target of 95 % where nobody gets above 100 %', situation(settled(500), { isLimited: true, scaling: target(95) }), 2],
  ['the same where limits are only observed', situation(settled(500), { scaling: target(95) }), 1],
  ['a target of 100 % where nobody gets above', situation(settled(505), { isLimited: true, scaling: target(100) }), 1],
])('%s', (_name, given, expected) => {
  expect(recommendReplicas(given)).toBe(expected);
});

test('bounds hold, the lower one first', () => {
  expect([0, 3, 9].map((replicas) => withinBounds(replicas, { minReplicas: 2, maxReplicas: 5 }))).toEqual([2, 3, 5]);
  expect(withinBounds(1, { minReplicas: 4, maxReplicas: 2 })).toBe(4);
});

const samples = fc.array(
  fc.record({ isSettled: fc.boolean(), cpuMillicores: fc.option(fc.integer({ min: 0, max: 4000 }), { nil: undefined }) }),
  { minLength: 1, maxLength: 10 },
);
const cpuUtilization = fc.integer({ min: 60, max: 100 });

test('the direction is that of the measured use, and nothing happens within the tolerance', () => {
  fc.assert(
    fc.property(samples, cpuUtilization, (given, percent) => {
      const all = situation(given, { scaling: target(percent) });
      const recommended = recommendReplicas(all);
      const measured = given.filter((sample) => sample.isSettled && sample.cpuMillicores !== undefined);
      const mean = measured.reduce((sum, sample) => sum + (sample.cpuMillicores ?? 0), 0) / (measured.length || 1);
      const ratio = mean / (5 * percent);
      if (measured.length === 0 || (ratio >= 0.9 && ratio <= 1.1)) expect(recommended).toBe(given.length);
      else if (ratio > 1) expect(recommended).toBeGreaterThanOrEqual(given.length);
      else expect(recommended).toBeLessThanOrEqual(given.length);
    }),
  );
});

test('more use never asks for fewer instances', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 10 }),
      cpuUtilization,
      fc.nat(2000),
      (cpu, percent, more) => {
        const of = (extra: number) =>
          recommendReplicas(situation(settled(...cpu.map((used) => used + extra)), { scaling: target(percent) }));
        expect(of(more)).toBeGreaterThanOrEqual(of(0));
      },
    ),
  );
});

test('going up is at once, going down waits for the window', () => {
  const stabilizer = new Stabilizer(300_000);
  expect(stabilizer.settle('a', 2, 5, 0)).toBe(5);
  expect(stabilizer.settle('a', 5, 1, 15_000)).toBe(5);
  expect(stabilizer.settle('a', 5, 3, 150_000)).toBe(5);
  // The five is over, the three is not.
  expect(stabilizer.settle('a', 5, 1, 301_000)).toBe(3);
  expect(stabilizer.settle('a', 3, 1, 449_000)).toBe(3);
  expect(stabilizer.settle('a', 3, 1, 451_000)).toBe(1);
});

test('who takes over waits for a whole window, and who was forgotten begins anew', () => {
  const stabilizer = new Stabilizer(300_000);
  expect(stabilizer.settle('a', 4, 1, 0)).toBe(4);
  expect(stabilizer.settle('a', 4, 1, 299_000)).toBe(4);
  stabilizer.keepOnly(new Set(['b']));
  expect(stabilizer.settle('a', 4, 1, 301_000)).toBe(4);
});

test('a clock that is put back holds nothing up but for a window', () => {
  const stabilizer = new Stabilizer(300_000);
  const hour = 3_600_000;
  expect(stabilizer.settle('a', 5, 5, hour)).toBe(5);
  expect(stabilizer.settle('a', 5, 1, 0)).toBe(5);
  expect(stabilizer.settle('a', 5, 1, 301_000)).toBe(1);
});

test('what is settled lies between what is wanted and what is recommended', () => {
  const steps = fc.array(fc.record({ after: fc.nat(200_000), recommended: fc.nat(10) }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.nat(10), steps, (first, given) => {
      const stabilizer = new Stabilizer(300_000);
      let [now, wanted] = [0, first];
      for (const { after, recommended } of given) {
        now += after;
        const settledOn = stabilizer.settle('a', wanted, recommended, now);
        expect(settledOn).toBeGreaterThanOrEqual(Math.min(wanted, recommended));
        expect(settledOn).toBeLessThanOrEqual(Math.max(wanted, recommended));
        wanted = settledOn;
      }
    }),
  );
});
