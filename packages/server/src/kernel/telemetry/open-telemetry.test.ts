/** One trace from the console's click to SQL: through a request, its pipeline, the steps, and calls of engines. */
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applicationCreate, applicationView } from '@slipway/contract/application.ts';
import { eventStream, healthView } from '@slipway/contract/platform.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { startTelemetry, type Telemetry } from './open-telemetry.ts';

const exporter = new InMemorySpanExporter();
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLICK = 'b7ad6b7169203331';
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const settings = { url: '', headers: {}, serviceName: 'slipway', sampler: 'parentbased_always_on', samplerArg: 1 } as const;

let app: TestApp;
let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = startTelemetry(settings, { version: 'test', log: silent, exporter });
  app = await testApp();
});
afterAll(async () => {
  await app?.close();
  await telemetry?.close();
});

const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
const ofTrace = (traceId: string): readonly ReadableSpan[] => spans().filter((span) => span.spanContext().traceId === traceId);
const childrenOf = (all: readonly ReadableSpan[], parent: ReadableSpan | undefined): readonly ReadableSpan[] =>
  all.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent?.spanContext().spanId);

test('one trace leads from a click through request, pipeline and step to SQL', async () => {
  const body = { id: 'traced', displayName: 'Very secret', teamId: 'cranes' };
  await app.run('owner', applicationCreate, { body, headers: { traceparent: `00-${TRACE}-${CLICK}-01` } });
  await expect.poll(() => ofTrace(TRACE).some(({ name }) => name.startsWith('pipeline '))).toBe(true);
  const all = ofTrace(TRACE);
  const request = all.find(({ attributes }) => attributes['slipway.route'] === applicationCreate.id);
  expect(request).toMatchObject({
    name: `${applicationCreate.method} ${applicationCreate.path}`,
    attributes: { 'http.route': applicationCreate.path, 'http.response.status_code': 202 },
    parentSpanContext: { spanId: CLICK },
  });
  expect(childrenOf(all, request).map(({ name }) => name)).toContain('INSERT');
  const pipeline = all.find(({ name }) => name.startsWith('pipeline '));
  expect(pipeline?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  const steps = childrenOf(all, pipeline).filter(({ name }) => name.startsWith('step '));
  expect(steps.length).toBeGreaterThan(0);
  const statements = steps
    .flatMap((step) => childrenOf(all, step))
    .filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.length).toBeGreaterThan(0);
  for (const { attributes } of statements) expect(attributes['db.query.text']).toMatch(/^\S/);
  expect(JSON.stringify(all.map(({ attributes }) => attributes))).not.toContain(body.displayName);
});

test('the trace id of an error is that of its trace, and a new trace begins without a traceparent', async () => {
  const other = TRACE.replace('0', '1');
  const headers = { traceparent: `00-${other}-${CLICK}-00` };
  const missing = await app.call('owner', applicationView, { params: { app: 'nothing-here' }, headers });
  expect(missing.body).toMatchObject({ traceId: other });
  const alone = (await app.call('owner', applicationView, { params: { app: 'nothing-here' } })).body as { traceId: string };
  expect(alone.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(alone.traceId).not.toBe(other);
  await expect.poll(() => ofTrace(other).length > 0 && ofTrace(alone.traceId).length > 0).toBe(true);
});

test('the span of a live stream ends when the stream is open', async () => {
  const ending = new AbortController();
  const authorization = `Bearer ${await app.signIn.token('owner')}`;
  const live = await fetch(`${app.url}${eventStream.path}`, { headers: { authorization }, signal: ending.signal });
  const spanOf = () => spans().find(({ attributes }) => attributes['slipway.route'] === eventStream.id);
  await expect.poll(spanOf).toMatchObject({ attributes: { 'http.response.status_code': 200 }, status: { code: 0 } });
  expect(live.body?.locked).toBe(false);
  ending.abort();
});

test('probes and work outside of a trace create no spans', async () => {
  exporter.reset();
  await app.call(undefined, healthView);
  await app.database.pool.query('select 1');
  // Spans are sent in the order in which they ended.
  await app.call('owner', applicationView, { params: { app: 'traced' }, headers: { traceparent: `00-${TRACE}-${CLICK}-01` } });
  await expect.poll(() => spans().some(({ name }) => name.endsWith(applicationView.path))).toBe(true);
  expect(spans().filter(({ attributes }) => attributes['slipway.route'] === healthView.id)).toEqual([]);
  expect(
    spans()
      .filter(({ parentSpanContext }) => parentSpanContext === undefined)
      .map(({ name }) => name),
  ).toEqual([]);
});
