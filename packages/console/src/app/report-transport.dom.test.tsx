/** The transport of the console's telemetry, as the collector and the browser see it. */
import { gunzipSync } from 'node:zlib';
import { defaultInternalLoggerLevel, initializeFaro, SESSION_EXPIRATION_TIME, SESSION_INACTIVITY_TIME } from '@grafana/faro-web-sdk';
import { beforeEach, expect, test, vi } from 'vitest';
import { ReportTransport } from './report-transport.ts';

const asked = vi.fn<typeof fetch>();
const beacon = vi.fn<(url: string, body: string) => boolean>(() => true);
beforeEach(() => {
  asked.mockReset().mockImplementation(async () => new Response(null, { status: 202 }));
  beacon.mockClear();
  vi.stubGlobal('fetch', asked);
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { sendBeacon: beacon }));
  return () => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  };
});
const warned = vi.fn<(text: string) => void>();
const faro = () =>
  initializeFaro({
    app: { name: 'console' },
    isolate: true,
    preventGlobalExposure: true,
    internalLoggerLevel: defaultInternalLoggerLevel,
    unpatchedConsole: { ...console, warn: warned, error: () => undefined },
    instrumentations: [],
    metas: [],
    dedupe: false,
    sessionTracking: { enabled: false },
    batching: { enabled: false },
    transports: [new ReportTransport({ url: 'https://slipway.test/collect/app', apiKey: 'key-1', name: 'console' })],
  });
const bodyOf = (call: number): string => {
  const body = asked.mock.calls[call]?.[1]?.body;
  return typeof body === 'string' ? body : '';
};
const large = 'x'.repeat(40_001);
const address = 'https://slipway.test/collect/app?app=console&key=key-1';

test('compresses payloads over 40000 characters, with the app and its key in the query', async () => {
  const { api } = faro();
  api.pushLog(['small']);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  expect(JSON.parse(bodyOf(0))).toMatchObject({ logs: [{ message: 'small' }] });
  expect(asked.mock.calls[0]?.[1]?.keepalive).toBe(true);
  api.pushLog([large]);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  expect(asked.mock.calls[1]?.[0]).toBe(address);
  const opened = gunzipSync(Buffer.from(bodyOf(1), 'base64')).toString();
  expect(JSON.parse(opened)).toMatchObject({ logs: [{ message: large }] });
});

test.each([
  ['until Retry-After', { 'retry-after': '60' }, 60_000],
  ['5000 ms by default', {}, 5000],
])('large payloads wait after a 429 %s, and are dropped', async (_how, headers: Record<string, string>, milliseconds) => {
  vi.setSystemTime(0);
  warned.mockClear();
  asked.mockResolvedValueOnce(new Response(null, { status: 429, headers }));
  const { api } = faro();
  api.pushLog([large]);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setTimeout(resolve));
  vi.setSystemTime(milliseconds - 1);
  for (let count = 0; count < 5; count += 1) api.pushLog([large]);
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1));
  expect(warned).toHaveBeenCalledWith('Monitoring dropped 5 payloads: its buffer is full');
  expect(asked).toHaveBeenCalledTimes(1);
  vi.setSystemTime(milliseconds);
  api.pushLog([large]);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
});

test.each([
  ['small', 'small'],
  ['large', large],
])('sends a %s payload as a beacon after the network failed', async (_size, message) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  asked.mockRejectedValue(new TypeError('Failed to fetch'));
  faro().api.pushLog([message]);
  while (beacon.mock.calls.length === 0) {
    await vi.advanceTimersByTimeAsync(5000);
    await new Promise(setImmediate);
  }
  expect(beacon).toHaveBeenCalledExactlyOnceWith(address, expect.any(String));
});

test('sends beacons alone while the page is left', async () => {
  const { api } = faro();
  dispatchEvent(new Event('pagehide'));
  api.pushLog(['goodbye']);
  expect(beacon).toHaveBeenCalledExactlyOnceWith(address, expect.stringContaining('goodbye'));
  expect(asked).not.toHaveBeenCalled();
  dispatchEvent(new Event('pageshow'));
  api.pushLog(['back again']);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
});

test('says after five payloads that the buffer is full', async () => {
  warned.mockClear();
  asked.mockReturnValue(new Promise(() => undefined));
  const { api } = faro();
  for (let count = 0; count < 34; count += 1) api.pushLog([String(count)]);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(5));
  expect(warned).not.toHaveBeenCalled();
  api.pushLog(['35th']);
  await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(1));
});

test('a session ends after 4 hours, or 15 minutes without activity', () => {
  expect([SESSION_EXPIRATION_TIME, SESSION_INACTIVITY_TIME]).toEqual([14_400_000, 900_000]);
});
