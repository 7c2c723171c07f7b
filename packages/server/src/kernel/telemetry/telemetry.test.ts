/** Parts of tracing and metrics that need no platform. */
import { execFile } from 'node:child_process';
import { hasSubscribers } from 'node:diagnostics_channel';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { InMemorySpanExporter, SamplingDecision, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '#kernel/config.ts';
import { readExposition } from '#testing/exposition.ts';
import { exposition, labelsOf } from './metric.ts';
import { startTelemetry, type Telemetry } from './open-telemetry.ts';
import { samplerOf } from './sampler.ts';
import { SpanGate } from './span-gate.ts';
import { spanMetrics } from './span-metrics.ts';
import { statementText } from './statement-text.ts';
import { contextOf, traceparentOf } from './traceparent.ts';
import { inSpan, traceIdNow, traceparentNow } from './tracing.ts';

const warnings: string[] = [];
const log = {
  debug() {},
  info: (_: object, text: string) => warnings.push(text),
  warn: (_: object, text: string) => warnings.push(text),
  error() {},
};

let telemetry: Telemetry | undefined;
afterEach(async () => {
  warnings.length = 0;
  await telemetry?.close();
  telemetry = undefined;
});

test.each([
  [`alter role a password 'it''s secret'`, `alter role a password '?'`],
  [`alter role a password E'back\\'secret'`, `alter role a password '?'`],
  [`select $1 /* it's */, 'secret' -- it's`, `select $1 , '?'`],
  [`select "it's", 'secret'`, `select "it's", '?'`],
  [`do $body$ 'secret' $body$`, `do '?'`],
  [`select 'secret`, `select '?'`],
  [`select 'a\\', 'secret'`, `select '?', '?'`],
])('the text of %s has no values', (sql, text) => expect(statementText(sql)).toBe(text));

test('the standard variables configure the collector, and its credentials leave the environment', () => {
  const env: NodeJS.ProcessEnv = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20secret, x-tenant=one',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    SLIPWAY_TRACE_URL: 'https://grafana.example.com/explore?trace={traceId}',
  };
  expect(readConfig(env)).toMatchObject({
    telemetry: {
      url: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Bearer secret', 'x-tenant': 'one' },
      serviceName: 'slipway',
      sampler: 'traceidratio',
      samplerArg: 0.25,
    },
    traceUrl: 'https://grafana.example.com/explore?trace={traceId}',
  });
  expect(env['OTEL_EXPORTER_OTLP_HEADERS']).toBeUndefined();
  expect(readConfig({}).telemetry).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER'],
  [{ SLIPWAY_TRACE_URL: 'https://grafana.example.com' }, 'SLIPWAY_TRACE_URL'],
])('a wrong value stops the start: %j', (env, name) => expect(() => readConfig({ ...env })).toThrow(name));

test('a client names the trace, but its flag does not decide whether the trace is recorded', () => {
  const traceId = `ffffffff${'0'.repeat(24)}`;
  const parent = contextOf(`00-${traceId}-b7ad6b7169203331-01`, true);
  const decide = (...sampler: Parameters<typeof samplerOf>) =>
    samplerOf(...sampler).shouldSample(parent, traceId, 'GET', 1, {}, []).decision;
  expect(decide('parentbased_always_off', 1)).toBe(SamplingDecision.NOT_RECORD);
  expect(decide('parentbased_traceidratio', 0.1)).toBe(SamplingDecision.NOT_RECORD);
  expect(decide('always_on', 0)).toBe(SamplingDecision.RECORD_AND_SAMPLED);
});

test.each(['', 'nonsense', '00-00000000000000000000000000000000-b7ad6b7169203331-01', '00-0af7651916cd43dd8448eb211c80319c-0-01'])(
  'the invalid traceparent %j begins a new trace',
  (text) => expect(contextOf(text, true)).toBe(ROOT_CONTEXT),
);

test('tracing changes queries and listens to calls only while it is on', async () => {
  const { query } = pg.Client.prototype;
  expect(hasSubscribers('undici:request:create')).toBe(false);
  startWith(new InMemorySpanExporter());
  expect(pg.Client.prototype.query).not.toBe(query);
  expect(hasSubscribers('undici:request:create')).toBe(true);
  await telemetry?.close();
  expect(pg.Client.prototype.query).toBe(query);
  expect(hasSubscribers('undici:request:create')).toBe(false);
});

test('without telemetry, work runs as it is', async () => {
  expect(await inSpan('work', {}, async () => traceparentNow())).toBeNull();
  expect(traceIdNow()).not.toBe(traceIdNow());
});

const startWith = (exporter: SpanExporter): Telemetry =>
  (telemetry = startTelemetry(
    { url: '', headers: {}, serviceName: 'slipway', sampler: 'always_on', samplerArg: 1 },
    { version: '1', log, exporter },
  ));
/** Returns the spans once all were sent. */
const sent = async (exporter: InMemorySpanExporter, names: readonly string[]): Promise<readonly ReadableSpan[]> => {
  await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
  return exporter.getFinishedSpans();
};

test('calls of engines carry the trace on, and calls of strangers and programs only have a span', async () => {
  const seen: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request.headers['traceparent'] as string | undefined);
    response.writeHead(request.url === '/broken?secret' ? 500 : 200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exporter = new InMemorySpanExporter();
  startWith(exporter);
  await fetch(`http://${host}/outside`);
  let inside = '';
  await inSpan('work', { parent: null }, async () => {
    inside = traceparentNow() ?? '';
    await (await fetch(`http://${host}/broken?secret`)).text();
    await once(http.get(`http://${host}/stranger/secret`), 'response');
    await promisify(execFile)('true', ['secret']);
  });
  const spans = await sent(exporter, ['work', 'true']);
  const fetched = spans.find(({ name }) => name === `GET ${host}`);
  expect(fetched).toMatchObject({ attributes: { 'url.path': '/broken', 'http.response.status_code': 500 }, status: { code: 2 } });
  expect(seen).toEqual([undefined, fetched && traceparentOf(fetched.spanContext()), undefined]);
  expect(spans).toHaveLength(4);
  for (const span of spans.filter(({ name }) => name !== 'work')) expect(inside).toContain(span.parentSpanContext?.spanId);
  expect(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]))).not.toContain('secret');
  server.closeAllConnections();
  server.close();
});

test('a path that is no URL gets a span, and ends nothing', async () => {
  const server = http.createServer((_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exporter = new InMemorySpanExporter();
  startWith(exporter);
  await inSpan('work', { parent: null }, async () => (await fetch(`${origin}//?secret`)).text());
  const spans = await sent(exporter, ['work']);
  expect(spans.map(({ attributes }) => attributes['url.path'])).toContain('//');
  server.closeAllConnections();
  server.close();
});

test('a failure that is thrown marks its span, and reaches the caller', async () => {
  const exporter = new InMemorySpanExporter();
  startWith(exporter);
  await expect(inSpan('work', { parent: null }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect((await sent(exporter, ['work']))[0]).toMatchObject({ status: { code: 2, message: 'no' } });
});

const spanOf = (): ReadableSpan => ({ spanContext: () => ({ traceId: '', spanId: '', traceFlags: 1 }) }) as ReadableSpan;

test('a collector that hangs holds a limited number of spans, and the others are counted as dropped', () => {
  const gate = new SpanGate(3, log);
  const held: ReadableSpan[] = [];
  const answers: ((code: number) => void)[] = [];
  const processor = gate.processor({
    onStart() {},
    onEnd: (span) => held.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  });
  const exporter = gate.exporter({ export: (_, done) => answers.push((code) => done({ code })), shutdown: async () => {} });
  for (let count = 0; count < 5; count++) processor.onEnd(spanOf());
  expect(held).toHaveLength(3);
  exporter.export(held.splice(0, 2), () => {});
  processor.onEnd(spanOf());
  expect(gate.counts).toEqual({ exported: 0, full: 3, failed: 0 });
  answers[0]?.(1);
  expect(gate.counts).toEqual({ exported: 0, full: 3, failed: 2 });
  processor.onEnd(spanOf());
  exporter.export(held.splice(0, 2), () => {});
  answers[1]?.(0);
  expect(gate.counts).toEqual({ exported: 2, full: 3, failed: 2 });
  expect(warnings).toEqual(['The trace collector does not accept spans', 'The trace collector accepts spans again']);
  const text = exposition(spanMetrics(gate.counts));
  expect(
    readExposition(text)
      .get('slipway_trace_spans_dropped_total')
      ?.samples.map(({ value }) => value),
  ).toEqual([3, 2]);
});

test('a collector that is away slows nothing down', async () => {
  telemetry = startTelemetry(
    { url: 'http://127.0.0.1:9/v1/traces', headers: {}, serviceName: 'slipway', sampler: 'always_on', samplerArg: 1 },
    { version: '1', log },
  );
  const startedAt = performance.now();
  for (let count = 0; count < 6000; count++) await inSpan('work', { parent: null }, async () => {});
  expect(performance.now() - startedAt).toBeLessThan(5000);
  const { counts } = telemetry;
  expect(counts.full).toBeGreaterThan(0);
  await telemetry.close();
  telemetry = undefined;
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('label values are escaped', () => {
  const metric = { name: 'a_total', help: 'Help.', type: 'counter', samples: [[labelsOf({ a: 'x"\\\ny' }), 1]] } as const;
  expect(exposition([metric])).toBe('# HELP a_total Help.\n# TYPE a_total counter\na_total{a="x\\"\\\\\\ny"} 1\n');
  expect(readExposition(exposition([metric])).size).toBe(1);
});
