/** Traces and metrics at a real OTLP collector, and the metrics before Prometheus' own linter. `npm run test:engines -- collector`. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { metricsView } from '@slipway/contract/platform.ts';
import { readConfig } from '#kernel/config.ts';
import { testApp } from '#testing/app.ts';
import { startMetricExport } from './metric-export.ts';
import { startTelemetry } from './open-telemetry.ts';
import { inSpan } from './tracing.ts';

interface Collector {
  readonly url: string;
  /** Log with everything that the collector received. */
  readonly received: string;
  readonly promtool: string;
}
const given = process.env['TEST_COLLECTOR'];
const collector: Collector = JSON.parse(given ?? '{"url":"http://127.0.0.1","received":"","promtool":""}');
const log = { debug() {}, info() {}, warn() {}, error() {} };
const mark = randomBytes(6).toString('hex');
const version = `1.0.0-${mark}`;
const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: 'otlp' });
const received = (): Promise<string> => readFile(collector.received, 'utf8');

describe.skipIf(given === undefined)('a real collector', () => {
  test('receives spans of requests and of SQL statements, with attributes and resource', async () => {
    if (!telemetry) throw new Error('No telemetry is configured');
    const started = startTelemetry(telemetry, { version, log });
    const app = await testApp({ isWorker: false });
    await inSpan(`work-${mark}`, { parent: null }, async () => {
      await app.database.pool.query(`select 1 as "column-${mark}"`);
    });
    await started.close();
    await app.close();
    expect(started.counts).toMatchObject({ full: 0, failed: 0 });
    expect(started.counts.exported).toBeGreaterThanOrEqual(2);
    for (const text of [`work-${mark}`, `column-${mark}`, version, 'postgresql']) await expect.poll(received).toContain(text);
  });

  test('receives every metric of /metrics, and they pass the linter of Prometheus', async () => {
    if (!telemetry?.metrics) throw new Error('No metrics are configured');
    const { metrics } = telemetry;
    const app = await testApp({ isWorker: false, exportMetrics: (read) => startMetricExport(telemetry, metrics, { version, log, read }) });
    const text = String((await app.call(undefined, metricsView)).body);
    // The last export comes with the end.
    await app.close();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    await expect
      .poll(async () => {
        const seen = await received();
        return names.filter((name) => !seen.includes(name));
      })
      .toEqual([]);
    if (existsSync(collector.promtool))
      execFileSync(collector.promtool, ['check', 'metrics'], { input: text, stdio: ['pipe', 'inherit', 'inherit'] });
  });
});
