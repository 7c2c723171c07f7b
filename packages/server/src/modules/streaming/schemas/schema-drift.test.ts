/** Drift of subjects that schemas own, without topics: detected when someone views the schema, listed, and repaired. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { schemaDriftView, schemaReconcile, type SchemaDrift } from '@slipway/contract/streaming/schema-drift.ts';
import { schemaCreate, schemaList, schemaUpdate, schemaVersionList, schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { PortFailure } from '#ports/failure.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';

let app: TestApp;
const registry = new MemoryRegistry();
const headsOf = registry.port.heads;
const heads = vi.spyOn(registry.port, 'heads');
beforeAll(async () => {
  app = await testApp({
    schemaTimings: { tickMs: 50, everyMs: 100 },
    adapt: (adapters) => ({ ...adapters, streaming: new MemoryStreaming().port, schemaRegistry: registry.port }),
  });
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());
beforeEach(() => {
  registry.isAway = false;
});

const place = { app: 'berth', env: 'development' };
const content = (...fields: object[]) => JSON.stringify({ fields });
const first = content({ name: 'berth' });
const at = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const call = (route: RouteShape, request: Request = {}, actor: 'member' | 'stranger' = 'member') => app.call(actor, route, at(request));
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, at(request));
const named = (schema: string): Request => ({ params: { schema } });
const made = async (name: string): Promise<string> => {
  expect(await run(schemaCreate, { body: { name, content: first } })).toMatchObject({ status: { state: 'COMPLETED' } });
  return `berth.${name}`;
};
/** Forces a new comparison. */
const drift = async (name: string): Promise<SchemaDrift> => {
  await app.database.db.updateTable('schema_watch').set({ compared_at: null }).execute();
  return (await call(schemaDriftView, named(name))).body as SchemaDrift;
};
const differences = async (name: string) =>
  (await drift(name)).differences.map(({ kind, ours, theirs, canRepair }) => ({ kind, ours, theirs, canRepair }));
const stepsOf = ({ status }: PipelineRun) =>
  status.steps.map(({ code, state, message }) => `${code} ${state}${message ? `: ${stepMessageOf(code, message)}` : ''}`);

test('a subject as it should be has no drift, and nothing to put back', async () => {
  const subject = await made('same');
  expect(await drift('same')).toMatchObject({
    isStale: false,
    differences: [],
    same: [
      { name: subject, value: '1' },
      { name: `${subject} compatibility`, value: 'BACKWARD' },
    ],
  });
  expect(errorsOf(await call(schemaReconcile, named('same')))).toEqual([409, 'undefined: NothingToReconcile']);
  expect((await call(schemaView, named('same'))).body).toMatchObject({ drift: { count: 0 }, can: { reconcile: true } });
});

test('a level that somebody changed is put back', async () => {
  const subject = await made('levels');
  await registry.port.setLevel('development', subject, 'NONE');
  expect(await differences('levels')).toEqual([{ kind: 'LEVEL', ours: 'BACKWARD', theirs: 'NONE', canRepair: true }]);
  const plan = (await call(schemaReconcile, { ...named('levels'), query: { dryRun: true } })).body as Plan;
  expect(plan.consequences.map(planTextOf).join()).toContain('berth.levels compatibility');
  expect(errorsOf(await call(schemaReconcile, named('levels'), 'stranger'))).toEqual([403, 'undefined: NotAMember']);
  const subjectKey = 'schema:berth/development/levels';
  // A type that no worker runs.
  await seedPipeline(app.database.db, { id: 'pl-busy', type: 'UpdateSchema', subject: subjectKey, state: 'RUNNING', runType: 'Other' });
  for (const query of [{}, { dryRun: true }])
    expect(errorsOf(await call(schemaReconcile, { ...named('levels'), query }))).toEqual([409, 'undefined: StreamingPipelineRunning']);
  await app.database.pool.query(`update pipeline_run set state = 'COMPLETED', ended_at = now() where pipeline_id = 'pl-busy'`);
  expect(stepsOf(await run(schemaReconcile, named('levels')))).toEqual([
    'PutBackSubject COMPLETED: berth.levels compatibility is as it should be.',
    'ReconcileSchema COMPLETED',
  ]);
  expect((await call(schemaView, named('levels'))).body).toMatchObject({ drift: { count: 0 }, revisionId: 1 });
  expect(registry.levels.get(`development/${subject}`)).toBe('BACKWARD');
});

test.each([
  // A registry continues its version numbers after a soft deletion and restarts them after a permanent one.
  ['softly', false, 3, [3, 2, 1]],
  ['for good', true, 1, [1]],
])('a subject that somebody deleted %s is registered again, and the row follows', async (_, isPermanent, version, versions) => {
  const name = isPermanent ? 'erased' : 'deleted';
  const subject = await made(name);
  const second = content({ name: 'berth' }, { name: 'tugs', default: 0 });
  await run(schemaUpdate, { ...named(name), body: { content: second, revisionId: 1 } });
  await registry.port.remove('development', subject, { isPermanent });
  expect(await differences(name)).toEqual([{ kind: 'SUBJECT', ours: 'newest', theirs: null, canRepair: true }]);
  expect(await run(schemaReconcile, named(name))).toMatchObject({ status: { state: 'COMPLETED' } });
  expect(registry.live('development', subject)).toMatchObject([{ version, content: second }]);
  expect((await call(schemaView, named(name))).body).toMatchObject({ revisionId: version, content: second, drift: { count: 0 } });
  const kept = (await call(schemaVersionList, named(name))).body as Page<{ revisionId: number }>;
  expect(kept.content.map(({ revisionId }) => revisionId)).toEqual(versions);
  // The next version is numbered after it.
  const third = content({ name: 'berth' }, { name: 'tugs', default: 0 }, { name: 'crew', default: 0 });
  const next = { content: third, revisionId: version };
  expect(await run(schemaUpdate, { ...named(name), body: next })).toMatchObject({ status: { state: 'COMPLETED' } });
});

test('a version that somebody registered above ours stays', async () => {
  const subject = await made('above');
  await registry.port.register('development', subject, { type: 'AVRO', content: content({ name: 'berth' }, { name: 'x', default: 0 }) });
  expect(await differences('above')).toEqual([{ kind: 'SUBJECT', ours: 'newest', theirs: '2', canRepair: false }]);
  expect(errorsOf(await call(schemaReconcile, named('above')))).toEqual([409, 'undefined: NothingToReconcile']);
});

test('whoever looks at the list learns of drift, with one question for all of them', { timeout: PATIENCE_MS }, async () => {
  const subject = await made('listed');
  await registry.port.setLevel('development', subject, 'FULL');
  await app.database.db
    .updateTable('schema_watch')
    .set({ viewed_at: new Date(0) })
    .execute();
  const rounds = () => new Promise((resolve) => setTimeout(resolve, 300));
  // Lets the current round end.
  await rounds();
  heads.mockClear();
  // Without viewers there are no requests.
  await rounds();
  expect(heads).not.toHaveBeenCalled();
  await vi.waitFor(
    async () => {
      const { content: found } = (await call(schemaList)).body as Page<Schema>;
      expect(found.find(({ name }) => name === 'listed')).toMatchObject({ drift: { count: 1 } });
      expect(found.every((one) => one.drift !== null)).toBe(true);
    },
    { timeout: PATIENCE_MS / 2 },
  );
  expect(heads.mock.calls[0]?.[1].length).toBeGreaterThan(3);
});

test('while the registry is away the last comparison is shown as old', async () => {
  await made('away');
  expect(await drift('away')).toMatchObject({ isStale: false });
  const { db } = app.database;
  await db
    .updateTable('schema_watch')
    .set({ compared_at: new Date(Date.now() - 120_000), viewed_at: new Date(0) })
    .execute();
  registry.isAway = true;
  expect((await call(schemaDriftView, named('away'))).body).toMatchObject({
    isStale: true,
    differences: [],
    comparedAt: expect.any(String),
  });
});

test('while the registry of development is away, that of production is compared all the same', { timeout: PATIENCE_MS }, async () => {
  await made('both');
  const params = { env: 'production' };
  await app.run('member', schemaCreate, at({ params, body: { name: 'both', content: first } }));
  for (const env of ['development', 'production']) await call(schemaDriftView, { params: { env, schema: 'both' } });
  heads.mockImplementation(async (environment, subjects) => {
    if (environment === 'development') throw new PortFailure('unavailable', 'It is away');
    return headsOf(environment, subjects);
  });
  try {
    // From now on both are due in the same round.
    await app.database.db
      .updateTable('schema_watch')
      .set({ watched_at: new Date(0) })
      .execute();
    await registry.port.setLevel('production', 'berth.both', 'FULL');
    const shown = async () => (await call(schemaView, { params: { ...params, schema: 'both' } })).body;
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ drift: { count: 1 } }), { timeout: PATIENCE_MS / 2 });
  } finally {
    heads.mockImplementation(headsOf);
  }
});

test('a schema that is not there, or was not created', async () => {
  expect(errorsOf(await call(schemaDriftView, named('nothing')))).toEqual([404, 'undefined: SchemaDoesNotExist']);
  expect(errorsOf(await call(schemaReconcile, named('nothing')))).toEqual([404, 'undefined: SchemaDoesNotExist']);
  await registry.port.register('development', 'berth.foreign', { type: 'AVRO', content: first });
  vi.spyOn(registry.port, 'versions').mockRejectedValueOnce(new PortFailure('unavailable', 'away'));
  await run(schemaCreate, { body: { name: 'foreign', content: first } });
  expect(errorsOf(await call(schemaReconcile, named('foreign')))).toEqual([409, 'undefined: SchemaNotCreated']);
});
