/** The trace context of requests: one per click, and none if the server records no traces. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { setRuntimeConfig } from './runtime-config.ts';
import { traceHeaders, watchGestures } from './trace.ts';

const traceIdOf = ({ traceparent = '' }: Record<string, string>): string =>
  /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(traceparent)?.[1] ?? '';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  setRuntimeConfig({ tracing: { url: null } } as RuntimeConfig);
  return () => vi.useRealTimers();
});

test('requests of one click share a trace, and the next click begins another', () => {
  watchGestures();
  document.body.click();
  const first = traceHeaders();
  expect(traceIdOf(first)).not.toBe('');
  expect(traceHeaders()).toEqual(first);
  document.body.click();
  expect(traceIdOf(traceHeaders())).not.toBe(traceIdOf(first));
});

test('requests long after a click each have their own trace', () => {
  watchGestures();
  vi.advanceTimersByTime(5000);
  const [one, two] = [traceHeaders(), traceHeaders()];
  expect(traceIdOf(one)).not.toBe('');
  expect(traceIdOf(one)).not.toBe(traceIdOf(two));
});

test('a server that records no traces gets no trace context', () => {
  setRuntimeConfig({ tracing: null } as RuntimeConfig);
  expect(traceHeaders()).toEqual({});
});
