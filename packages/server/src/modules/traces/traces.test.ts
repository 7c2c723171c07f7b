/** Traces of services over HTTP: both encodings, OpenTelemetry's own exporter, rights, limits, sampling and forwarding. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { serviceTraceList, serviceTraceView, type ServiceTrace, type ServiceTraces } from '@slipway/contract/service/traces.ts';
import { TraceTokens } from '#kernel/auth/trace-tokens.ts';
import type { Keys } from '#ports/keys.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { noteReached } from '#testing/reached.ts';
import { protobufAnswer } from './otlp-protobuf.ts';
import { sampleTraces, tidyTraces } from './sampling.sql.ts';
import { tracePartitions } from './span-writer.ts';

let app: TestApp;
let keys: Keys;
/** The company's collector: what it got, and the statuses of its next answers. */
const forwarded: { readonly headers: IncomingHttpHeaders; readonly url: string | undefined; readonly body: Buffer }[] = [];
const refusals: number[] = [];
const collector = createServer((request, response) => {
  void buffer(request).then((body) => {
    const status = refusals.shift() ?? 200;
    if (status === 200) forwarded.push({ headers: request.headers, url: request.url, body });
    response.writeHead(status).end();
  });
});
const CAP = 100;
const limits = { burst: 300, perSecond: 20, payloadBytes: 100_000, burstBytes: 4_000_000 };
const tokens = new Map<string, string>();
const paramsOf = (service: string) => ({ app: service, env: 'development', service });
beforeAll(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  app = await testApp({
    isWorker: false,
    traces: { cap: CAP, limits, collector: { url, headers: { authorization: 'Bearer company' } } },
    adapt: (adapters) => {
      ({ keys } = adapters);
      return adapters;
    },
  });
  const { db, pool } = app.database;
  const issued = new TraceTokens(pool, keys);
  for (const [name, team] of [
    ['berth', 'harbor'],
    ['crane', 'harbor'],
    ['quay', 'other'],
  ] as const) {
    await seedApp(db, { id: name, ...(team === 'other' ? { team: 'customs' } : {}) });
    const serviceId = await seedService(db, { app: name, name });
    tokens.set(name, await issued.tokenOf(await seedRevision(db, { serviceId, service: name, number: 1 })));
  }
});
afterAll(async () => {
  await app?.close();
  collector.close();
});

const NOW = () => BigInt(Date.now()) * 1_000_000n;
let number = 0;
const idOf = (length: number): string => (++number).toString(16).padStart(4, '0').padEnd(length, 'f');
interface Sent {
  traceId?: string;
  name?: string;
  ms?: number;
  isError?: boolean;
  start?: bigint;
  parentSpanId?: string;
}
const span = ({
  traceId = idOf(32),
  name = 'GET /plans',
  ms = 5,
  isError = false,
  start = NOW() - 1_000_000_000n,
  parentSpanId,
}: Sent = {}) => ({
  traceId,
  spanId: idOf(16),
  ...(parentSpanId ? { parentSpanId } : {}),
  name,
  kind: 2,
  startTimeUnixNano: String(start),
  endTimeUnixNano: String(start + BigInt(ms) * 1_000_000n),
  status: isError ? { code: 2, message: 'boom' } : {},
  attributes: [{ key: 'http.route', value: { stringValue: '/plans' } }],
});
const bodyOf = (...spans: readonly object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const post = (
  body: string | Uint8Array<ArrayBuffer>,
  init: { service?: string; token?: string; type?: string; path?: string; method?: string } = {},
) =>
  fetch(`${app.url}/otlp${init.path ?? '/v1/traces'}`, {
    method: init.method ?? 'POST',
    headers: {
      authorization: `Bearer ${init.token ?? tokens.get(init.service ?? 'berth')}`,
      'content-type': init.type ?? 'application/json',
    },
    ...(init.method === 'GET' ? {} : { body }),
  });
const listed = async (service: string): Promise<ServiceTraces> =>
  (await app.call('member', serviceTraceList, { params: paramsOf(service) })).body as ServiceTraces;
const viewed = (service: string, traceId: string) => app.call('member', serviceTraceView, { params: { ...paramsOf(service), traceId } });

test("OpenTelemetry's exporter sends protobuf, and the failed call and its trace are shown", async () => {
  const exporter = new OTLPTraceExporter({
    url: `${app.url}/otlp/v1/traces`,
    headers: { authorization: `Bearer ${tokens.get('berth')}` },
  });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const root = provider
    .getTracer('test')
    .startSpan('POST /orders', { kind: SpanKind.SERVER, attributes: { 'http.route': '/orders', n: 3, below: -7, ok: true } });
  root.recordException(new TypeError('no such order'));
  root.setStatus({ code: SpanStatusCode.ERROR });
  root.end();
  await provider.shutdown();
  const { traceId } = root.spanContext();
  await vi.waitFor(async () => expect((await listed('berth')).failed).toMatchObject([{ name: 'POST /orders', traceId }]), PATIENCE_MS);
  expect((await listed('berth')).failed[0]?.message).toContain('no such order');
  expect((await viewed('berth', traceId)).body).toMatchObject({
    traceId,
    isCut: false,
    spans: [
      { service: 'berth', revision: 'berth-1', kind: 2, isError: true, attributes: { 'http.route': '/orders', n: 3, below: -7, ok: true } },
    ],
  });
});

test('JSON is taken plain and as gzip, a batch that is sent again is stored once, and the slowest call comes first', async () => {
  const [slow, fast] = [span({ name: 'GET /slow', ms: 900 }), span({ name: 'GET /fast', ms: 2 })];
  expect(await (await post(bodyOf(slow, fast))).json()).toEqual({});
  expect((await post(new Uint8Array(gzipSync(bodyOf(slow, fast))))).status).toBe(200);
  const { slowest } = await listed('berth');
  expect(slowest.filter(({ name }) => /slow|fast/.test(name))).toMatchObject([
    { name: 'GET /slow', slowestMs: 900, medianMs: 900, stored: 1, failed: 0, traceId: slow.traceId },
    { name: 'GET /fast', stored: 1 },
  ]);
});

test('a token writes traces of its own service alone, and members of another app do not see them', async () => {
  const traceId = idOf(32);
  await post(bodyOf(span({ traceId, name: 'GET /mine' })));
  await post(bodyOf(span({ traceId, name: 'GET /theirs' })), { service: 'quay' });
  expect(((await viewed('berth', traceId)).body as ServiceTrace).spans.map(({ name }) => name)).toEqual(['GET /mine']);
  expect((await app.call('stranger', serviceTraceView, { params: { ...paramsOf('berth'), traceId } })).status).toBe(404);
  // The trace exists, but this service has no span in it.
  expect((await viewed('crane', traceId)).body).toMatchObject({ errors: [{ code: 'TraceDoesNotExist' }] });
  const [revision] = tokens.get('berth')?.split('.') ?? [];
  for (const token of ['', 'x', `${revision}.AAAA`, `${revision}x.${tokens.get('berth')?.split('.')[1]}`]) {
    const refused = await post(bodyOf(span()), { token });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({ message: 'The token for traces is missing or not valid' });
    noteReached('TraceTokenInvalid');
  }
  expect(await (await post(bodyOf(span()), { token: 'x' })).json()).toEqual({ message: 'The token for traces is missing or not valid' });
});

test("payloads reach the company's collector as they arrived, with the names of their sender, after it was down", async () => {
  forwarded.length = 0;
  refusals.push(503);
  const body = bodyOf(span({ name: 'GET /forwarded' }));
  expect((await post(new Uint8Array(gzipSync(body)), { service: 'crane' })).status).toBe(200);
  await vi.waitFor(() => expect(forwarded).toHaveLength(1), PATIENCE_MS);
  expect(forwarded[0]).toMatchObject({
    url: '/v1/traces',
    headers: {
      authorization: 'Bearer company',
      'content-type': 'application/json',
      'x-slipway-team': 'cranes',
      'x-slipway-app': 'crane',
      'x-slipway-environment': 'development',
      'x-slipway-service': 'crane',
      'x-slipway-revision': 'crane-1',
    },
  });
  expect(forwarded[0]?.body.toString()).toBe(body);
  // A request that the collector finds invalid is not sent again.
  refusals.push(400);
  const answer = await post(bodyOf(span()), { service: 'crane' });
  expect(answer.status).toBe(200);
  const metrics = async () => (await fetch(`${app.url}/metrics`)).text();
  await expect.poll(metrics).toContain('slipway_traces_not_forwarded_total 1');
  expect(forwarded).toHaveLength(1);
});

test('spans that cannot be stored are counted in the answer, and the others are stored', async () => {
  const old = span({ start: NOW() - 90_000_000_000_000n });
  const answer = await (await post(bodyOf(span({ name: 'GET /kept' }), old, { ...span(), traceId: 'short' }))).json();
  expect(answer).toMatchObject({ partialSuccess: { rejectedSpans: '2', errorMessage: expect.stringContaining('ids or times') } });
  expect((await listed('berth')).slowest.map(({ name }) => name)).toContain('GET /kept');
  expect(Buffer.from(protobufAnswer(2, 'no')).toString('hex')).toBe('0a0608021202' + '6e6f');
});

test('bodies that cannot be read are refused', async () => {
  const refused = await post('{"resourceSpans": 1}');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({
    message: 'The body is not an OTLP request with traces, as application/x-protobuf or application/json',
  });
  // OTLP answers a message without a code.
  noteReached('TraceBodyInvalid');
  expect((await post('{')).status).toBe(400);
  expect((await post(new Uint8Array([0x1f, 0x8b, 1, 2]))).status).toBe(400);
  expect((await post(new Uint8Array([10, 200, 1]), { type: 'application/x-protobuf' })).status).toBe(400);
  expect((await post('x', { type: 'text/plain' })).status).toBe(400);
  const bomb = await post(new Uint8Array(gzipSync(Buffer.alloc(200_000))));
  expect(bomb.status).toBe(413);
  expect(await bomb.json()).toMatchObject({ message: expect.stringContaining('The request is larger than') });
  expect((await post(' '.repeat(1_100_000))).status).toBe(413);
  expect((await post('', { path: '/v1/metrics' })).status).toBe(404);
  expect((await post('', { method: 'GET' })).status).toBe(405);
});

test('very many empty spans are read up to a limit', async () => {
  // resource_spans { scope_spans { spans {} … } }
  const spans = Buffer.from('1200'.repeat(10_000), 'hex');
  const length = (bytes: Buffer): Buffer =>
    Buffer.from([(bytes.length & 127) | 128, ((bytes.length >> 7) & 127) | 128, bytes.length >> 14]);
  const scope = Buffer.concat([Buffer.from([0x12]), length(spans), spans]);
  const body = Buffer.concat([Buffer.from([0x0a]), length(scope), scope]);
  const answer = await post(new Uint8Array(body), { type: 'application/x-protobuf' });
  expect(answer.status).toBe(200);
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  expect(text).toContain('7952 spans: a request may contain 2048.');
  expect(text).toContain('2048 spans: their ids or times are invalid');
});

test('sampling keeps failed and slow calls, and a tenth of the others', async () => {
  const { db, pool } = app.database;
  await pool.query('truncate trace_span, trace_usage');
  // The last byte of a trace id decides about calls that are neither slow nor failed.
  const traces = Array.from({ length: 40 }, (_, index) => `${idOf(30)}${index < 4 ? '05' : 'f0'}`);
  const failed = `${idOf(30)}f0`;
  await post(
    bodyOf(
      ...traces.map((traceId, index) => span({ traceId, ms: index < 30 ? 1 : 100 + index })),
      span({ traceId: failed, isError: true, ms: 1 }),
    ),
  );
  await post(bodyOf(...traces.slice(4, 6).map((traceId) => span({ traceId, name: 'inner', ms: 1, parentSpanId: idOf(16) }))));
  while (await sampleTraces(db, 60));
  const stored = async () =>
    (await pool.query<{ id: string }>('select distinct trace_id as id from trace_span order by 1')).rows.map(({ id }) => id);
  expect(await stored()).toHaveLength(41);
  await pool.query("update trace_span set name = 'GET /plans'");
  while (await sampleTraces(db, -1));
  expect(await stored()).toEqual([...traces.slice(0, 4), ...traces.slice(-5), failed].toSorted());
  const { rows } = await pool.query<{ spans: number }>('select spans from trace_usage');
  expect(rows).toEqual([{ spans: 10 }]);
});

test('a team that has stored its spans of the day learns that further spans are refused, and another team stores its own', async () => {
  await app.database.pool.query('truncate trace_span, trace_usage');
  const spans = Array.from({ length: CAP + 5 }, () => span());
  expect(await (await post(bodyOf(...spans))).json()).toMatchObject({ partialSuccess: { rejectedSpans: '5' } });
  expect(await (await post(bodyOf(span()), { service: 'crane' })).json()).toMatchObject({ partialSuccess: { rejectedSpans: '1' } });
  expect(await (await post(bodyOf(span()), { service: 'quay' })).json()).toEqual({});
  expect((await listed('crane')).isFull).toBe(true);
});

test('partitions older than a day are dropped', async () => {
  const { pool } = app.database;
  const names = async () =>
    (await pool.query<{ name: string }>("select relname as name from pg_class where relname ~ '^trace_span_[0-9]{8}$'")).rows.map(
      ({ name }) => name,
    );
  await tracePartitions.ensure(pool, new Date(Date.now() - 5 * 86_400_000));
  const before = await names();
  await tidyTraces(app.database);
  const after = await names();
  expect(before.length).toBeGreaterThan(after.length);
  expect(after.length).toBeGreaterThanOrEqual(5);
});

test('a team that sends too much is asked to wait, and another team is not', async () => {
  const answers = await Promise.all(Array.from({ length: 400 }, () => post(bodyOf())));
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await post(bodyOf(span()), { service: 'quay' })).status).toBe(200);
});
