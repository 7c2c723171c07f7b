import { expect, test } from 'vitest';
import { frameOf, limitSteps, loneValues, parseZoom, roundTop, shareOf, zoomText } from './chart-frame.ts';
import { tickText } from './time-ticks.ts';

const at = (seconds: number) => ({ at: new Date(seconds * 1000).toISOString() });
const whole = { from: 1000, to: 4600 };

test('a step that is missing is a hole, and a point that comes twice is one', () => {
  const { times, points } = frameOf([at(0), at(15), at(15), at(60)], 15);
  expect(times).toEqual([0, 15, 30, 60]);
  expect(points.map((point) => point !== undefined)).toEqual([true, true, false, true]);
});

test('a zoom survives the way through the address, and nonsense shows everything', () => {
  expect(parseZoom(zoomText({ from: 2000, to: 3000 }), whole)).toEqual({ from: 2000, to: 3000 });
  expect(parseZoom('500-2000', whole)).toEqual({ from: 1000, to: 2000 });
  for (const text of ['', '1', 'a-b', '3000-2000', '5000-6000']) expect(parseZoom(text, whole)).toBeUndefined();
});

test('no zoom is closer than a minute, and a slip of the hand is none', () => {
  expect(zoomText({ from: 2000, to: 2010 })).toBe('1975-2035');
  expect(zoomText({ from: 2000, to: 2000.4 })).toBe('');
});

test.each([
  [0, 4, 4],
  [97, 10, 150],
  [412, 4, 500],
  [0.3, 0.1, 0.4],
  [768, 10, 1000],
])('a scale for %d with at least %d ends at %d', (highest, atLeast, top) => {
  expect(roundTop(highest, atLeast)).toBeCloseTo(top, 6);
});

test('a deploy outside of the span has no place', () => {
  expect(shareOf(2800, whole)).toBe(0.5);
  expect(shareOf(900, whole)).toBeUndefined();
});

test('ticks show the clock, and the day where the clock says nothing', () => {
  const noon = new Date(2026, 10, 20, 12, 5).getTime() / 1000;
  const midnight = new Date(2026, 10, 21).getTime() / 1000;
  expect(tickText(noon, 300)).toBe('12:05');
  expect(tickText(midnight, 3600)).toBe('21 Nov');
  expect(tickText(noon, 86_400)).toBe('20 Nov');
});

test('a limit spans the whole width, however little was measured', () => {
  expect(limitSteps([4000], [256], whole)).toEqual([{ ...whole, value: 256 }]);
  expect(limitSteps([1500, 2000, 3000, 3500], [null, 250, 750, null], whole)).toEqual([
    { from: 1000, to: 3000, value: 250 },
    { from: 3000, to: 4600, value: 750 },
  ]);
  expect(limitSteps([500, 5000], [100, 200], whole)).toEqual([{ ...whole, value: 100 }]);
  expect(limitSteps([5000], [200], whole)).toEqual([{ ...whole, value: 200 }]);
  expect(limitSteps([1500], [null], whole)).toEqual([]);
});

test('a value without neighbours is a dot, and one of a line is not', () => {
  expect(loneValues([7])).toEqual([0]);
  expect(loneValues([null, 7, null, 1, 2, null, 0])).toEqual([1, 6]);
  expect(loneValues([1, 2, 3])).toEqual([]);
});
