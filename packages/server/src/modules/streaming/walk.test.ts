/**
 * From a schema to a message, with the product's engines: the registry, the broker in its own process, and a message read as it was
 * written.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { topicMessageList, topicMessageProduce, topicMessageReveal, type TopicMessagePage } from '@slipway/contract/streaming/message.ts';
import { schemaCompatibilityCheck, type SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import { schemaCreate, schemaUpdate, schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { topicDriftView, topicReconcile, topicStatusView, type TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { topicCreate, topicDelete, topicUpdate, topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ topicTimings: { tickMs: 100, viewedMs: 200, everyMs: 200 } });
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const place = { app: 'berth', env: 'development' };
const at = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const call = async (route: RouteShape, request: Request = {}) => (await app.call('member', route, at(request))).body;
const completed = async (route: RouteShape, request: Request = {}): Promise<PipelineRun> => {
  const ended = await app.run('member', route, at(request));
  expect(ended, route.id).toMatchObject({ status: { state: 'COMPLETED' } });
  return ended;
};
const avro = (...fields: object[]) =>
  JSON.stringify(
    { type: 'record', name: 'BerthEvent', namespace: 'com.norrland', fields: [{ name: 'berth', type: 'string' }, ...fields] },
    null,
    2,
  );
const schema = { params: { schema: 'berthevent' } };
const topic = { params: { topic: 'berthevents' } };
const broker = () => app.adapters.streaming;

test('schema, topic, message, change, drift, deletion', { timeout: 120_000 }, async () => {
  await completed(schemaCreate, {
    body: { name: 'berthevent', content: avro({ name: 'pilot', type: 'string', classification: 'CONFIDENTIAL', default: '' }) },
  });
  const registered = (await call(schemaView, schema)) as Schema;
  expect(registered).toMatchObject({ revisionId: 1, registryId: expect.any(Number) as number });

  await completed(topicCreate, {
    body: { name: 'berthevents', description: 'Ships at berths', spec: { valueSchema: { resourceId: registered.id }, partitionNumber: 2 } },
  });
  const [found] = (await broker().observeTopics('development', ['berth.berthevents'])).values();
  expect(found).toMatchObject({ isReady: true, configs: { 'retention.ms': '86400000' } });
  expect(found?.partitions).toHaveLength(2);

  await call(topicMessageProduce, { ...topic, body: { value: { berth: 'C03', pilot: 'Ada' }, partition: 1 } });
  const page = (await call(topicMessageList, topic)) as TopicMessagePage;
  expect(page.messages).toMatchObject([
    {
      partition: 1,
      offset: '0',
      isTest: true,
      value: { state: 'DECODED', value: { berth: 'C03', pilot: null }, schema: { name: 'berthevent', revisionId: 1 } },
    },
  ]);
  expect(JSON.stringify(page)).not.toContain('Ada');
  const reveal = { ...topic, body: { partition: 1, offset: '0', reason: 'The test compares it' } };
  expect(await call(topicMessageReveal, reveal)).toMatchObject({ value: { value: { berth: 'C03', pilot: 'Ada' } } });
  expect(errorsOf(await app.call('member', topicMessageProduce, at({ ...topic, body: { value: { berth: 3 } } })))).toEqual([
    400,
    'value: MessageInvalid',
  ]);

  const draft = avro({ name: 'pilot', type: 'string', classification: 'CONFIDENTIAL', default: '' }, { name: 'tugs', type: 'int' });
  const verdict = (await call(schemaCompatibilityCheck, { ...schema, body: { content: draft } })) as SchemaVerdict;
  expect(verdict).toMatchObject({ state: 'INCOMPATIBLE', issues: [{ code: 'READER_FIELD_MISSING_DEFAULT_VALUE' }] });
  const [edit] = verdict.issues[0]?.fix?.edits ?? [];
  const fixed = edit ? draft.slice(0, edit.from) + edit.insert + draft.slice(edit.to) : draft;
  await completed(schemaUpdate, { ...schema, body: { content: fixed, revisionId: 1 } });
  expect(await app.adapters.schemaRegistry.versions('development', 'berth.berthevents-value')).toEqual([1, 2]);

  const { description, tags, spec } = (await call(topicView, topic)) as Topic;
  const { keySchema: _key, valueSchema: _value, replicationFactor: _copies, ...rest } = spec;
  await completed(topicUpdate, { ...topic, body: { description, tags, spec: { ...rest, retentionHours: 72, partitionNumber: 3 } } });
  expect(await call(topicStatusView, topic)).toMatchObject({ partitions: [{}, { nextOffset: 1 }, {}], messages: 1, replication: 1 });

  await broker().alterTopic('development', 'berth.berthevents', { configs: { 'retention.ms': '3600000' } });
  // An observation made while partitions were added may appear first.
  await vi.waitFor(
    async () => {
      const { differences } = (await call(topicDriftView, topic)) as TopicDrift;
      expect(differences).toMatchObject([{ name: 'retention.ms', ours: '259200000', theirs: '3600000' }]);
    },
    { timeout: PATIENCE_MS },
  );
  await completed(topicReconcile, { ...topic, body: { keep: 'ours' } });
  expect(await call(topicDriftView, topic)).toMatchObject({ differences: [] });

  await completed(topicDelete, topic);
  expect(await broker().listTopics('development', 'berth.')).toEqual([]);
});
