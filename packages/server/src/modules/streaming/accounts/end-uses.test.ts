/** Interleaves an account's change with a topic's deletion, at every call: no rule for the deleted topic is left. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountCreate, accountUpdate } from '@slipway/contract/streaming/account.ts';
import { accountRepair, accountRulesView, type AccountRules } from '@slipway/contract/streaming/account-rights.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { topicDelete } from '@slipway/contract/streaming/topic.ts';
import { PortFailure } from '#ports/failure.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { Streaming } from '#ports/streaming.ts';
import { testApp, type Request, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { seedTopic } from './accounts.fixture.ts';

let app: TestApp;
let cluster: Streaming;
let engine: FaultyPort<Streaming>;
let registry: FaultyPort<SchemaRegistry>;
const place = { app: 'berth', env: 'development' };

beforeAll(async () => {
  app = await testApp({
    accountTimings: { signInMs: 500 },
    adapt: (adapters) => {
      cluster = adapters.streaming;
      engine = faultyPort(adapters.streaming);
      registry = faultyPort(adapters.schemaRegistry);
      return { ...adapters, streaming: engine.port, schemaRegistry: registry.port };
    },
  });
  await seedApp(app.database.db, { id: 'berth' });
  await seedTopic(app.database.db, cluster, { app: 'berth', name: 'stays' });
});
afterAll(() => app?.close());

const at = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const run = (route: RouteShape, request: Request) => app.run('member', route, at(request));
const completed = async (ran: Promise<PipelineRun>) => expect(await ran).toMatchObject({ status: { state: 'COMPLETED' } });
/** Creates a topic of the platform, and an account that writes another topic. */
const seed = async (topic: string, account: string): Promise<void> => {
  await seedTopic(app.database.db, cluster, { app: 'berth', name: topic });
  await app.database.db.updateTable('topic').set({ claim: 'seeded' }).where('name', '=', topic).execute();
  const body = { name: account, description: 'Plans', produceTopics: [{ resourceId: 'stays' }], consumeTopics: [] };
  await completed(run(accountCreate, { body }));
};
const alsoReads = (topic: string) => ({
  description: 'Plans',
  produceTopics: [{ resourceId: 'stays' }],
  consumeTopics: [{ resourceId: topic }],
});
const remove = (topic: string) => run(topicDelete, { params: { topic } });

const nothingIsLeft = async (account: string): Promise<void> => {
  const rules = await cluster.listRules('development', { user: `berth.${account}` });
  expect(rules.map(({ operation, name }) => `${operation} ${name}`)).toEqual(['write berth.stays']);
  const kept = await app.database.db.selectFrom('account_rule').select('name').where('cluster_user', '=', `berth.${account}`).execute();
  expect(kept).toEqual([{ name: 'berth.stays' }]);
  const shown = await app.call('member', accountRulesView, at({ params: { account } }));
  expect((shown.body as AccountRules).rules.map(({ state }) => state)).toEqual(['THERE']);
};

test('a rule that is made after the deletion has looked for rules is taken back', { timeout: PATIENCE_MS }, async () => {
  await seed('goes', 'late');
  engine.next('changeRights', async (...input) => {
    await completed(remove('goes'));
    return cluster.changeRights(...(input as Parameters<Streaming['changeRights']>));
  });
  await completed(run(accountUpdate, { params: { account: 'late' }, body: alsoReads('goes') }));
  await nothingIsLeft('late');
});

test('also when the step ends right after it has made the rule, and is repeated', { timeout: PATIENCE_MS }, async () => {
  await seed('leaves', 'killed');
  engine.next('changeRights', async (...input) => {
    await completed(remove('leaves'));
    await cluster.changeRights(...(input as Parameters<Streaming['changeRights']>));
    throw new PortFailure('unavailable', 'no answer came', { context: { engine: 'Kafka cluster' } });
  });
  await completed(run(accountUpdate, { params: { account: 'killed' }, body: alsoReads('leaves') }));
  await nothingIsLeft('killed');
});

test('a change while the rest of the topic is still being deleted makes no rule for it', { timeout: PATIENCE_MS }, async () => {
  await seed('parts', 'beside');
  await completed(run(accountUpdate, { params: { account: 'beside' }, body: alsoReads('parts') }));
  let isReached = false;
  registry.next('remove', async (...input) => {
    isReached = true;
    await completed(run(accountRepair, { params: { account: 'beside' } }));
    await nothingIsLeft('beside');
    return app.adapters.schemaRegistry.remove(...(input as Parameters<SchemaRegistry['remove']>));
  });
  await completed(remove('parts'));
  expect(isReached).toBe(true);
  await nothingIsLeft('beside');
});
