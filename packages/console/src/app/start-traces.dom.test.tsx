/** Spans of requests: their trace, their batches, and what they tell. */
import { BaseTransport, defaultInternalLoggerLevel, initializeFaro, VERSION, type TransportItem } from '@grafana/faro-web-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { traceGestures } from '#kit/api/trace.ts';
import { startTraces } from './start-traces.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}
const batches: Span[][] = [];
class Kept extends BaseTransport {
  override readonly name = 'kept';
  override readonly version = VERSION;
  override send(items: TransportItem[]): void {
    for (const { type, payload } of [items].flat()) {
      if (type !== 'trace') continue;
      const { resourceSpans } = payload as unknown as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      batches.push(resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    }
  }
}
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('spans share the trace of their click, in batches of at most 10 after 5000 ms', async () => {
  vi.useFakeTimers();
  const sent = vi.fn<typeof fetch>(async () => new Response('{}'));
  vi.stubGlobal('fetch', sent);
  const faro = initializeFaro({
    app: { name: 'console' },
    isolate: true,
    preventGlobalExposure: true,
    internalLoggerLevel: defaultInternalLoggerLevel,
    instrumentations: [],
    metas: [],
    sessionTracking: { enabled: false },
    batching: { enabled: false },
    transports: [new Kept()],
  });
  faro.api.setSession({ id: 'session-1', attributes: { isSampled: 'true' } });
  faro.api.setUser({ id: 'ingrid' });
  startTraces(faro);
  traceGestures();
  document.body.click();
  for (let count = 0; count < 12; count += 1) await fetch(`${location.origin}/api/v1/me?identityId=ingrid`);
  // A span ends 300 ms after its request, when the browser has measured the network.
  await vi.advanceTimersByTimeAsync(4999);
  expect(batches.map(({ length }) => length)).toEqual([10]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(batches.map(({ length }) => length)).toEqual([10, 2]);
  const spans = batches.flat();
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const headers = sent.mock.calls.map(([, init]) => new Headers(init?.headers).get('traceparent'));
  expect(headers).toEqual(spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  expect(JSON.stringify(spans)).not.toContain('ingrid');
  expect(spans[0]?.attributes).toContainEqual({ key: 'session.id', value: { stringValue: 'session-1' } });
  expect(spans[0]?.attributes).toContainEqual({ key: 'url.full', value: { stringValue: `${location.origin}/api/v1/me` } });
});
