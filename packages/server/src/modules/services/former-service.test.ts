/** A service that reuses the name of a deleted service starts with an empty history. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { Request } from '@slipway/contract/request/request.ts';
import { productionChange, serviceChangeRequest } from '@slipway/contract/service/approval.ts';
import { serviceCreate } from '@slipway/contract/service/service-operations.ts';
import { serviceDelete, servicePipelineList } from '@slipway/contract/service/service.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';

let app: TestApp;
const place = { app: 'berth', env: 'development' };
const at = { ...place, service: 'berth-api' };

beforeAll(async () => {
  app = await testApp();
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const typesOf = async () => {
  const { body } = await app.call('member', servicePipelineList, { params: at });
  return (body as Page<PipelineRun>).content.map(({ pipelineType }) => pipelineType);
};

test('its list shows no run of the former; the log of the app keeps both', async () => {
  const create = () => app.run('member', serviceCreate, { params: place, body: { name: at.service } });
  const first = await create();
  expect(first.subject).toMatchObject({ kind: 'service', key: 'service:berth/development/berth-api', ...at });
  expect(await typesOf()).toEqual(['CreateService']);
  await app.run('member', serviceDelete, { params: at });
  const second = await create();
  const { body } = await app.call('member', servicePipelineList, { params: at });
  expect((body as Page<PipelineRun>).content.map(({ pipelineId }) => pipelineId)).toEqual([second.pipelineId]);
  const query = { subject: 'service:berth/development/berth-api', type: 'serviceCreate' };
  const log = (await app.call('member', appActivityList, { params: place, query })).body as Page<Activity>;
  expect(log.content.map(({ pipelineId }) => pipelineId)).toEqual([second.pipelineId, first.pipelineId]);
});

test('what waits for a service of a former app becomes void, and what waits for this one stays', async () => {
  const { db } = app.database;
  await db.updateTable('team').set({ needs_production_approval: true }).execute();
  const ask = async (actor: 'member' | 'owner') => {
    const body = { operation: 'serviceCreate', body: { name: 'berth-new' } };
    const answer = await app.call(actor, serviceChangeRequest, { params: { app: 'berth', env: 'production' }, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return Number((answer.body as Request).id.slice(4));
  };
  const former = await ask('member');
  await db.updateTable('app').set({ created_at: new Date() }).where('id', '=', 'berth').execute();
  const own = await ask('owner');
  await app.app.requests.kinds.find(({ kind }) => kind === productionChange)?.sync?.(db);
  const rows = await db.selectFrom('request').select(['number', 'status', 'void_reason']).orderBy('number').execute();
  expect(rows).toEqual([
    { number: former, status: 'WITHDRAWN', void_reason: 'The app was deleted' },
    { number: own, status: 'PENDING', void_reason: null },
  ]);
});
