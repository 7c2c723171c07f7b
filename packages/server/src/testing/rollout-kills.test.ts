// @long: starts, ends and kills programs
/**
 * kill -9 of the server in the middle of rollouts. Three services, one for each strategy, are deployed at once, the server dies while
 * each stands at the same point, and starts again: each rollout goes on or is undone, one revision serves, and no instance is left over.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { rolloutStrategies, type RolloutStrategy } from '@slipway/contract/service/service-spec.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { seedPeople } from './actors.ts';
import { freePort } from '#testing/free-port.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { openEngines } from './engines.ts';
import { shareOf } from '#testing/faults/fault-share.ts';
import { seedApp, seedService } from './fixtures.ts';
import { Program } from './program.ts';
import { crashing, good } from './programs.ts';
import { RunHolds, type HoldPoint } from './faults/run-holds.ts';
import { revisionRows, servesAlone, serviceState } from './service-state.ts';

interface KillPoint extends HoldPoint {
  readonly name: string;
  /** `crash`: it never gets healthy. */
  readonly image?: 'crash';
  /** Goes on from the hold, and dies as soon as the next step has begun. */
  readonly isNextBegun?: boolean;
}
const after = (code: string): KillPoint => ({ name: `after ${code}, before it is recorded`, code, at: 'end' });
const behind = (code: string): KillPoint => ({ name: `in the step behind ${code}`, code, at: 'end', isNextBegun: true });
const inUndoOf = (code: string): KillPoint => ({
  name: `after the undo of ${code}, before it is recorded`,
  code,
  at: 'undo',
  image: 'crash',
});

/** Ten in the way of a rollout that works, two in the way back of one that does not. */
const killPoints: readonly KillPoint[] = shareOf(
  [
    after('ValidateService'),
    after('ValidateContainerImage'),
    after('CreateRevision'),
    behind('CreateRevision'),
    after('StopOldRevisions'),
    behind('StopOldRevisions'),
    after('StartInstances'),
    after('ShiftTraffic'),
    behind('ShiftTraffic'),
    after('RetireOldRevisions'),
    inUndoOf('StartInstances'),
    inUndoOf('CreateRevision'),
  ],
  2,
  -1,
);

const replicas = 2;
const appOf = (strategy: RolloutStrategy): string => strategy.toLowerCase().replace('_', '-');
const apps = rolloutStrategies.map(appOf);
const hasProcessTable = process.platform === 'linux';
const row = (strategy: RolloutStrategy, killed: string, outcome: PipelineRun, seconds: number) => ({
  strategy,
  killed,
  outcome: outcome.status.state,
  revision: outcome.facts['revision'] ?? '',
  'seconds until it served again': Number(seconds.toFixed(1)),
});
const table: ReturnType<typeof row>[] = [];

let database: TestDatabase;
let dataDir: string;
let holds: RunHolds;
let server: Program;
let environment: Record<string, string>;
/** Image tag that each app serves, by app. */
const served = new Map<string, string>();
let count = 0;

const start = async (): Promise<Program> => Program.start(Number(environment['PORT']), environment);
const deploy = async (app: string, imageTag: string): Promise<string> => {
  const params = { app, env: 'development', service: app };
  return ((await server.call(serviceDeploy, { params, body: { imageTag } })) as PipelineRun).pipelineId;
};

beforeAll(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-kills-'));
  environment = {
    PORT: String(await freePort()),
    SLIPWAY_INGRESS_PORT: String(await freePort()),
    SLIPWAY_DATA: dataDir,
    DATABASE_URL: database.url,
  };
  await seedPeople(database.db);
  const engines = await openEngines(database, { dataDir });
  for (const strategy of rolloutStrategies) {
    const app = appOf(strategy);
    await seedApp(database.db, { id: app });
    await seedService(database.db, {
      app,
      change: (spec) => ({
        ...spec,
        containerImageName: 'localhost/images/images',
        rollout: { strategy },
        template: {
          ...spec.template,
          replicaScaling: { ...spec.template.replicaScaling, count: replicas },
          envVars: [{ name: 'KILLED_APP', source: 'STATIC', value: `${database.config.database}/${app}` }],
        },
      }),
    });
  }
  for (const [tag, files] of [
    ['one', good('one')],
    ['two', good('two')],
    ['crash', crashing()],
  ] as const) {
    await engines.push('images', tag, files);
  }
  await engines.close();
  holds = await RunHolds.install(database.config);
  server = await start();
  for (const pipelineId of await Promise.all(apps.map((app) => deploy(app, 'one')))) {
    const run = await server.ended(pipelineId);
    expect(run.status.state, run.statusMessage ?? '').toBe('COMPLETED');
  }
  for (const app of apps) served.set(app, 'one');
});

afterAll(async () => {
  if (table.length > 0) console.table(table.toSorted((left, right) => left.strategy.localeCompare(right.strategy)));
  await server?.end('SIGTERM');
  await holds?.close();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const stepsBegun = async (pipelineIds: readonly string[]): Promise<Map<string, string>> => {
  const rows = await database.db
    .selectFrom('pipeline_step')
    .innerJoin('pipeline_run', 'pipeline_run.run_id', 'pipeline_step.run_id')
    .select(['pipeline_run.pipeline_id', 'pipeline_step.code'])
    .where('pipeline_run.pipeline_id', 'in', [...pipelineIds])
    .where('pipeline_step.state', 'in', ['RUNNING', 'FAILED'])
    .execute();
  return new Map(rows.map(({ pipeline_id, code }) => [pipeline_id, code]));
};

/** Brings every run to the point, and kills the server there. Answers in which step each of them died. */
const killAt = async (point: KillPoint, pipelineIds: readonly string[]): Promise<Map<string, string>> => {
  await holds.untilHeld(pipelineIds.length);
  if (point.isNextBegun) {
    await holds.release();
    const isLeft = async () => [...(await stepsBegun(pipelineIds)).values()].every((code) => code !== point.code);
    await expect.poll(isLeft, { interval: 1 }).toBe(true);
  }
  await server.end('SIGKILL');
  await holds.forget();
  return stepsBegun(pipelineIds);
};

/** Processes of the app's instances on this machine, found by their environment: no row of the platform is asked. */
const processesOf = async (app: string): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const environments = await Promise.all(pids.map(async (pid) => (await read(pid, 'environ')).split('\0')));
  return environments.filter((variables) => variables.includes(`KILLED_APP=${database.config.database}/${app}`)).length;
};

const seen = async (app: string) => ({
  ...(await serviceState(database.db, Number(environment['SLIPWAY_INGRESS_PORT']), app)),
  ...(hasProcessTable ? { processes: await processesOf(app) } : {}),
});
const serves = (tag: string): Awaited<ReturnType<typeof seen>> => ({
  ...servesAlone(tag, replicas),
  ...(hasProcessTable ? { processes: replicas } : {}),
});

test.each(killPoints)('killed $name', async (point) => {
  count += 1;
  const tag = point.image ?? (served.get(apps[0] ?? '') === 'one' ? 'two' : 'one');
  await holds.hold(point);
  const pipelineIds = await Promise.all(apps.map((app) => deploy(app, tag)));
  const died = await killAt(point, pipelineIds);
  // They die with their server, before it is there again.
  if (hasProcessTable) for (const app of apps) await expect.poll(() => processesOf(app)).toBe(0);
  if (!point.isNextBegun && !point.image) expect(new Set(died.values())).toEqual(new Set([point.code]));
  server = await start();
  const startedAt = performance.now();
  for (const [index, strategy] of rolloutStrategies.entries()) {
    const [app, pipelineId] = [appOf(strategy), pipelineIds[index] ?? ''];
    const run = await server.ended(pipelineId);
    expect(run.status.state, run.statusMessage ?? '').toBe(point.image ? 'FAILED' : 'COMPLETED');
    if (!point.image) served.set(app, tag);
    await expect.poll(() => seen(app)).toEqual(serves(served.get(app) ?? ''));
    const where = point.isNextBegun ? `in ${died.get(pipelineId) ?? 'no step'}` : point.name;
    table.push(row(strategy, where, run, (performance.now() - startedAt) / 1000));
  }
});

test('what was replaced is kept or deleted as the strategy says', async () => {
  for (const strategy of rolloutStrategies) {
    const revisions = await revisionRows(database.db, appOf(strategy));
    const replaced = revisions.filter(({ name, serving, failed_at }) => !serving.includes(name) && !failed_at);
    // Each rollout that worked made one revision, however often its steps were repeated.
    expect(replaced).toHaveLength(killPoints.filter(({ image }) => !image).length);
    expect(new Set(replaced.map(({ status }) => status))).toEqual(new Set([strategy === 'RED_BLACK' ? 'NO_INSTANCES' : 'DELETED']));
    expect(revisions.filter(({ failed_at }) => failed_at)).toHaveLength(count - replaced.length);
  }
});
