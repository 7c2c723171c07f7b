/** Three replicas of the real program on one database and one data directory: they start at once, and outlive each other's kill -9. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './app.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { Program, askEdge, untilServed } from './program.ts';

let database: TestDatabase;
let dataDir: string;
let ingressPort: number;
let replicas: Program[] = [];

const start = async (): Promise<Program> =>
  Program.start(await freePort(), {
    SLIPWAY_PUBLIC_URL: 'http://localhost:4000',
    SLIPWAY_INGRESS_PORT: String(ingressPort),
    SLIPWAY_DATA: dataDir,
    DATABASE_URL: database.url,
  });

const kill = async (victim: Program): Promise<void> => {
  await victim.end('SIGKILL');
  replicas = replicas.filter((replica) => replica !== victim);
};

const holder = async (): Promise<Program> => {
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
  await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

test('a pipeline goes on when its replica is killed, and services come back when their holder is', { timeout: 180_000 }, async () => {
  const [first, second] = replicas as [Program, Program];
  await first.makeTeam();
  // The replica at work is not known from outside: whoever it is, one of the two that are killed in turn.
  const pipelineId = await first.quickstart('berth-one');
  await kill((await holder()) === first ? second : first);
  const run = await (replicas[0] as Program).ended(pipelineId);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  expect(await askEdge(ingressPort, 'berth-one')).toBe(200);

  await kill(await holder());
  const survivor = replicas[0] as Program;
  await untilServed(ingressPort, 'berth-one');
  expect((await survivor.ended(await survivor.quickstart('berth-two'))).status.state).toBe('COMPLETED');
});
