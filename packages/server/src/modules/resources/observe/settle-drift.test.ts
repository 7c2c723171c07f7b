/** Settling drift of a made-up entity with real pipelines: planned, carried out, recorded, and compared again. */
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { registerKind } from '@slipway/contract/kinds.ts';
import { declareKind } from '@slipway/contract/kernel/subject.ts';
import { isPlan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { topicReconcile } from '@slipway/contract/streaming/topic-status.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { people } from '#testing/actors.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { MemoryManaged } from '#ports/managed.fixture.ts';
import type { EntityView, Names } from '../entity.ts';
import { compareEach, type ComparedRow, type Observe } from './drift.ts';
import { settleDrift, settlePipeline, type SettleInput, type SettlePipeline, type Settling } from './settle-drift.ts';

interface Float extends ComparedRow {
  readonly size: number;
  readonly can: string;
}
interface FloatView extends EntityView {
  readonly name: string;
}
const kind = declareKind({
  kind: 'float',
  label: 'Float',
  plural: 'Floats',
  under: appKind,
  names: ['env', 'float'],
  access: 'appMemberHidden',
  shownBy: ['float'],
  pipelines: { ReconcileFloat: 'Make float and engine match' },
});
registerKind(kind);

let app: TestApp;
let engine: MemoryManaged;
let settling: Settling<FloatView, Float>;
let pipeline: SettlePipeline;
const names = { app: 'berth', env: 'development', float: 'one' };

const read = async (db: Db, { float }: Names): Promise<Float | undefined> => {
  void db;
  const { rows } = await app.database.pool.query<Float>(
    'select float.*, compared_at, drift from float left join float_watch on float_id = id where name = $1',
    [float],
  );
  return rows[0];
};
const observe: Observe<Float> = (rows) =>
  compareEach(
    app.database.db,
    { kind, table: 'float', beside: { table: 'float_watch', key: 'float_id' }, resultsIn: 'beside', wanted: ['size'], results: ['drift'] },
    rows,
    async ({ name, size }) => {
      const seen = await engine.observe(name);
      if (seen === size) return { drift: { differences: [], same: [{ name: 'size', value: String(size) }] } };
      const theirs = seen === undefined ? null : String(seen);
      const difference = { name: 'size', ours: String(size), theirs, canRepair: true, canAdopt: seen !== undefined };
      return { drift: { differences: [difference], same: [] } };
    },
  );
const row = async (): Promise<Float> => (await read(app.database.db, names))!;

beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
  await app.database.pool.query(`
    create table float (id text primary key, app_id text, environment text, name text, state text, size integer, can text, pipeline_id text);
    create table float_watch (float_id text primary key, watched_at timestamptz, compared_at timestamptz, drift jsonb)`);
  const entity = {
    resource: { shape: { kind, name: 'float', codes: { missing: 'TopicDoesNotExist' } } },
    table: 'float',
    key: { app: 'app_id', env: 'environment', float: 'name' },
    title: ({ name }: FloatView) => name,
    toView: ({ name, can }: Float): FloatView => ({ name, can: can === 'yes' ? {} : { reconcile: can } }),
  };
  settling = {
    entity: entity as unknown as Settling<FloatView, Float>['entity'],
    route: topicReconcile,
    type: 'ReconcileFloat',
    steps: [
      {
        code: 'PutBackSettings',
        isPointOfNoReturn: true,
        run: async ({ input }) => {
          const { name, size } = await row();
          if (input.keep === 'ours') await engine.create(name, size);
          return { skipped: input.keep !== 'ours' };
        },
      },
      {
        code: 'TakeOverSettings',
        run: async ({ input }) => {
          const { id, name } = await row();
          if (input.keep === 'theirs')
            await app.database.pool.query('update float set size = $2 where id = $1', [id, await engine.observe(name)]);
          return { skipped: input.keep !== 'theirs' };
        },
      },
    ],
    skips: { ours: ['TakeOverSettings'], theirs: ['PutBackSettings'] },
    read,
    observe,
    message: ({ name }, keep, count) => `settled ${count} of ${name} (${keep})`,
  };
  pipeline = settlePipeline(app.database.db, settling);
  app.app.engine.register(pipeline);
});
afterAll(() => app?.close());
beforeEach(async () => {
  engine = new MemoryManaged();
  await app.database.pool.query(`truncate float, float_watch;
    insert into float values ('f1', 'berth', 'development', 'one', 'ACTIVE', 1, 'yes')`);
});

const caller = {
  id: people.member.id,
  displayName: people.member.name,
  origin: 'console',
  isAdministrator: false,
  memberOf: new Set(['cranes']),
  ownerOf: new Set(),
} as unknown as Caller;
const settle = (keep: SettleInput['keep'], dryRun = false): Promise<PlanOrRun> =>
  settleDrift(
    { db: app.database.db, engine: app.app.engine },
    settling,
    pipeline,
    { caller, owner: { teamId: 'cranes' }, params: names, query: { dryRun } },
    keep,
  );
const settled = async (keep: SettleInput['keep']): Promise<void> => {
  const answer = await settle(keep);
  if (isPlan(answer)) throw new Error('No pipeline was started');
  await app.ended(answer.pipelineId);
};
const found = async (theirs?: number): Promise<void> => {
  if (theirs !== undefined) engine.sizes.set('one', theirs);
  expect(await observe([await row()], 'development')).toBe(true);
};

test('a dry run names the differences and the steps, and starts nothing', async () => {
  await found(9);
  expect(await settle('ours', true)).toMatchObject({
    consequences: [{ code: 'PutsBack', context: { name: 'size', ours: '1', theirs: '9' } }],
    steps: [{ code: 'PutBackSettings' }, { code: 'ReconcileFloat' }],
  });
  expect(await settle('theirs', true)).toMatchObject({
    consequences: [{ code: 'TakesOver', context: { name: 'size', ours: '1', theirs: '9' } }],
    steps: [{ code: 'TakeOverSettings' }, { code: 'ReconcileFloat' }],
  });
  expect([engine.sizes.get('one'), (await row()).size]).toEqual([9, 1]);
  expect((await app.database.pool.query(`select from pipeline_run where subject like 'float:%'`)).rowCount).toBe(0);
});

test('puts the wanted state back, compares again, and is recorded', async () => {
  await found();
  expect(await settle('ours', true)).toMatchObject({ consequences: [{ code: 'PutsBack', context: { theirs: 'nothing' } }] });
  await settled('ours');
  expect(engine.sizes.get('one')).toBe(1);
  expect((await row()).drift?.differences).toEqual([]);
  const { rows } = await app.database.pool.query(
    `select reason, message, after, outcome from activity where type = 'topicReconcile' and outcome = 'STARTED'`,
  );
  expect(rows).toEqual([
    {
      reason: 'PutBack',
      message: `${people.member.name} settled 1 of one (ours)`,
      after: { differences: ['size'] },
      outcome: 'STARTED',
    },
  ]);
});

test('adopts the state of the engine', async () => {
  await found(9);
  await settled('theirs');
  expect([engine.sizes.get('one'), (await row()).size, (await row()).drift?.differences]).toEqual([9, 9, []]);
});

test('is rejected without a difference that can be settled, and by the rules of the entity, with or without a dry run', async () => {
  await found();
  for (const dryRun of [true, false]) await expect(settle('theirs', dryRun)).rejects.toMatchObject({ code: 'NothingToReconcile' });
  await app.database.pool.query(`update float set can = 'TopicNotCreated'`);
  for (const dryRun of [true, false]) await expect(settle('ours', dryRun)).rejects.toMatchObject({ code: 'TopicNotCreated' });
});

test('a pipeline of a row that was discarded meanwhile touches nothing', async () => {
  await found(9);
  const context = { input: { ...names, keep: 'ours' }, pipelineId: 'of-a-former-row' };
  for (const { run } of pipeline.steps)
    await expect(run(context as unknown as Parameters<typeof run>[0])).rejects.toMatchObject({ code: 'Discarded' });
  expect([engine.sizes.get('one'), engine.observed]).toEqual([9, ['one']]);
});
