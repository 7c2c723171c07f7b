/**
 * Compares servers side by side: without telemetry, with all traces, with a tenth of the traces, and with
 * metrics alone. Slices of the same work go to each in turn. Only the processor time of the server's own process counts, not its database.
 */
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { median, type BenchOptions } from './compare/pairs.ts';
import { makeTeam, startPlatform, type Platform } from './platform.ts';

const SLICES_A_ROUND = 4;
const WARM_UP_SLICES = 6;
const READS = 300;
const WRITES = 1;
const WAIT_MS = 250;
const PORTS_APART = 2;
const mostMorePercent = 5;

/** Processor milliseconds of one process, without its children. Linux counts them per thread, in nanoseconds. */
const ownProcessorMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanoseconds) / 1e6;
  }, 0);

/** Accepts everything. */
const startCollector = async (): Promise<{ url: string; requests: () => number; close: () => void }> => {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    request.resume().on('end', () => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests, close: () => server.close() };
};

const reads = [
  '/api/v1/apps?size=25',
  '/api/team-service/applications/v1/bench-1',
  '/api/v1/apps/bench-1/development/activity-logs',
  '/api/v1/pipelines?size=25',
];
let serial = 1;
const createApp = async (platform: Platform): Promise<void> => {
  const app = { id: `bench-${serial}`, displayName: `Bench ${serial}`, teamId: 'bench' };
  const { pipelineId } = await platform.call('POST', '/api/team-service/applications/v2', app);
  // Rarely, because each question is a request, too.
  for (let state = 'RUNNING'; state !== 'COMPLETED';) {
    await delay(WAIT_MS);
    const run = await platform.call('GET', `/api/v1/pipelines/${String(pipelineId)}`);
    state = isRecord(run['status']) ? String(run['status']['state']) : '';
  }
};
/** The same on each server: reads of lists and pages, and writes with their pipelines. */
const work = async (platform: Platform): Promise<void> => {
  for (let count = 0; count < READS; count += 1) await platform.call('GET', reads[count % reads.length] ?? '');
  const first = serial;
  for (let count = 0; count < WRITES; count += 1) {
    serial += 1;
    await createApp(platform);
  }
  serial = first;
};

export const run = async ({ rounds }: BenchOptions): Promise<void> => {
  const collector = await startCollector();
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const variants = {
    off: {},
    traces: on,
    tenth: { ...on, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
    metrics: { ...on, OTEL_TRACES_SAMPLER: 'always_off', OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '10000' },
  };
  const first = Number(process.env['BENCH_PORT'] ?? 4700);
  const platforms = new Map<string, Platform>();
  let port = first;
  for (const [name, env] of Object.entries(variants)) {
    const ports = {
      SLIPWAY_INGRESS_PORT: String(port + 40),
      SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(port + 1),
      SLIPWAY_KAFKA_PORT_PRODUCTION: String(port + 41),
      // `npm start` sets the same flag. Garbage collection is a large part of the cost of spans.
      NODE_OPTIONS: '--max-semi-space-size=16',
    };
    platforms.set(name, await startPlatform({ port, env: { ...ports, ...env } }));
    port += PORTS_APART;
  }
  const samples = new Map(Object.keys(variants).map((name) => [name, [] as number[]]));
  try {
    for (const platform of platforms.values()) {
      await makeTeam(platform);
      serial = 1;
      await createApp(platform);
      // Compiles what the slices run.
      for (let count = 0; count < WARM_UP_SLICES; count += 1) {
        await work(platform);
        serial += WRITES;
      }
    }
    for (let slice = 0; slice < rounds * SLICES_A_ROUND; slice += 1) {
      const inTurn = [...platforms];
      for (const [name, platform] of slice % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const before = ownProcessorMs(platform.pid);
        await work(platform);
        samples.get(name)?.push(ownProcessorMs(platform.pid) - before);
      }
      serial += WRITES;
    }
  } finally {
    for (const platform of platforms.values()) await platform.stop();
    collector.close();
  }
  const base = samples.get('off') ?? [];
  const more = (name: string): number => median((samples.get(name) ?? []).map((ms, index) => (ms / (base[index] ?? ms) - 1) * 100));
  console.table(
    [...samples].map(([telemetry, all]) => ({
      telemetry,
      medianMs: Math.round(median(all)),
      morePercent: Number(more(telemetry).toFixed(1)),
    })),
  );
  const sum = (name: string): number => (samples.get(name) ?? []).reduce((total, ms) => total + ms, 0);
  const figures = Object.keys(variants)
    .slice(1)
    .map((name) => `${name} ${more(name).toFixed(1)} % (of the sums ${((sum(name) / sum('off') - 1) * 100).toFixed(1)} %)`);
  console.log(
    `telemetry: more processor time in ${base.length} slices: ${figures.join(', ')}; limit ${mostMorePercent} %; ${collector.requests()} exports`,
  );
  if (more('traces') > mostMorePercent) process.exitCode = 1;
};
