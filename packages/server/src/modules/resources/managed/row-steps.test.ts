/** Steps of an entity's pipelines get the row with one query, act only on the row of their own run, and undo only under their claim. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { databaseResource } from '@slipway/contract/database/database.ts';
import type { StepContext, StepDefinition } from '#modules/pipelines/index.ts';
import { seedApp } from '#testing/fixtures.ts';
import { seedPeople } from '#testing/actors.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import type { AnyEntity } from '../entity.ts';
import { entityPipelines } from '../entity-pipelines.ts';
import { rowIn } from '../place.ts';
import { claimStep } from './claim-step.ts';
import { actionPipeline } from './current-run.ts';
import type { RowStep } from './row-step.ts';
import { changeRule, draftOf, isBusy } from './run-state.ts';

interface Row {
  readonly id: string;
  readonly claim: string | null;
  readonly name: string;
}
interface Input {
  readonly app: string;
  readonly env: string;
  readonly schema: string;
  readonly other: number;
}
let database: TestDatabase;
const entity = {
  resource: databaseResource,
  table: 'event_schema',
  key: { app: 'app_id', env: 'environment', schema: 'name' },
} as never as AnyEntity;
const input: Input = { app: 'berth', env: 'development', schema: 'orders', other: 7 };
const contextOf = <I>(of: I, pipelineId = 'mine') => ({ input: of, pipelineId, log: () => {} }) as never as StepContext<I, object>;

beforeAll(async () => {
  database = await testDatabase();
  await seedPeople(database.db);
  await seedApp(database.db, { id: 'berth' });
});
beforeEach(async () => {
  await sql`delete from event_schema`.execute(database.db);
  for (const environment of ['development', 'production'])
    await sql`insert into event_schema (id, app_id, environment, name, type, compatibility, subject, content, state, pipeline_id, created_by, created_by_name, updated_by, updated_by_name)
      values (${`sch_${environment}`}, 'berth', ${environment}, 'orders', 'JSON', 'BACKWARD', 'berth.orders', '{}', 'CREATING', 'mine', 'olga', 'Olga', 'olga', 'Olga')`.execute(
      database.db,
    );
});
afterAll(() => database.drop());

const queriesOf = async (work: () => Promise<unknown>): Promise<number> => {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
};
const guarded = (step: RowStep<Row, Input>): StepDefinition<Input, object> =>
  actionPipeline(database.db, entity, 'RotateDatabasePassword', [step]).steps[0]!;
const read = async () => (await rowIn(database.db, 'event_schema', { app: 'berth', env: 'development' }, 'orders'))!;

test('a step gets its row, and the guard and the read are one query', async () => {
  const seen: string[] = [];
  const note = async ({ row }: { readonly row: Row }): Promise<void> => void seen.push(row.id);
  const step = guarded({ code: 'MakeDatabasePassword', run: note, undo: note });
  expect(await queriesOf(() => step.run(contextOf(input)))).toBe(1);
  expect(await queriesOf(async () => step.undo?.(contextOf(input)))).toBe(1);
  expect(seen).toEqual(['sch_development', 'sch_development']);
});

test('a run of another pipeline is discarded, and its undo does nothing', async () => {
  const run = vi.fn<() => Promise<void>>();
  const undo = vi.fn<() => Promise<void>>();
  const step = guarded({ code: 'MakeDatabasePassword', run, undo });
  await expect(step.run(contextOf(input, 'other'))).rejects.toMatchObject({ code: 'Discarded' });
  await step.undo?.(contextOf(input, 'other'));
  await expect(step.run(contextOf({ ...input, schema: 'gone' }))).rejects.toMatchObject({ code: 'Discarded' });
  await step.undo?.(contextOf({ ...input, schema: 'gone' }));
  expect([run.mock.calls, undo.mock.calls]).toEqual([[], []]);
});

test('a claim is taken once, only if the name is free, and ends with the undo unless something is left', async () => {
  let isFree = false;
  let isLeft = true;
  const requireFree = vi.fn<() => Promise<void>>(async () => {
    if (!isFree) throw new Error('Taken');
  });
  const create = claimStep<Row>(database.db, { code: 'ValidateSchema', table: 'event_schema', requireFree, isLeft: () => isLeft });
  const steps = entityPipelines(database.db, { ...entity, steps: { create: [create] } } as AnyEntity).create?.steps;
  const step = steps![0]!;
  const names = { app: 'berth', env: 'development', schema: 'orders', stateBefore: 'NOT_CREATED' };
  const undone = vi.fn<() => Promise<void>>();
  const register = guarded({ code: 'RegisterSchema', isUnderClaim: true, run: async () => {}, undo: undone });

  await expect(step.run(contextOf(names))).rejects.toThrow('Taken');
  await register.undo?.(contextOf(input));
  expect([(await read()).claim, undone.mock.calls.length]).toEqual([null, 0]);
  isFree = true;
  await step.run(contextOf(names));
  await step.run(contextOf(names));
  expect([(await read()).claim, requireFree.mock.calls.length]).toEqual(['mine', 2]);
  await register.undo?.(contextOf(input));
  expect(undone).toHaveBeenCalledOnce();
  await step.undo?.(contextOf(names));
  expect((await read()).claim).toBe('mine');
  isLeft = false;
  await step.undo?.(contextOf(names));
  expect((await read()).claim).toBeNull();
  expect(await rowIn(database.db, 'event_schema', { app: 'berth', env: 'production' }, 'orders')).toMatchObject({ claim: null });
});

test('a row is busy while a pipeline works on it, also under the lock of another row', () => {
  const codes = { busy: 'Busy', missing: 'NotCreated' } as const;
  const idle = { busy: null, last: 'COMPLETED', state: 'ACTIVE' } as const;
  expect(changeRule(idle, codes)).toBe(true);
  expect(changeRule({ ...idle, busy: 'QUEUED' }, codes)).toBe('Busy');
  expect(changeRule({ ...idle, last: 'RUNNING' }, codes)).toBe('Busy');
  expect(changeRule({ ...idle, last: 'FAILED', state: 'NOT_CREATED' }, codes)).toBe('NotCreated');
  expect(isBusy({ busy: null, last: null })).toBe(false);
});

test('a change is a draft while it runs and after it failed, not once it is applied', () => {
  const change = { after: { size: 2 } };
  const draft = (busy: 'RUNNING' | null, last: 'COMPLETED' | 'FAILED', now: number) =>
    draftOf({ change, busy, last }, ({ size }) => size === now);
  expect(draft('RUNNING', 'COMPLETED', 1)).toEqual({ size: 2 });
  expect(draft(null, 'FAILED', 1)).toEqual({ size: 2 });
  expect(draft(null, 'COMPLETED', 1)).toBeNull();
  expect(draft(null, 'FAILED', 2)).toBeNull();
  expect(draftOf({ change: null, busy: null, last: 'FAILED' }, () => false)).toBeNull();
});
