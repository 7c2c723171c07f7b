/** Three replicas of the real program on one database and one data directory: they start at once, and outlive each other's kill -9. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline.ts';
import { pathOf, type RouteShape } from '@slipway/contract/kernel.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { freePort } from './app.ts';
import { testDatabase, type TestDatabase } from './database.ts';

interface Replica {
  readonly port: number;
  readonly child: ChildProcess;
}
const token = 'replicas-test-token-of-forty-characters!';
const program = resolve(import.meta.dirname, '../start.ts');

let database: TestDatabase;
let dataDir: string;
let ingressPort: number;
let replicas: Replica[] = [];

const start = async (): Promise<Replica> => {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      SLIPWAY_PUBLIC_URL: 'http://localhost:4000',
      SLIPWAY_INGRESS_PORT: String(ingressPort),
      SLIPWAY_DATA: dataDir,
      SLIPWAY_DEMO: 'off',
      SLIPWAY_ADMIN_TOKEN: token,
      DATABASE_URL: database.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((ready, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('is ready')) ready();
      });
    }
    child.once('exit', (code) => failed(new Error(`A replica ended with ${code}: ${output}`)));
  });
  return { port, child };
};

const kill = async ({ child }: Replica): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await ended;
};

const call = async (
  replica: Replica,
  route: RouteShape,
  options: { params?: Record<string, string>; body?: unknown } = {},
): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${replica.port}${pathOf(route, options.params)}`, {
    method: route.method,
    headers: { authorization: `Bearer ${token}`, ...(options.body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  if (!answer.ok) throw new Error(`${route.id} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
};

const ended = async (replica: Replica, pipelineId: string): Promise<PipelineRun> => {
  for (;;) {
    const run = (await call(replica, pipelineView, { params: { pipelineId } })) as PipelineRun;
    if (!isActive(run.status.state)) return run;
    await delay(50);
  }
};

const quickstart = async (replica: Replica, id: string): Promise<string> =>
  ((await call(replica, quickstartApplicationCreate, { body: { id, teamId: 'cranes', template: 'node-http-api' } })) as PipelineRun)
    .pipelineId;

/** The service's answer through the edge; 0 while nobody listens. */
const edge = (app: string): Promise<number> =>
  new Promise((answered) => {
    const headers = { host: `${app}.${app}.development.localhost:${ingressPort}`, connection: 'close' };
    http
      .get({ host: '127.0.0.1', port: ingressPort, path: '/healthz', headers }, (answer) => {
        answer.resume();
        answered(answer.statusCode ?? 0);
      })
      .on('error', () => answered(0));
  });

const holder = async (): Promise<Replica> => {
  const row = await database.db.selectFrom('runtime_holder').select('replica').executeTakeFirstOrThrow();
  const found = replicas.find(({ port }) => row.replica.endsWith(`:${port}`));
  if (!found) throw new Error(`Nobody is ${row.replica}`);
  return found;
};

beforeAll(async () => {
  database = await testDatabase({ isEmpty: true });
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-replicas-'));
  ingressPort = await freePort();
  replicas = await Promise.all([start(), start(), start()]);
}, 120_000);

afterAll(async () => {
  await Promise.all(replicas.map(kill));
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

test('a pipeline goes on when its replica is killed, and services come back when their holder is', { timeout: 180_000 }, async () => {
  const [first] = replicas as [Replica];
  const body = { id: 'cranes', displayName: 'Cranes', ownerIds: ['platform-automation'] };
  await ended(first, ((await call(first, teamCreate, { body })) as PipelineRun).pipelineId);

  // The replica at work is not known from outside: whoever it is, one of the two that are killed in turn.
  const pipelineId = await quickstart(first, 'berth-one');
  const victim = (await holder()) === first ? (replicas[1] as Replica) : first;
  await kill(victim);
  replicas = replicas.filter((replica) => replica !== victim);
  const run = await ended(replicas[0] as Replica, pipelineId);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  expect(await edge('berth-one')).toBe(200);

  const driving = await holder();
  await kill(driving);
  replicas = replicas.filter((replica) => replica !== driving);
  const died = Date.now();
  while ((await edge('berth-one')) !== 200) {
    if (Date.now() - died > 60_000) throw new Error('The service did not come back');
    await delay(50);
  }
  process.stdout.write(`services back ${Date.now() - died} ms after the holder was killed\n`);
  const again = await ended(replicas[0] as Replica, await quickstart(replicas[0] as Replica, 'berth-two'));
  expect(again.status.state).toBe('COMPLETED');
});
