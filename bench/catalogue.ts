/**
 * Measures the catalog with 300,000 applications, 30,000 platforms and 3,000 portfolios: the real server over HTTP, with one client. Then
 * measures requests per second with ten clients and 30,000 entries, beside figures of Backstage. `--applications N` sets another number,
 * `--database URL --data DIRECTORY` measures a database that is filled already with the keys in that directory, `--before <checkout>` first
 * measures another checkout on rows of its own.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../packages/server/src/db/database.ts';
import { seedCatalogLoad } from '../packages/server/src/testing/load/catalog-load.ts';
import { startEmbeddedPostgres } from '../engines/postgres/src/embedded-postgres.ts';
import { clientTerms, requestsOf, throughput, type Asked } from './catalogue/requests.ts';
import { startPlatform, token, type Platform } from './platform.ts';

const ROUNDS = 40;
const TARGET_MS = 50;
const CLIENTS = 10;
const SECONDS = 8;
const TIMES = 10;
const SMALL = 27_000;
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };

interface Figure {
  readonly p50Ms: number;
  readonly p95Ms: number;
}
interface Place {
  readonly applications: number;
  readonly checkout?: string | undefined;
  /** A database that is filled already. */
  readonly url?: string | undefined;
  /** Data directory with the keys of that database. */
  readonly data?: string | undefined;
}

/** Runs `work` with a server on a filled database; the server drives no services. */
const withServer = async <T>({ applications, checkout, url, data }: Place, work: (platform: Platform) => Promise<T>): Promise<T> => {
  const start = (address: string) =>
    startPlatform({
      ...(checkout ? { checkout } : {}),
      env: { DATABASE_URL: address, SLIPWAY_ROLES: 'api', ...(data && { SLIPWAY_DATA: data }) },
    });
  if (url !== undefined) {
    const platform = await start(url);
    return work(platform).finally(() => platform.stop());
  }
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-bench-catalogue-'));
  fs.chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log });
  const { host, user, password, database } = postgres.connection;
  let platform: Platform | undefined;
  try {
    platform = await start(`postgresql://${user}:${encodeURIComponent(password)}@localhost/${database}?host=${encodeURIComponent(host)}`);
    const { pool, close } = openDatabase(postgres.connection);
    const client = await pool.connect();
    const startedAt = performance.now();
    await seedCatalogLoad(client, loadOf(applications));
    // A worker does this every five seconds. Former checkouts have no sums.
    if (!checkout) await client.query('select catalog_sum_up()');
    client.release();
    await close();
    console.log(`${checkout ?? 'This checkout'}: ${applications} applications in ${Math.round(performance.now() - startedAt)} ms`);
    return await work(platform);
  } finally {
    await platform?.stop();
    await postgres.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
};
const loadOf = (applications: number) => ({
  applications,
  platforms: Math.ceil(applications / 10),
  portfolios: Math.ceil(applications / 100),
  people: Math.max(200, Math.ceil(applications / 50)),
  member: 'platform-automation',
});

const headers = { authorization: `Bearer ${token}` };
/** Returns milliseconds until the whole answer, or its first bytes, arrived. */
const ask = async (url: string, { path: address, accept, isFirstBytes }: Asked): Promise<number> => {
  const startedAt = performance.now();
  const answer = await fetch(`${url}${address}`, { headers: { ...headers, ...(accept && { accept }) } });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  if (!isFirstBytes) {
    await answer.text();
    return performance.now() - startedAt;
  }
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  // The header and the first rows may come together.
  for (let lines = 0; reader && lines < 2;) {
    const { value, done } = await reader.read();
    if (done) break;
    lines += value.split('\n').length - 1;
  }
  const took = performance.now() - startedAt;
  await reader?.cancel();
  return took;
};

const measureAll = async (platform: Platform): Promise<Map<string, Figure>> => {
  const figures = new Map<string, Figure>();
  for (const [name, asked] of await requestsOf(platform)) {
    const durations: number[] = [];
    // The first two warm connections up.
    for (let round = -2; round < ROUNDS; round++) {
      const took = await ask(platform.url, asked(round + 2));
      if (round >= 0) durations.push(took);
    }
    durations.sort((a, b) => a - b);
    const at = (share: number): number => Math.round((durations[Math.floor(durations.length * share)] ?? 0) * 10) / 10;
    figures.set(name, { p50Ms: at(0.5), p95Ms: at(0.95) });
    console.log(`  ${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
  return figures;
};

/** Requests per second with ten clients. */
const measureThroughput = async (platform: Platform): Promise<Map<string, number>> => {
  const figures = new Map<string, number>();
  const terms = await clientTerms(platform);
  for (const { name, asked } of throughput) {
    let [answered, next] = [0, 0];
    const work = async (seconds: number): Promise<void> => {
      const end = performance.now() + seconds * 1000;
      const client = async (): Promise<void> => {
        while (performance.now() < end) {
          await ask(platform.url, { path: asked(next++, terms) });
          answered++;
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    };
    await work(1);
    answered = 0;
    const startedAt = performance.now();
    await work(SECONDS);
    figures.set(name, Math.round((answered / (performance.now() - startedAt)) * 1000));
    console.log(`  ${name}: ${figures.get(name)} per second`);
  }
  return figures;
};

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      applications: { type: 'string', default: '300000' },
      database: { type: 'string' },
      data: { type: 'string' },
      before: { type: 'string' },
    },
  });
  const applications = Number(values.applications);
  const before = values.before ? await withServer({ applications, checkout: path.resolve(values.before) }, measureAll) : undefined;
  const after = await withServer({ applications, url: values.database, data: values.data }, measureAll);
  const rates = await withServer({ applications: SMALL }, measureThroughput);
  console.table(
    Object.fromEntries(
      [...after].map(([name, { p50Ms, p95Ms }]) => [
        name,
        { ...(before ? { 'before p95 ms': before.get(name)?.p95Ms } : {}), 'p50 ms': p50Ms, 'p95 ms': p95Ms },
      ]),
    ),
  );
  console.table(
    throughput.map(({ name, backstagePerSecond }) => ({
      name,
      'per second': rates.get(name),
      'Backstage 1.55, per second': backstagePerSecond,
      times: Math.round(((rates.get(name) ?? 0) / backstagePerSecond) * 10) / 10,
    })),
  );
  console.log('The figures of Backstage were measured earlier, on PostgreSQL and a machine like this one.');
  const below = [
    ...[...after].filter(([, { p95Ms }]) => p95Ms > TARGET_MS).map(([name, { p95Ms }]) => `${name} (${p95Ms} ms)`),
    ...throughput
      .filter(({ name, backstagePerSecond }) => (rates.get(name) ?? 0) < TIMES * backstagePerSecond)
      .map(({ name }) => `${name} (${rates.get(name)} per second)`),
  ];
  console.log(`catalogue@${applications}: ${below.length} below${below.length > 0 ? `: ${below.join('; ')}` : ''}`);
  if (below.length > 0) process.exitCode = 1;
}
