/** Writes of schemas, topics and accounts. Their namesakes have the same names, and other names on the engines only in another app. */
import { expect } from 'vitest';
import { accountCreate, accountDelete, accountUpdate } from '@slipway/contract/streaming/account.ts';
import { accountFormerPasswordEnd, accountPasswordTake, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { accountRepair } from '@slipway/contract/streaming/account-rights.ts';
import { topicMessageProduce, topicMessageReveal } from '@slipway/contract/streaming/message.ts';
import { accountPromote, schemaPromote, topicPromote } from '@slipway/contract/streaming/promotion.ts';
import { schemaDriftView, schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import { schemaCompatibilityCheck, schemaDraftCheck } from '@slipway/contract/streaming/schema-verdict.ts';
import { schemaCreate, schemaDelete, schemaUpdate } from '@slipway/contract/streaming/schema.ts';
import { streamCreate } from '@slipway/contract/streaming/stream.ts';
import { topicDriftView, topicReconcile } from '@slipway/contract/streaming/topic-status.ts';
import { topicCreate, topicDelete, topicUpdate } from '@slipway/contract/streaming/topic.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { eventually, view, type Place, type World, type Write } from './write.ts';

const avro = (...fields: object[]) =>
  JSON.stringify({ type: 'record', name: 'Move', fields: [{ name: 'berth', type: 'string' }, ...fields] });
const second = avro({ name: 'tugs', type: 'int', default: 0 });
const third = avro({ name: 'tugs', type: 'int', default: 0 }, { name: 'crew', type: 'int', default: 0 });
const schema = { schema: 'moves' };
const topic = { topic: 'orders' };
const account = { account: 'reader' };
const namesake = { isInNamesakes: true } as const;

/** Compared anew until the difference is seen. */
const seen = (world: World, place: Place, route: RouteShape, params: Readonly<Record<string, string>>) =>
  eventually(async () => expect((await view<{ differences: unknown[] }>(world, place, route, params)).differences).not.toEqual([]));
const drifted = async (world: World, place: Place) => {
  await world.app.adapters.streaming.alterTopic(place.env, `${place.app}.orders`, { configs: { 'retention.ms': '7200000' } });
  // Nobody has compared it since.
  await world.app.database.pool.query(`update topic_watch set compared_at = null`);
  await seen(world, place, topicDriftView, topic);
};
const levelChanged = async (world: World, place: Place) => {
  await world.app.adapters.schemaRegistry.setLevel(place.env, `${place.app}.moves`, 'NONE');
  await world.app.database.pool.query(`update schema_watch set compared_at = null`);
  await seen(world, place, schemaDriftView, schema);
};

export const streamingWrites: readonly Write[] = [
  { route: schemaCreate, ...namesake, request: { body: { name: 'moves', content: avro() } } },
  {
    route: topicCreate,
    ...namesake,
    request: {
      body: { name: 'orders', description: 'Orders', spec: { partitionNumber: 1, valueSchema: { resourceId: 'moves' } } },
    },
  },
  {
    route: accountCreate,
    ...namesake,
    request: { body: { name: 'reader', produceTopics: [{ resourceId: 'orders' }], consumeTopics: [{ resourceId: 'orders' }] } },
  },
  { route: accountPasswordTake, request: { params: account } },
  { route: accountRotate, ...namesake, request: { params: account, body: { overlapHours: 24, secretGroup: 'reader-keys' } } },
  { route: accountFormerPasswordEnd, request: { params: account } },
  { route: accountRepair, request: { params: account } },
  {
    route: streamCreate,
    ...namesake,
    request: {
      body: {
        schema: { name: 'delays', content: avro() },
        topic: { name: 'delays', description: 'Delays', spec: { partitionNumber: 1 } },
        account: { name: 'delays' },
      },
    },
  },
  {
    route: accountUpdate,
    request: { params: account, body: { description: 'Reads', produceTopics: [], consumeTopics: [{ resourceId: 'delays' }] } },
  },
  { route: schemaDraftCheck, request: { body: { content: second } } },
  { route: schemaCompatibilityCheck, request: { params: schema, body: { content: second } } },
  { route: schemaUpdate, request: { params: schema, body: { content: second, revisionId: 1 } } },
  {
    route: topicUpdate,
    request: { params: topic, body: { description: 'Orders of today', spec: { partitionNumber: 2, retentionHours: 48 } } },
  },
  { route: topicReconcile, before: drifted, request: { params: topic, body: { keep: 'ours' } } },
  { route: schemaReconcile, before: levelChanged, request: { params: schema } },
  { route: topicMessageProduce, request: { params: topic, body: { value: { berth: 'a', tugs: 1 }, partition: 0 } } },
  { route: topicMessageReveal, request: { params: topic, body: { partition: 0, offset: '0', reason: 'The test reads it' } } },
  { route: schemaPromote, reachesProduction: true, request: { params: schema, body: {} } },
  { route: topicPromote, reachesProduction: true, request: { params: topic, body: {} } },
  { route: accountPromote, reachesProduction: true, request: { params: account, body: {} } },
  { route: schemaUpdate, request: { params: schema, body: { content: third, revisionId: 2 } } },
  { route: accountDelete, request: { params: account } },
  { route: topicDelete, request: { params: topic } },
  { route: schemaDelete, request: { params: schema } },
];
