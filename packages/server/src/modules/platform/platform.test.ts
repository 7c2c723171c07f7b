/** The platform's own routes: settings, health, metrics, the API's description, and live changes. */
import http from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { applicationCreate, applicationUpdate } from '@slipway/contract/application.ts';
import { hintOf, type ChangeHint } from '@slipway/contract/hint.ts';
import { healthView, metricsView, readinessView, runtimeConfigView } from '@slipway/contract/platform.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { readExposition } from '#testing/exposition.ts';
import { seedApp } from '#testing/fixtures.ts';

const metricNames = [
  'slipway_http_requests_total',
  'slipway_http_request_duration_seconds',
  'slipway_database_connections',
  'slipway_pipeline_step_retries',
  'slipway_queue_items',
  'slipway_queue_oldest_seconds',
  'slipway_replicas',
  'slipway_check_status',
  'slipway_edge_requests_total',
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_seconds_total',
];

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

test('runtimeConfigView tells the console where everything is', async () => {
  const { body, headers } = await app.call(undefined, runtimeConfigView);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({
    authority: 'https://sign-in.test/slipway',
    clientId: 'slipway-console',
    mode: 'development',
    gitUrl: `${app.url}/git`,
  });
});

test('healthz, readyz and metrics answer everybody', async () => {
  expect((await app.call(undefined, healthView)).body).toEqual({ status: 'ok' });
  await expect
    .poll(async () => (await app.call(undefined, readinessView)).body)
    .toEqual({
      status: 'ok',
      checks: {
        database: 'ok',
        rows: 'ok',
        pipelines: 'ok',
        services: 'ok',
        schemaRegistry: 'ok',
        streaming: 'ok',
        disk: 'ok',
        databases: 'ok',
      },
    });
  const { body, headers } = await app.call(undefined, metricsView);
  expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const families = readExposition(body as string);
  expect([...families.keys()]).toEqual(expect.arrayContaining(metricNames));
  const health = families.get('slipway_http_requests_total')?.samples.find(({ labels }) => labels['route'] === healthView.id);
  expect(health).toMatchObject({ labels: { status: '2xx' }, value: 1 });
});

test('scrapes share the readiness checks of a few seconds and say how old they are, and readiness is asked anew', async () => {
  const asked = vi.spyOn(app.database.pool, 'query');
  const checks = () => asked.mock.calls.filter(([text]) => String(text) === 'select 1').length;
  const scrape = async () => (await app.call(undefined, metricsView)).body as string;
  const texts = await Promise.all([scrape(), scrape(), scrape(), scrape()]);
  expect(checks()).toBeLessThanOrEqual(1);
  for (const text of texts) {
    const age = readExposition(text).get('slipway_metrics_age_seconds')?.samples[0]?.value;
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(5);
  }
  const before = checks();
  for (let count = 0; count < 2; count += 1) await app.call(undefined, readinessView);
  expect(checks()).toBe(before + 2);
  asked.mockRestore();
});

test('the API is described, for programs and for people', async () => {
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as { openapi: string };
  expect(document.openapi).toBe('3.1.0');
  const page = await fetch(`${app.url}/api/docs`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain('quickstartApplicationCreate');
  expect(html).not.toContain('<script');
});

interface Stream {
  readonly hints: ChangeHint[];
  readonly ended: Promise<unknown>;
  close(): void;
}
const listen = async (): Promise<Stream> => {
  const headers = { authorization: `Bearer ${await app.signIn.token('stranger')}` };
  const hints: ChangeHint[] = [];
  const request = http.get(`${app.url}/api/v1/events`, { headers, agent: false });
  request.on('error', () => {});
  const answer = await new Promise<http.IncomingMessage>((resolve) => request.once('response', resolve));
  expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let text = '';
  answer.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) hints.push(JSON.parse(line.slice(6)) as ChangeHint);
  });
  return { hints, ended: new Promise((resolve) => answer.once('close', resolve)), close: () => request.destroy() };
};

test('live changes are hints: what kind of thing, and which, nothing of what is in it', async () => {
  const stream = await listen();
  await app.run('owner', applicationCreate, { body: { id: 'live', displayName: 'Very secret name', teamId: 'cranes' } });
  await app.call('owner', applicationUpdate, { params: { app: 'berth' }, body: { displayName: 'Another secret name', teamId: 'cranes' } });
  await expect.poll(() => stream.hints).toContainEqual({ kind: 'app', app: 'berth', team: 'cranes' });
  expect(stream.hints).toContainEqual(expect.objectContaining({ kind: 'pipeline', app: 'live', team: 'cranes' }));
  for (const hint of stream.hints) expect(hintOf(hint)).toEqual(hint);
  expect(JSON.stringify(stream.hints)).not.toContain('secret');
  stream.close();
});

test('a stream is forgotten when its browser goes, and ended when the program does', async () => {
  const streams = async () => /slipway_event_streams (\d+)/.exec((await app.call(undefined, metricsView)).body as string)?.[1];
  await expect.poll(streams).toBe('0');
  const [one, two] = [await listen(), await listen()];
  expect(await streams()).toBe('2');
  one.close();
  await expect.poll(streams).toBe('1');
  await app.restart();
  await two.ended;
  expect(await streams()).toBe('0');
});
