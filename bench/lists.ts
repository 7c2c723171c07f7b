/**
 * Measures a page of each long list on a large platform, with one client and the real server over HTTP. Seeds 30,000 apps with 60,000
 * services unless `--apps N` sets another number. `--before <checkout>` first measures another checkout's server on the same rows.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../packages/server/src/db/database.ts';
import { startEmbeddedPostgres } from '../engines/postgres/src/embedded-postgres.ts';
import { seedListLoad } from '../packages/server/src/testing/load/list-load.ts';
import { startPlatform, token, type Platform } from './platform.ts';

const REQUESTS = 40;
const TARGET_MS = 50;
/** Slower than this, one request says enough. */
const HOPELESS_MS = 3000;
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };

const apps = '/api/v1/apps?size=25';
const pipelines = '/api/v1/pipelines?size=25';
const requests: readonly (readonly [name: string, path: string])[] = [
  ['home, all apps', apps],
  ['home, my apps', `${apps}&mine=true`],
  ['home, page 20', `${apps}&page=20`],
  ['home, last page', `${apps}&page=1199`],
  ['home, by name', `${apps}&sort=name`],
  ['home, by team', `${apps}&sort=-team`],
  ['home, by last deploy', `${apps}&sort=-lastDeploy`],
  ['search, few match', `${apps}&query=load-3f`],
  ['search, all match', `${apps}&query=load`],
  ['search, one letter', `${apps}&query=e`],
  ['search, two signs', `${apps}&query=9f`],
  ['search, none match', `${apps}&query=nowhere`],
  ['search, my apps', `${apps}&query=load&mine=true`],
  ['facet, failing', `${apps}&health=FAILING`],
  ['facet, one team', `${apps}&team=team-7`],
  ['facet, team and health', `${apps}&team=team-7&health=FAILING&health=PENDING`],
  ['facet and search', `${apps}&query=load-3f&health=HEALTHY`],
  ['pipelines', pipelines],
  ['pipelines, page 20', `${pipelines}&page=20`],
  ['pipelines, failed', `${pipelines}&state=FAILED`],
  ['pipelines, running', `${pipelines}&active=true`],
  ['pipelines, one team', `${pipelines}&team=team-7`],
  ['pipelines, by push', `${pipelines}&trigger=push`],
  ['pipelines, search few', `${pipelines}&query=load-3f`],
  ['pipelines, search all', `${pipelines}&query=deploy`],
  ['activity of a team', '/api/v1/teams/team-1/activity-logs?size=25'],
  ['apps (team service)', '/api/team-service/applications/v2?size=25'],
];

interface Figure {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { apps: { type: 'string', default: '30000' }, before: { type: 'string' } },
  });
  const count = Number(values.apps);
  const before = values.before ? await measureCheckout(count, path.resolve(values.before)) : undefined;
  const after = await measureCheckout(count);
  console.table(
    Object.fromEntries(
      requests.map(([name]) => [
        name,
        {
          ...(before ? { 'before p95 ms': before.get(name)?.p95Ms } : {}),
          'p50 ms': after.get(name)?.p50Ms,
          'p95 ms': after.get(name)?.p95Ms,
        },
      ]),
    ),
  );
  const slow = requests.filter(([name]) => (after.get(name)?.p95Ms ?? Infinity) > TARGET_MS).map(([name]) => name);
  const worst = Math.max(...[...after.values()].map(({ p95Ms }) => p95Ms));
  console.log(`lists@${count} worst p95=${worst}ms target=${TARGET_MS}ms${slow.length > 0 ? ` missed by: ${slow.join('; ')}` : ''}`);
  if (slow.length > 0) process.exitCode = 1;
}

/** A server on a database of its own, filled with the load; it drives no services. */
const measureCheckout = async (count: number, checkout?: string): Promise<Map<string, Figure>> => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-bench-lists-'));
  fs.chmodSync(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log });
  const { host, user, password, database } = postgres.connection;
  const url = `postgresql://${user}:${encodeURIComponent(password)}@localhost/${database}?host=${encodeURIComponent(host)}`;
  let platform: Platform | undefined;
  try {
    platform = await startPlatform({ ...(checkout ? { checkout } : {}), env: { DATABASE_URL: url, SLIPWAY_ROLES: 'api' } });
    const { pool, close } = openDatabase(postgres.connection);
    const client = await pool.connect();
    const startedAt = performance.now();
    await seedListLoad(client, { apps: count, member: 'platform-automation' });
    client.release();
    await close();
    console.log(`${checkout ?? 'This checkout'}: ${count} apps loaded in ${Math.round(performance.now() - startedAt)} ms`);
    return await measureAll(platform.url);
  } finally {
    await platform?.stop();
    await postgres.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }
};

const measureAll = async (url: string): Promise<Map<string, Figure>> => {
  const figures = new Map<string, Figure>();
  for (const [name, address] of requests) {
    const figure = await measure(name, `${url}${address}`);
    figures.set(name, figure);
    console.log(`  ${name}: p50 ${figure.p50Ms} ms, p95 ${figure.p95Ms} ms`);
  }
  return figures;
};

const measure = async (name: string, address: string): Promise<Figure> => {
  const durations: number[] = [];
  const first = await ask(name, address);
  if (first > HOPELESS_MS) durations.push(first);
  for (let count = 0; count < REQUESTS && (durations[0] ?? 0) < HOPELESS_MS; count++) durations.push(await ask(name, address));
  durations.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((durations[Math.floor(durations.length * share)] ?? 0) * 10) / 10;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
};

/** Milliseconds. A statement that was cut off counts with the time that it took. */
const ask = async (name: string, address: string): Promise<number> => {
  const startedAt = performance.now();
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  await answer.text();
  const took = performance.now() - startedAt;
  if (!answer.ok && took < HOPELESS_MS) throw new Error(`${name}: ${address} answered ${answer.status}`);
  return took;
};
