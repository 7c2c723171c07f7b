/** Faro's SDK as the registry has it, without a browser: its transport, compression, and how it waits when it is asked to. */
import { defaultInternalLoggerLevel, FetchTransport, initializeFaro, type Faro } from '@grafana/faro-web-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { monitorWorld, ORIGIN, type MonitorWorld } from './monitors.fixture.ts';

let world: MonitorWorld;
beforeAll(async () => {
  world = await monitorWorld({ collector: { foldMs: 50, limits: { burst: 1, perSecond: 1 } } });
});
afterAll(() => world?.app.close());

const start = ({ collectorUrl, apiKey, name }: Monitor, requestCompression: boolean): Faro =>
  initializeFaro({
    app: { name, version: '61' },
    isolate: true,
    preventGlobalExposure: true,
    internalLoggerLevel: defaultInternalLoggerLevel,
    instrumentations: [],
    metas: [],
    sessionTracking: { enabled: false },
    batching: { enabled: true, itemLimit: 2, sendTimeout: 20 },
    transports: [new FetchTransport({ url: collectorUrl, apiKey, requestCompression, requestOptions: { headers: { origin: ORIGIN } } })],
  });
const stored = async ({ appKey }: Monitor): Promise<string[]> => {
  const { rows } = await world.app.database.pool.query<{ text: string }>(
    `select kind || ' ' || coalesce(nullif(message, ''), name) as text from monitor_event
     where monitor_id = (select id from monitor where app_key = $1) order by 1`,
    [appKey],
  );
  return rows.map(({ text }) => text);
};

test.each([
  ['plain', false],
  ['compressed', true],
])('the SDK sends again what it was asked to send later, %s', async (name, isCompressed) => {
  const monitor = await world.make(`sdk-${name}`);
  const { api } = start(monitor, isCompressed);
  api.setSession({ id: `session-${name}` });
  api.pushError(new TypeError('boom'));
  api.pushMeasurement({ type: 'web-vitals', values: { lcp: 2900 } });
  // The second batch is refused with 429, and waits for its Retry-After.
  api.pushEvent('route_change', { to: '/plans' });
  api.pushLog(['It went', 'wrong']);
  await world.until(async () =>
    expect(await stored(monitor)).toEqual(['ERROR TypeError: boom', 'LOG It went wrong', 'VIEW route_change', 'VITAL LCP']),
  );
});
