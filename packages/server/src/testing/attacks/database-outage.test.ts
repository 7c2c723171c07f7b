// @long: waits for limits, or starts programs
/**
 * Takes the database away from three replicas in every way there is, under a load of reads, writes, pipelines and requests at the edge:
 * no replica ends, no service fails, and what was accepted is done.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { applicationList } from '@slipway/contract/application.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { connectionUrl } from '../database.ts';
import { freePort } from '#testing/free-port.ts';
import { edgeLoad } from '../load/edge-load.ts';
import { Program, askEdge, programToken, removeData, untilServed } from '../program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const APP = 'berth-one';
const AWAY = { name: 'EngineUnavailable', status: 503, errors: [{ code: 'EngineUnavailable', context: { engine: 'database' } }] };

let base: string;
let postgres: EmbeddedPostgres;
let url: string;
let ingressPort: number;
let replicas: Program[] = [];

const startPostgres = async (): Promise<void> => {
  postgres = await startEmbeddedPostgres({ dataDir: path.join(base, 'postgres'), log: silent, isDurable: false });
};

const startReplica = async (): Promise<Program> =>
  Program.start(await freePort(), {
    SLIPWAY_PUBLIC_URL: 'http://localhost:4000',
    SLIPWAY_INGRESS_PORT: String(ingressPort),
    SLIPWAY_DATA: path.join(base, 'data'),
    SLIPWAY_LOG_LEVEL: 'error',
    DATABASE_URL: url,
  });

beforeAll(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-outage-'));
  fs.chmodSync(base, 0o711);
  await startPostgres();
  url = connectionUrl(postgres.connection);
  ingressPort = await freePort();
  replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
  const [first] = replicas as [Program];
  await first.makeTeam();
  await first.ended(await first.quickstart(APP));
  await untilServed(ingressPort, APP);
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
  await postgres.stop();
  await removeData(path.join(base, 'postgres'));
  fs.rmSync(base, { recursive: true, force: true });
});

const ask = async (replica: Program, address: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${replica.port}${address}`, {
    ...init,
    headers: { authorization: `Bearer ${programToken}`, 'content-type': 'application/json', ...init.headers },
  });
/** As a load balancer does, without credentials. */
const probe = (replica: Program, address: string): Promise<Response> => fetch(`http://127.0.0.1:${replica.port}${address}`);
const write = (replica: Program, id: string): Promise<Response> =>
  ask(replica, teamCreate.path, { method: 'POST', body: JSON.stringify({ id, displayName: id, ownerIds: ['platform-automation'] }) });

/** Reads and writes at every replica; what was accepted is asked for at the end. */
const apiLoad = (name: string) => {
  const accepted: string[] = [];
  const odd: string[] = [];
  let isStopping = false;
  const lane = async (replica: Program, number: number): Promise<void> => {
    for (let count = 0; !isStopping; count++) {
      const isWrite = count % 3 === 0;
      const answer = await (isWrite ? write(replica, `${name}-${number}-${count}`) : ask(replica, applicationList.path)).catch(String);
      if (typeof answer === 'string') odd.push(answer);
      else if (answer.status === 202) accepted.push(((await answer.json()) as { pipelineId: string }).pipelineId);
      else if (answer.status === 503 && answer.headers.get('retry-after') !== null) await answer.body?.cancel();
      else if (answer.status !== 200) odd.push(`${answer.status} ${((await answer.json()) as { name: string }).name}`);
      await delay(10);
    }
  };
  const lanes = replicas.map(lane);
  return async () => {
    isStopping = true;
    await Promise.all(lanes);
    return { accepted, odd: [...new Set(odd)] };
  };
};

const expectAllAlive = (): void => {
  // With its last words, for whoever reads the failure.
  for (const { child, output } of replicas) expect(child.exitCode === null && child.signalCode === null ? '' : output).toBe('');
};

const expectCompleted = async (replica: Program, id: string): Promise<void> => {
  const { pipelineType, status } = await replica.ended(id);
  // With what went wrong, for whoever reads the failure.
  const open = status.steps.filter(({ state }) => state !== 'COMPLETED' && state !== 'SKIPPED');
  expect({ pipelineType, state: status.state, open }).toEqual({ pipelineType, state: 'COMPLETED', open: [] });
};

/** From a session that spares itself. */
const administer = async (run: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await run(client);
  await client.end();
};

const sessions = `select pid, application_name as name from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`;

test('sessions that are ended one by one and all at once, in transactions, locks and LISTEN, end no replica', async () => {
  const stopEdge = edgeLoad(ingressPort, APP);
  const stopApi = apiLoad('ended');
  const pipelineId = await (replicas[0] as Program).quickstart('berth-ended');
  const ended = new Set<string>();
  await administer(async (client) => {
    for (let round = 0; round < 6; round++) {
      for (const { pid, name } of (await client.query<{ pid: number; name: string }>(sessions)).rows) {
        ended.add(name);
        await client.query('select pg_terminate_backend($1)', [pid]);
      }
      // In the middle of what was begun anew.
      await delay(200);
      await client.query(`select pg_terminate_backend(pid) from (${sessions}) as others`);
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'`);
      await delay(300);
    }
  });
  expect([...ended].sort()).toEqual(
    expect.arrayContaining(['slipway', 'slipway listen slipway_change', 'slipway lock slipway:runtime', 'slipway queue', 'slipway worker']),
  );
  const { accepted, odd } = await stopApi();
  expectAllAlive();
  expect(odd).toEqual([]);
  expect(accepted.length).toBeGreaterThan(0);
  for (const id of [pipelineId, ...accepted]) await expectCompleted(replicas[1] as Program, id);
  const edge = await stopEdge();
  expect(edge.failures).toEqual([]);
  expect(edge.count).toBeGreaterThan(50);
});

test.each(['orderly', 'crash'])('an outage (%s): 503 at once, the services go on, and so do pipelines afterwards', async (kind) => {
  const stopEdge = edgeLoad(ingressPort, APP);
  const stopApi = apiLoad(`away-${kind}`);
  const pipelineId = await (replicas[0] as Program).quickstart(`berth-${kind}`);
  const resyncs = await Promise.all(replicas.map(listenForResync));
  if (kind === 'crash') await administer((client) => crash(client));
  await postgres.stop();
  for (const replica of replicas) {
    const startedAt = performance.now();
    const answers = await Promise.all([
      ask(replica, applicationList.path),
      write(replica, 'late'),
      probe(replica, '/readyz'),
      probe(replica, '/healthz'),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
    for (const answer of answers.slice(0, 2)) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toMatchObject(AWAY);
    }
    expect(await (answers[2] as Response).json()).toMatchObject({ checks: { database: 'failed' } });
  }
  await expectEnginesAway(replicas[0] as Program);
  for (let count = 0; count < 50; count++) expect(await askEdge(ingressPort, APP)).toBe(200);
  await startPostgres();
  expectAllAlive();
  await Promise.all(resyncs.map((heard) => heard()));
  const { accepted, odd } = await stopApi();
  expect(odd).toEqual([]);
  for (const id of [pipelineId, ...accepted]) await expectCompleted(replicas[2] as Program, id);
  await untilServed(ingressPort, `berth-${kind}`);
  const edge = await stopEdge();
  expect(edge.failures).toEqual([]);
  for (const replica of replicas) await expect.poll(async () => (await probe(replica, '/readyz')).status).toBe(200);
});

/** The git host, the registry and the sign-in say so in their own ways. */
async function expectEnginesAway(replica: Program): Promise<void> {
  const authorization = `Basic ${Buffer.from(`ci:${programToken}`).toString('base64')}`;
  const signIn = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(43), client_id: 'slipway-console' });
  const answers = await Promise.all([
    ask(replica, `/git/${APP}/${APP}.git/info/refs?service=git-upload-pack`, { headers: { authorization } }),
    ask(replica, '/v2/', { headers: { authorization } }),
    fetch(`http://127.0.0.1:${replica.port}/oidc/slipway/token`, {
      method: 'POST',
      body: signIn,
    }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  for (const answer of answers) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Without a shutdown: every session is cut in the middle. The keeper would start it again, so it is stopped right after. */
async function crash(client: pg.Client): Promise<void> {
  const { rows } = await client
    .query<{ directory: string }>(`select current_setting('data_directory') as directory`)
    .catch(() => ({ rows: [] }));
  const directory = rows[0]?.directory ?? path.join(fs.realpathSync(path.join(base, 'postgres/pg')), 'cluster');
  client.on('error', () => {});
  process.kill(Number.parseInt(fs.readFileSync(path.join(directory, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
}

/** Resolves to a function that resolves when the stream says that everything must be read anew. */
async function listenForResync(replica: Program): Promise<() => Promise<void>> {
  const answer = await ask(replica, '/api/v1/events');
  expect(answer.status).toBe(200);
  const heard = (async () => {
    let text = '';
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString('utf8');
      if (text.includes('event: resync')) return;
    }
    throw new Error(`The stream ended: ${text}`);
  })();
  heard.catch(() => {});
  return () => heard;
}
