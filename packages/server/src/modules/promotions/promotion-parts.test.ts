/** Promotions without a worker: what the plan and the last promotion say, and how a step treats a part that an earlier run began. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pipelineRerun } from '@slipway/contract/pipeline/pipeline.ts';
import { appPromotionView, type AppPromotion } from '@slipway/contract/promotion.ts';
import type { CallInside } from '#kernel/http/inside.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedService } from '#testing/fixtures.ts';
import { insertParts, partsOf } from './parts.sql.ts';
import { promotionPipeline } from './promotion.pipeline.ts';

let app: TestApp;
const params = { app: 'berth' };
const comparison = async () => (await app.call('member', appPromotionView, { params })).body as AppPromotion;

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  await seedApp(db, { id: 'berth', createdAt: new Date('2026-01-02') });
  const containerImageName = `${app.adapters.registry.host}/berth/berth`;
  await seedService(db, { app: 'berth', change: (spec) => ({ ...spec, containerImageName }) });
});
afterAll(() => app?.close());

/** A promotion of the app whose only part has a failed pipeline. */
const seedPromotion = async (id: string) => {
  const { db } = app.database;
  await seedPipeline(db, { id, type: 'PromoteApplication', subject: `app:${id}`, state: 'CANCELED', app: 'berth' });
  await seedPipeline(db, { id: `${id}-part`, type: 'CopyService', subject: `service:berth/production/${id}`, state: 'FAILED' });
  await insertParts(db, id, [{ kind: 'service', name: 'berth', mark: 'seen', state: 'RUNNING' }]);
  await db
    .updateTable('promotion_part')
    .set({ part_pipeline_id: `${id}-part` })
    .where('pipeline_id', '=', id)
    .execute();
};
/** Runs the step of services. Returns the routes that it called. */
const runStep = async (pipelineId: string, more: { readonly attempt: number; readonly by?: string }) => {
  const { db, pool } = app.database;
  const called: string[] = [];
  const callInside = Object.assign(() => Promise.reject(new Error('not expected')), {
    started: async () => undefined,
    once: async ({ id }: { id: string }) => {
      called.push(id);
      await db.updateTable('pipeline_run').set({ state: 'COMPLETED' }).where('pipeline_id', '=', `${pipelineId}-part`).execute();
    },
  }) as CallInside;
  const context = {
    pipelineId,
    runId: 'run',
    runNumber: 2,
    ids: {},
    state: {},
    attempt: more.attempt,
    signal: AbortSignal.timeout(20_000),
    input: { app: 'berth', origin: 'console' as const },
    createdBy: { id: more.by ?? 'mats', displayName: 'Mats Member' },
    log: () => undefined,
    setFacts: async () => undefined,
  };
  const step = promotionPipeline({ db, pool, callInside }).steps.find(({ code }) => code === 'PromoteServices');
  const failure = await step?.run(context).then(
    () => undefined,
    (error: unknown) => error,
  );
  const [part] = await partsOf(db, pipelineId);
  return { called, failure, part };
};

test('a run after a canceled one continues a part that failed meanwhile', async () => {
  await seedPromotion('pl-canceled');
  expect(await runStep('pl-canceled', { attempt: 1 })).toMatchObject({
    called: [pipelineRerun.id],
    failure: undefined,
    part: { state: 'DONE' },
  });
});

test('a step that is repeated in the same run does not run its failed part again', async () => {
  await seedPromotion('pl-repeated');
  expect(await runStep('pl-repeated', { attempt: 2 })).toMatchObject({
    called: [],
    failure: { code: 'PartFailed' },
    part: { state: 'FAILED' },
  });
});

test('a part fails if the person who promotes has left', async () => {
  await seedPromotion('pl-left');
  expect((await runStep('pl-left', { attempt: 1, by: 'nobody' })).part).toMatchObject({
    state: 'FAILED',
    failure: 'Mats Member is not in the company directory',
  });
});

test('the last promotion is not that of a former app with the same id', async () => {
  const { db } = app.database;
  const id = 'pl-former';
  await seedPipeline(db, { id, type: 'PromoteApplication', subject: 'app:berth', state: 'COMPLETED', endedAt: new Date('2026-01-03') });
  const keys = ['promotion:berth/production'];
  await db
    .updateTable('pipeline')
    .set({ subject_keys: keys, latest_run_id: `run-${id}` })
    .where('id', '=', id)
    .execute();
  await insertParts(db, id, [{ kind: 'database', name: 'secret-plans', mark: 'seen', state: 'DONE' }]);
  expect((await comparison()).latest).toMatchObject({ parts: [{ name: 'secret-plans' }] });
  await db
    .updateTable('app')
    .set({ created_at: new Date('2026-01-04') })
    .where('id', '=', 'berth')
    .execute();
  expect((await comparison()).latest).toBeNull();
});
