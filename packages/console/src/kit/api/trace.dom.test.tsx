/** The trace context of requests: one per click. */
import { beforeEach, expect, test, vi } from 'vitest';
import { traceHeaders, traceGestures } from './trace.ts';

const traceIdOf = ({ traceparent = '' }: Record<string, string>): string =>
  /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(traceparent)?.[1] ?? '';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => vi.useRealTimers();
});

test('requests of one click share a trace, and the next click begins another', () => {
  traceGestures();
  document.body.click();
  const first = traceHeaders();
  expect(traceIdOf(first)).not.toBe('');
  expect(traceHeaders()).toEqual(first);
  document.body.click();
  expect(traceIdOf(traceHeaders())).not.toBe(traceIdOf(first));
});

test('requests long after a click each have their own trace', () => {
  traceGestures();
  vi.advanceTimersByTime(5000);
  const [one, two] = [traceHeaders(), traceHeaders()];
  expect(traceIdOf(one)).not.toBe('');
  expect(traceIdOf(one)).not.toBe(traceIdOf(two));
});
