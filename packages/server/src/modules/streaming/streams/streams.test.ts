/** Streams over HTTP, on a real broker: schema, topic and account by one pipeline, rejected fields, and the leftovers of a failure. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineCancel, pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { accountCreate, accountDelete, accountUpdate, accountView, type Account } from '@slipway/contract/streaming/account.ts';
import { accountPasswordTake } from '@slipway/contract/streaming/account-password.ts';
import { schemaCreate, schemaDelete, schemaList, schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { streamCreate } from '@slipway/contract/streaming/stream.ts';
import { topicCreate, topicDelete, topicList, topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';

let app: TestApp;
let engine: FaultyPort<Streaming>;
beforeAll(async () => {
  app = await testApp({
    accountTimings: { signInMs: 500 },
    adapt: (adapters) => {
      engine = faultyPort(adapters.streaming);
      return { ...adapters, streaming: engine.port };
    },
  });
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const place = { app: 'berth', env: 'development' };
const at = (request: Request = {}): Request => ({ ...request, params: { ...place, ...request.params } });
const call = (route: RouteShape, request: Request = {}) => app.call('member', route, at(request));
const run = (body: object) => app.run('member', streamCreate, at({ body }));
const content = (...fields: object[]) =>
  JSON.stringify({ type: 'record', name: 'Delay', fields: [{ name: 'berth', type: 'string' }, ...fields] }, undefined, 2);
/** Returns a request for a topic with a new schema of the same name. */
const wanted = (name: string, more: object = {}) => ({
  schema: { name, content: content() },
  topic: { name, description: 'A ship will be late', spec: { partitionNumber: 1 } },
  ...more,
});
const withSchema = (name: string, resourceId: string, more: object = {}) => ({
  topic: { name, description: 'A ship will be late', spec: { valueSchema: { resourceId } } },
  ...more,
});
const stepOf = ({ status }: PipelineRun, code: string) => status.steps.find((step) => step.code === code);
const failureOf = ({ status }: PipelineRun) => {
  const failed = status.steps.find(({ state }) => state === 'FAILED');
  return failed && `${failed.code}: ${stepMessageOf(failed.code, failed.message)}`;
};
const one = async <View>(route: RouteShape, params: Readonly<Record<string, string>>) => (await call(route, { params })).body as View;
const names = async (route: RouteShape) => ((await call(route)).body as Page<{ name: string }>).content.map(({ name }) => name).toSorted();
const streaming = () => app.adapters.streaming;
const rulesOf = async (user: string) =>
  (await streaming().listRules('development', { user })).map(({ operation, name }) => `${operation} ${name}`).toSorted();

describe('streamCreate', () => {
  test('makes a schema, a topic and an account, whose ids the named steps carry', async () => {
    const ended = await run(wanted('delays', { account: { name: 'delays' } }));
    expect(ended).toMatchObject({ pipelineType: 'CreateStream', status: { state: 'COMPLETED' } });
    const schema = await one<Schema>(schemaView, { schema: 'delays' });
    const topic = await one<Topic>(topicView, { topic: 'delays' });
    const account = await one<Account>(accountView, { account: 'delays' });
    expect(stepOf(ended, 'WaitForSchemaCreation')?.message?.context).toMatchObject({ schemaId: schema.id });
    expect(stepOf(ended, 'WaitForTopicCreation')?.message?.context).toMatchObject({ topicId: topic.id });
    expect(stepOf(ended, 'WaitForCredentialsCreation')?.message?.context).toMatchObject({ accountId: account.id });
    expect(schema).toMatchObject({ state: 'ACTIVE', revisionId: 1, pipelineId: ended.pipelineId, can: { update: true } });
    expect(topic).toMatchObject({ state: 'ACTIVE', spec: { valueSchema: { name: 'delays' }, partitionNumber: 1, retentionHours: 24 } });
    expect(account).toMatchObject({ state: 'ACTIVE', produceTopics: [{ name: 'delays' }], consumeTopics: [{ name: 'delays' }] });
    expect(await rulesOf('berth.delays')).toEqual(['read berth.delays', 'read berth.delays.', 'write berth.delays']);
    const { user, password } = (await call(accountPasswordTake, { params: { account: 'delays' } })).body as Record<string, string>;
    expect(await streaming().canSignIn('development', user ?? '', password ?? '')).toBe(true);
    const log = (await call(appActivityList)).body as Page<Activity>;
    const of = log.content.filter(({ pipelineId }) => pipelineId === ended.pipelineId).map(({ type }) => type);
    expect(of.toSorted()).toEqual(['CreateStream', 'accountCreate', 'schemaCreate', 'topicCreate']);
  });

  test('takes a schema and an account that are there, and leaves what is not wanted out', async () => {
    const bare = await run(withSchema('gates', 'delays'));
    expect(bare.status.steps.filter(({ state }) => state === 'SKIPPED').map(({ code }) => code)).toEqual([
      'ValidateSchema',
      'RegisterSchema',
      'WaitForSchemaCreation',
      'ApplyAccessRules',
      'CreateClusterUser',
      'WaitForCredentialsCreation',
      'HandOverPassword',
    ]);
    const joined = await run(withSchema('moves', 'delays', { account: { name: 'delays', isNew: false, operations: ['WRITE'] } }));
    expect(joined).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await one<Account>(accountView, { account: 'delays' })).toMatchObject({
      state: 'ACTIVE',
      can: { update: true },
      produceTopics: [{ name: 'delays' }, { name: 'moves', state: 'APPROVED', basis: 'OWN' }],
      consumeTopics: [{ name: 'delays' }],
    });
    expect(await rulesOf('berth.delays')).toContain('write berth.moves');
    expect(await names(schemaList)).toEqual(['delays']);
  });

  test('says of every part what is wrong with it, at its field', async () => {
    const refused = async (body: object) => errorsOf(await call(streamCreate, { body }));
    expect(await refused({ topic: { name: 'Delays', spec: {} }, account: { name: '', operations: [] } })).toEqual([
      400,
      'topic.name: LowercaseLetters',
      'topic.description: Required',
      'account.name: AccountNameRequired',
      'account.operations: Required',
    ]);
    expect(await refused({ topic: wanted('x').topic })).toEqual([400, 'topic.spec.valueSchema.resourceId: Required']);
    expect(await refused({ ...withSchema('x', 'delays'), schema: wanted('x').schema })).toEqual([
      400,
      'topic.spec.valueSchema.resourceId: InvalidValue',
    ]);
    expect(await refused({ ...wanted('x'), schema: { name: 'x', content: '"nothing"' } })).toEqual([400, 'schema.content: SchemaInvalid']);
    await call(secretGroupCreate, { body: { name: 'berth-taken', entries: [] } });
    expect(await refused(wanted('delays', { account: { name: 'delays' } }))).toEqual([
      400,
      'schema.name: SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS',
      'topic.name: TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS',
      'account.name: ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS',
    ]);
    expect(await refused(withSchema('delays', 'delays'))).toEqual([409, 'topic.name: TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    expect(await refused(withSchema('x', 'nothing'))).toEqual([404, 'topic.spec.valueSchema.resourceId: SchemaDoesNotExist']);
    expect(await refused(withSchema('x', 'delays', { account: { name: 'nobody', isNew: false } }))).toEqual([
      404,
      'account.name: AccountDoesNotExist',
    ]);
    expect(
      await refused({ ...withSchema('x', 'delays'), topic: { ...withSchema('x', 'delays').topic, applicationCode: 'other' } }),
    ).toEqual([400, 'topic.applicationCode: InvalidValue']);
    expect(await names(topicList)).toEqual(['delays', 'gates', 'moves']);
  });

  test('what a name stands for on the engines is taken, too: at its field, in each form alike', async () => {
    const { db } = app.database;
    await seedApp(db, { id: 'quayside' });
    const by = { created_by: 'olga', created_by_name: 'Olga', updated_by: 'olga', updated_by_name: 'Olga' };
    const row = { app_id: 'quayside', environment: 'development', state: 'ACTIVE' } as const;
    const held = { ...row, ...by, id: 'sch_held', name: 'other', type: 'AVRO', compatibility: 'BACKWARD', content: '"string"' } as const;
    await db
      .insertInto('event_schema')
      .values({ ...held, subject: 'berth.held' })
      .execute();
    const topic = { description: '', classification: 'INTERNAL', is_sharable: true, cleanup_policy: 'DELETE' } as const;
    const sizes = { partitions: 1, retention_hours: 24, replication_factor: 1, segment_bytes: 1_073_741_824 };
    await db
      .insertInto('topic')
      .values({ ...row, ...by, ...topic, ...sizes, id: 'top_held', name: 'other', topic_name: 'berth.held', value_schema_id: 'sch_held' })
      .execute();
    const { updated_by: _, updated_by_name: __, ...made } = by;
    await db
      .insertInto('account')
      .values({ ...row, ...made, id: 'ka_held', name: 'other', description: '', principal: 'berth.held', group_prefix: 'berth.held.' })
      .execute();
    const refused = async (route: RouteShape, body: object) => errorsOf(await call(route, { body }));
    const { schema } = wanted('held');
    expect(await refused(schemaCreate, schema)).toEqual([409, 'name: SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    expect(await refused(streamCreate, wanted('held'))).toEqual([409, 'schema.name: SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    const asked = withSchema('held', 'delays').topic;
    expect(await refused(topicCreate, asked)).toEqual([409, 'name: TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    expect(await refused(streamCreate, { topic: asked })).toEqual([409, 'topic.name: TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    const account = { name: 'held', description: 'Holds', produceTopics: [], consumeTopics: [] };
    expect(await refused(accountCreate, account)).toEqual([409, 'name: ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    expect(await refused(streamCreate, withSchema('free', 'delays', { account: { name: 'held' } }))).toEqual([
      409,
      'account.name: ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS',
    ]);
    await db.deleteFrom('account').where('id', '=', 'ka_held').execute();
    await db.deleteFrom('topic').where('id', '=', 'top_held').execute();
    await db.deleteFrom('event_schema').where('id', '=', 'sch_held').execute();
  });

  test('a dry run says what would be made, and makes nothing', async () => {
    const body = wanted('planned', { account: { name: 'planned', secretGroup: 'berth-planned-kafka' } });
    const plan = (await call(streamCreate, { body, query: { dryRun: true } })).body as Plan;
    expect(plan.consequences.map(planTextOf)).toEqual([
      'Registers planned as version 1 of berth.planned, with the level Backward.',
      'Makes the topic berth.planned with 1 partitions and 3 replicas, kept for 24 h.',
      'Registers a new version of berth.planned-value.',
      'Makes the user berth.planned on the Kafka cluster.',
      'May write berth.planned.',
      'May read berth.planned.',
      'Makes the secret group berth-planned-kafka. Services connect with its keys.',
    ]);
    expect(plan.steps).toHaveLength(13);
    const short = (await call(streamCreate, { body: withSchema('planned', 'delays'), query: { dryRun: true } })).body as Plan;
    expect(short.steps.map(({ code }) => code)).toEqual([
      'ReserveNames',
      'CheckTopic',
      'RegisterTopicSchemas',
      'CreateKafkaTopic',
      'WaitForTopicCreation',
      'CreateStream',
    ]);
    expect(await names(schemaList)).not.toContain('planned');
  });

  test('names that others have on the cluster and in the registry are said at once, each at its field', async () => {
    await streaming().createTopic('development', { name: 'berth.buoys', partitions: 1, replication: 1, configs: {} });
    await app.adapters.schemaRegistry.register('development', 'berth.buoys', { type: 'AVRO', content: content() });
    await app.adapters.schemaRegistry.register('development', 'berth.lights-value', { type: 'AVRO', content: content() });
    const refused = async (body: object, query = {}) => errorsOf(await call(streamCreate, { query, body }));
    const both = [400, 'schema.name: SubjectBelongsToOthers', 'topic.name: TopicBelongsToOthers'];
    expect(await refused(wanted('buoys'))).toEqual(both);
    expect(await refused(wanted('buoys'), { dryRun: true })).toEqual(both);
    expect(await refused(wanted('lights'))).toEqual([409, 'topic.name: SubjectBelongsToOthers']);
    expect([await names(schemaList), await names(topicList)].flat()).not.toContain('buoys');
  });

  /** The cluster is unavailable during the request, so the pipeline detects the conflict. */
  const runUnasked = (body: object): Promise<PipelineRun> => {
    engine.away('observeTopics', 'Kafka');
    return run(body);
  };
  test('of what failed nothing is left: the same names can be asked for again, or re-run', async () => {
    const foreign = { name: 'berth.tides', partitions: 1, replication: 1, configs: {} };
    await streaming().createTopic('development', foreign);
    const body = wanted('tides', { account: { name: 'tides', secretGroup: 'berth-tides-kafka' } });
    const failed = await runUnasked(body);
    expect(failureOf(failed)).toBe('CheckTopic: The cluster has a topic berth.tides that the platform did not make. Choose another name.');
    expect([await names(schemaList), await names(topicList)]).not.toContainEqual(expect.arrayContaining(['tides']));
    expect(await app.adapters.schemaRegistry.versions('development', 'berth.tides')).toEqual([]);
    expect(errorsOf(await call(streamCreate, { body }))).toEqual([409, 'topic.name: TopicBelongsToOthers']);

    await streaming().deleteTopic('development', foreign.name);
    const again = { params: { pipelineId: failed.pipelineId }, body: { from: 'failedStep' } };
    expect(await app.run('member', pipelineRerun, again)).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await one<Account>(accountView, { account: 'tides' })).toMatchObject({ credentials: { secretGroup: { version: 1 } } });
  });

  test('a re-run whose names somebody else has by now touches nothing', async () => {
    const foreign = { name: 'berth.locks', partitions: 1, replication: 1, configs: {} };
    await streaming().createTopic('development', foreign);
    const failed = await runUnasked(wanted('locks'));
    const other = await app.run('owner', schemaCreate, at({ body: wanted('locks').schema }));
    const again = { params: { pipelineId: failed.pipelineId }, body: { from: 'start' } };
    expect(failureOf(await app.run('member', pipelineRerun, again))).toContain('ReserveNames: The names cannot be reserved once more');
    expect(await one<Schema>(schemaView, { schema: 'locks' })).toMatchObject({ state: 'ACTIVE', pipelineId: other.pipelineId });
  });

  test('while it runs its parts take turns with everything else, and cancelled it leaves nothing', async () => {
    engine.away('createTopic', 'Kafka', 100_000);
    const started = (await call(streamCreate, { body: wanted('quays', { account: { name: 'delays', isNew: false } }) }))
      .body as PipelineRun;
    const busy = [409, 'undefined: StreamingPipelineRunning'];
    const settings = { description: '', produceTopics: [], consumeTopics: [] };
    expect(errorsOf(await call(accountUpdate, { params: { account: 'delays' }, body: settings }))).toEqual(busy);
    expect(errorsOf(await call(accountDelete, { params: { account: 'delays' } }))).toEqual(busy);
    expect(errorsOf(await call(schemaDelete, { params: { schema: 'quays' } }))).toEqual([409, 'undefined: SCHEMA_IS_REFERENCED_BY_TOPICS']);
    const second = withSchema('piers', 'delays', { account: { name: 'delays', isNew: false } });
    expect(errorsOf(await call(streamCreate, { body: second }))).toEqual([409, 'account.name: StreamingPipelineRunning']);
    expect(errorsOf(await call(streamCreate, { body: withSchema('piers', 'quays') }))).toEqual([
      409,
      'topic.spec.valueSchema.resourceId: SchemaNotCreated',
    ]);
    const cancelled = await app.call('member', pipelineCancel, { params: { pipelineId: started.pipelineId } });
    expect(cancelled, JSON.stringify(cancelled.body)).toMatchObject({ status: 202 });
    expect(await app.ended(started.pipelineId)).toMatchObject({ status: { state: 'CANCELED' } });
    engine.away('createTopic', 'Kafka', 0);
    expect([await names(schemaList), await names(topicList)].flat()).not.toContain('quays');
    expect(await rulesOf('berth.delays')).not.toContain('write berth.quays');
    expect(await one<Account>(accountView, { account: 'delays' })).toMatchObject({ state: 'ACTIVE', can: { update: true } });
  });

  test('what the cluster does not let go stays ours, and goes when it is discarded', async () => {
    const refused = () => Promise.reject(new PortFailure('rejected', 'refused by a test', { code: 'Refused' }));
    engine.next('changeRights', refused, 100_000);
    engine.next('deleteTopic', refused, 100_000);
    await run(wanted('holds', { account: { name: 'holds' } }));
    engine.next('changeRights', refused, 0);
    engine.next('deleteTopic', refused, 0);
    expect(await streaming().listTopics('development', 'berth.holds')).toEqual(['berth.holds']);
    expect(await one<Topic>(topicView, { topic: 'holds' })).toMatchObject({ state: 'NOT_CREATED' });
    expect(await app.run('member', topicDelete, at({ params: { topic: 'holds' } }))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await streaming().listTopics('development', 'berth.holds')).toEqual([]);
  });
});
