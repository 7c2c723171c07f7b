/** The export of metrics to a real receiver of OTLP over HTTP. */
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataPointType } from '@opentelemetry/sdk-metrics';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '#kernel/config.ts';
import { metricData, startMetricExport } from './metric-export.ts';
import type { Metric } from './metric.ts';
import { RequestMetrics } from './request-metrics.ts';

const logged: string[] = [];
const log = {
  debug() {},
  info: (_: object, text: string) => logged.push(text),
  warn: (_: object, text: string) => logged.push(text),
  error() {},
};
let server: http.Server | undefined;
afterEach(() => {
  logged.length = 0;
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});
const received: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
const listen = async (port = 0): Promise<number> => {
  server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts).toString('latin1') });
      response.end();
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};
const counter: Metric = { name: 'things_total', help: 'Things.', type: 'counter', samples: [[{ kind: 'a' }, 3]] };
const configured = (port: number) => {
  const { telemetry } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
  });
  if (!telemetry?.metrics) throw new Error('No metrics are configured');
  return { telemetry, metrics: { ...telemetry.metrics, everyMs: 100 } };
};

test('metrics reach the collector at intervals, with credentials and the name of the service', async () => {
  const { telemetry, metrics } = configured(await listen());
  const stop = startMetricExport(telemetry, metrics, { version: '1.2.3', log, read: async () => [counter] });
  await expect.poll(() => received.length).toBeGreaterThan(1);
  await stop();
  expect(received[0]).toMatchObject({
    url: '/v1/metrics',
    headers: { 'content-type': 'application/x-protobuf', authorization: 'Bearer secret' },
  });
  for (const text of ['things_total', 'kind', 'service.name', 'slipway', '1.2.3']) expect(received[0]?.body).toContain(text);
  expect(logged).toEqual([]);
});

test('a collector that is away is logged once, and its return, too', async () => {
  const port = await listen();
  server?.close();
  const { telemetry, metrics } = configured(port);
  const stop = startMetricExport(telemetry, metrics, { version: '1', log, read: async () => [counter] });
  await expect.poll(() => logged).toEqual(['The collector does not accept metrics']);
  await listen(port);
  await expect.poll(() => logged).toEqual(['The collector does not accept metrics', 'The collector accepts metrics again']);
  await stop();
});

test('metrics are off by default, and need a collector', () => {
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }).telemetry?.metrics).toBeUndefined();
  expect(() => readConfig({ OTEL_METRICS_EXPORTER: 'otlp' })).toThrow('OTEL_METRICS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT');
  expect(() => readConfig({ OTEL_METRIC_EXPORT_INTERVAL: '10' })).toThrow('OTEL_METRIC_EXPORT_INTERVAL');
});

test('every type of metric keeps its values and labels', async () => {
  const span = { startTime: [1, 0], endTime: [2, 0] } as const;
  const of = (metric: Metric) => metricData(metric, { startTime: [...span.startTime], endTime: [...span.endTime] });
  expect(of(counter)).toMatchObject({
    descriptor: { name: 'things_total', description: 'Things.' },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ ...span, attributes: { kind: 'a' }, value: 3 }],
  });
  expect(of({ ...counter, type: 'gauge', samples: [[{}, -1]] })).toMatchObject({
    dataPointType: DataPointType.GAUGE,
    dataPoints: [{ attributes: {}, value: -1 }],
  });
  const bucket = (le: string, count: number) => [{ route: 'r', le }, count, '_bucket'] as const;
  const samples = [
    bucket('0.1', 2),
    bucket('1', 2),
    bucket('+Inf', 5),
    [{ route: 'r' }, 9.5, '_sum'],
    [{ route: 'r' }, 5, '_count'],
  ] as const;
  expect(of({ ...counter, type: 'histogram', samples })).toMatchObject({
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [{ attributes: { route: 'r' }, value: { buckets: { boundaries: [0.1, 1], counts: [2, 0, 3] }, sum: 9.5, count: 5 } }],
  });
  const [, empty] = new RequestMetrics().metrics();
  expect(empty && of(empty).dataPoints).toEqual([]);
});
