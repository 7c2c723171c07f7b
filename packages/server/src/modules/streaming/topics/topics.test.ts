/** Topics over HTTP: fields and texts, effects of their pipelines on the cluster, drift and its resolutions, and masked messages. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import { applicationDelete } from '@slipway/contract/application.ts';
import { messageOf, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import {
  skippedText,
  topicFieldsView,
  topicMessageList,
  topicMessageProduce,
  topicMessageReveal,
  type TopicMessage,
  type TopicMessagePage,
} from '@slipway/contract/streaming/message.ts';
import {
  schemaPromote,
  schemaPromotionView,
  topicPromote,
  topicPromotionView,
  type SchemaPromotion,
  type TopicPromotion,
} from '@slipway/contract/streaming/promotion.ts';
import { schemaCreate, schemaUpdate, schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { streamingInfoView } from '@slipway/contract/streaming/streaming.ts';
import { topicDriftView, topicReconcile, topicStatusView, type TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { topicCreate, topicDelete, topicList, topicUpdate, topicView, type Topic } from '@slipway/contract/streaming/topic.ts';
import { PortFailure } from '#ports/failure.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { frame, MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';

let app: TestApp;
const registry = new MemoryRegistry();
const cluster = new MemoryStreaming();
const content = (...fields: object[]) => JSON.stringify({ fields });
const schemas: Record<string, Schema> = {};
const place = { app: 'berth', env: 'development' };
const at = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const call = (route: RouteShape, request: Request = {}, actor: 'member' | 'owner' | 'stranger' | 'administrator' = 'member') =>
  app.call(actor, route, at(request));
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, at(request));

beforeAll(async () => {
  app = await testApp({
    topicTimings: { tickMs: 50, viewedMs: 100, everyMs: 100 },
    streamingLinks: { topic: 'https://kafka.example.com/{env}/{topic}' },
    adapt: (adapters) => ({ ...adapters, streaming: cluster.port, schemaRegistry: registry.port }),
  });
  await seedApp(app.database.db, { id: 'berth' });
  await seedApp(app.database.db, { id: 'vessel', team: 'customs' });
  const texts = {
    event: content({ name: 'berth' }, { name: 'pilot', class: 'CONFIDENTIAL', default: '' }),
    keyed: content({ name: 'id' }),
  };
  for (const [name, text] of Object.entries(texts)) {
    await run(schemaCreate, { body: { name, content: text } });
    schemas[name] = (await call(schemaView, { params: { schema: name } })).body as Schema;
  }
});
afterAll(() => app?.close());
beforeEach(() => {
  cluster.isAway = false;
  cluster.groups = [];
});

const wanted = (name: string, spec: object = {}) => ({
  name,
  description: `What ${name} says`,
  spec: { valueSchema: { resourceId: 'event' }, ...spec },
});
const named = (topic: string, body?: object): Request => ({ params: { topic }, ...(body ? { body } : {}) });
const view = async (name: string) => (await call(topicView, named(name))).body as Topic;
const made = async (name: string, spec: object = {}): Promise<Topic> => {
  expect(await run(topicCreate, { body: wanted(name, spec) })).toMatchObject({ status: { state: 'COMPLETED' } });
  return view(name);
};
const stepsOf = ({ status }: PipelineRun) => status.steps.map(({ code, state }) => `${code} ${state}`);
const texts = (body: unknown) => (body as ErrorObject).errors.map(({ field, code, context }) => `${field}: ${messageOf(code, context)}`);
const planned = (body: unknown) => {
  const { consequences, warnings } = body as Plan;
  return { consequences: consequences.map(planTextOf), warnings: warnings.map(planTextOf) };
};
const onCluster = (name: string) => cluster.topics.get(`berth.${name}`);
const update = ({ description, tags, spec }: Topic, more: object = {}) => ({
  description,
  tags,
  spec: {
    dataSecurityClassification: spec.dataSecurityClassification,
    isSharable: spec.isSharable,
    partitionNumber: spec.partitionNumber,
    retentionHours: spec.retentionHours,
    segmentBytes: spec.segmentBytes,
    cleanupPolicy: spec.cleanupPolicy,
    ...more,
  },
});

describe('topicCreate', () => {
  test("makes it on the cluster with the specification's defaults, and its step says the id", async () => {
    const ended = await run(topicCreate, {
      body: { ...wanted('events', { keySchema: { resourceId: schemas['keyed']?.id } }), tags: ['berth'], environmentClass: 'dev' },
    });
    expect(stepsOf(ended)).toEqual([
      'CheckTopic COMPLETED',
      'RegisterTopicSchemas COMPLETED',
      'CreateKafkaTopic COMPLETED',
      'WaitForTopicCreation COMPLETED',
      'CreateTopic COMPLETED',
    ]);
    const topic = await view('events');
    expect(topic).toMatchObject({
      topicName: 'berth.events',
      applicationCode: 'berth',
      environmentClass: 'development',
      tags: ['berth'],
      spec: {
        dataSecurityClassification: 'INTERNAL',
        isSharable: true,
        partitionNumber: 3,
        retentionHours: 24,
        replicationFactor: 3,
        segmentBytes: 1_073_741_824,
        cleanupPolicy: 'DELETE',
        keySchema: { name: 'keyed', resourceType: 'SCHEMA', applicationCode: 'berth' },
        valueSchema: { resourceId: schemas['event']?.id, name: 'event' },
      },
      state: 'ACTIVE',
      can: { update: true, delete: true, readMessages: true, produce: true },
    });
    const awaited = ended.status.steps.find(({ code }) => code === 'WaitForTopicCreation');
    expect(awaited?.message?.context).toMatchObject({ topicId: topic.id, partitions: '3' });
    expect(await view(topic.id)).toMatchObject({ name: 'events', externalLink: 'https://kafka.example.com/development/berth.events' });
    expect(onCluster('events')).toMatchObject({
      replication: 3,
      configs: {
        'retention.ms': '86400000',
        'segment.bytes': '1073741824',
        'segment.ms': '21600000',
        'cleanup.policy': 'delete',
        'min.insync.replicas': '1',
      },
    });
    expect(registry.live('development', 'berth.events-value')).toMatchObject([{ content: schemas['event']?.content }]);
    expect(registry.live('development', 'berth.events-key')).toMatchObject([{ content: schemas['keyed']?.content }]);
  });

  test.each([
    ['no name', { name: '' }, ['name: Name is required']],
    ['capitals', { name: 'Events' }, ['name: Name can only contain lowercase letters']],
    ['no description', { description: ' ' }, ['description: Description is required']],
    [
      'no partition',
      { spec: { partitionNumber: 0, valueSchema: { resourceId: 'event' } } },
      ['spec.partitionNumber: Minimum Partitions of 1 is required'],
    ],
    [
      'no retention',
      { spec: { retentionHours: 0, valueSchema: { resourceId: 'event' } } },
      ['spec.retentionHours: Minimum Retention in hours of 1 is required'],
    ],
    ['no value schema', { spec: {} }, ['spec.valueSchema: Value schema is required']],
    [
      'compaction without a key',
      { spec: { cleanupPolicy: 'COMPACT', valueSchema: { resourceId: 'event' } } },
      ['spec.cleanupPolicy: Compaction keeps the newest message of each key, so the topic needs a key schema'],
    ],
    ['another app', { applicationCode: 'vessel' }, ['applicationCode: Application code is not valid']],
  ])('refuses %s', async (_, more, expected) => {
    const { status, body } = await call(topicCreate, { body: { ...wanted('wrong'), ...more } });
    expect([status, ...texts(body)]).toEqual([400, ...expected]);
  });

  test('a schema that is not there, not ready, or of another app', async () => {
    const refused = async (reference: object) =>
      errorsOf(await call(topicCreate, { body: wanted('schemaless', { valueSchema: reference }) }));
    expect(await refused({ resourceId: 'nothing' })).toEqual([404, 'spec.valueSchema.resourceId: SchemaDoesNotExist']);
    expect(await refused({ resourceId: 'event', applicationCode: 'vessel' })).toEqual([
      404,
      'spec.valueSchema.resourceId: SchemaDoesNotExist',
    ]);
    await registry.port.register('development', 'berth.unready', { type: 'AVRO', content: content() });
    vi.spyOn(registry.port, 'versions').mockRejectedValueOnce(new PortFailure('unavailable', 'away'));
    onTestFinished(() => void vi.restoreAllMocks());
    await run(schemaCreate, { body: { name: 'unready', content: content({ name: 'a' }) } });
    expect(await refused({ resourceId: 'unready' })).toEqual([409, 'spec.valueSchema.resourceId: SchemaNotCreated']);
  });

  test('a name that somebody else has on the cluster or in the registry is refused at its field', async () => {
    cluster.make({ name: 'berth.other', partitions: 1, replication: 1, configs: {} });
    await registry.port.register('development', 'berth.keyed-key', { type: 'AVRO', content: content() });
    const refused = [409, 'name: TopicBelongsToOthers'];
    expect(errorsOf(await call(topicCreate, { body: wanted('other') }))).toEqual(refused);
    expect(errorsOf(await call(topicCreate, { query: { dryRun: true }, body: wanted('other') }))).toEqual(refused);
    const keyed = wanted('keyed', { keySchema: { resourceId: 'keyed' } });
    expect(errorsOf(await call(topicCreate, { body: keyed }))).toEqual([409, 'name: SubjectBelongsToOthers']);
    expect(errorsOf(await call(topicView, named('other')))).toEqual([404, 'undefined: TopicDoesNotExist']);
    // Without a key schema, the key subject is not checked.
    expect((await call(topicCreate, { query: { dryRun: true }, body: wanted('keyed') })).status).toBe(200);
  });

  /** The engines don't answer during the request, so the pipeline detects the conflict. */
  const runUnasked = async (name: string): Promise<PipelineRun> => {
    vi.spyOn(cluster.port, 'observeTopics').mockImplementationOnce(() => new Promise(() => {}));
    vi.spyOn(registry.port, 'versions').mockRejectedValueOnce(new PortFailure('unavailable', 'away'));
    onTestFinished(() => void vi.restoreAllMocks());
    return run(topicCreate, { body: wanted(name) });
  };
  test('a topic of somebody else is not touched', async () => {
    cluster.make({ name: 'berth.foreign', partitions: 1, replication: 1, configs: {} });
    const { topicId } = onCluster('foreign') ?? {};
    const failed = await runUnasked('foreign');
    expect(failed.status.steps.find(({ state }) => state === 'FAILED')).toMatchObject({
      code: 'CheckTopic',
      message: { code: 'TopicBelongsToOthers' },
    });
    expect(onCluster('foreign')).toMatchObject({ topicId });
    expect(await view('foreign')).toMatchObject({ state: 'NOT_CREATED', can: { update: 'TopicNotCreated', delete: true } });
    // Discarding keeps the topic on the cluster.
    expect(stepsOf(await run(topicDelete, named('foreign')))).toEqual([
      'DeleteKafkaTopic SKIPPED',
      'DeleteSubjects SKIPPED',
      'DeleteTopic COMPLETED',
    ]);
    expect(onCluster('foreign')).toMatchObject({ topicId });
  });

  test('a subject of somebody else is not touched, either', async () => {
    await registry.port.register('development', 'berth.taken-value', { type: 'AVRO', content: content({ name: 'x' }) });
    const failed = await runUnasked('taken');
    expect(failed.status.steps.find(({ state }) => state === 'FAILED')?.message).toMatchObject({ code: 'SubjectBelongsToOthers' });
    expect([onCluster('taken'), registry.live('development', 'berth.taken-value').length]).toEqual([undefined, 1]);
  });

  test.each([
    ['StreamingNameRefused', { reason: 'a policy of names' }],
    ['StreamingPartitionsRefused', { reason: 'at most 2' }],
    ['StreamingReplicationRefused', { maxReplication: '1' }],
    ['StreamingConfigRefused', { reason: 'segment.bytes' }],
    ['StreamingSignInRefused', {}],
  ])('what the cluster refuses is said: %s', async (code, context) => {
    vi.spyOn(cluster.port, 'createTopic').mockRejectedValue(new PortFailure('rejected', 'no', { code, context }));
    onTestFinished(() => void vi.restoreAllMocks());
    const name = code.toLowerCase();
    const failed = await run(topicCreate, { body: wanted(name) });
    expect(failed.status.steps.find(({ state }) => state === 'FAILED')?.message).toEqual({ code, context });
    expect(errorsOf(await call(topicUpdate, named(name, update(await view(name), { retentionHours: 2 }))))).toEqual([
      409,
      'undefined: TopicNotCreated',
    ]);
    expect(onCluster(name)).toBeUndefined();
  });

  test('while its pipeline runs nothing else changes it', async () => {
    const topic = await made('busy');
    cluster.isAway = true;
    const first = (await call(topicUpdate, named('busy', update(topic, { retentionHours: 2 })))).body as PipelineRun;
    expect(errorsOf(await call(topicUpdate, named('busy', update(topic, { retentionHours: 3 }))))).toEqual([
      409,
      'undefined: StreamingPipelineRunning',
    ]);
    cluster.isAway = false;
    expect((await app.ended(first.pipelineId)).status.state).toBe('COMPLETED');
  });

  test('a name is taken once, a dry run makes nothing, strangers make none', async () => {
    expect(errorsOf(await call(topicCreate, { body: wanted('events') }))).toEqual([409, 'name: TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS']);
    expect(planned((await call(topicCreate, { query: { dryRun: true }, body: wanted('dry') })).body)).toEqual({
      consequences: [
        'Makes the topic berth.dry with 3 partitions and 3 replicas, kept for 24 h.',
        'Registers a new version of berth.dry-value.',
      ],
      warnings: ['This cluster keeps 1 replicas. 3 are recorded.'],
    });
    expect(onCluster('dry')).toBeUndefined();
    expect(errorsOf(await call(topicCreate, { body: wanted('strange') }, 'stranger'))).toEqual([403, 'undefined: NotAMember']);
  });
});

describe('topicUpdate', () => {
  test('sends what differs alone, and says that messages will go', async () => {
    const topic = await made('changes', { keySchema: { resourceId: 'keyed' }, retentionHours: 48 });
    Object.assign(onCluster('changes')?.configs ?? {}, { 'max.message.bytes': '5' });
    const body = update(topic, { retentionHours: 12, partitionNumber: 5, cleanupPolicy: 'COMPACT_DELETE' });
    expect(planned((await call(topicUpdate, { ...named('changes', body), query: { dryRun: true } })).body)).toEqual({
      consequences: [
        '3 partitions become 5.',
        'Retention in hours changes from 48 to 12.',
        'Cleanup policy changes from DELETE to COMPACT_DELETE.',
      ],
      warnings: [
        'Messages older than 12 h are deleted within minutes. They were kept for 48 h.',
        'Messages of a key that come from now on may lie in another partition than those before: their order is lost once.',
        'Of messages with the same key only the newest is kept.',
      ],
    });
    expect(stepsOf(await run(topicUpdate, named('changes', body)))).toEqual([
      'ApplyTopicSettings COMPLETED',
      'AddPartitions COMPLETED',
      'UpdateTopic COMPLETED',
    ]);
    expect(await view('changes')).toMatchObject({
      spec: { retentionHours: 12, partitionNumber: 5, cleanupPolicy: 'COMPACT_DELETE' },
      draft: null,
    });
    expect(onCluster('changes')?.partitions).toHaveLength(5);
    expect(onCluster('changes')?.configs).toMatchObject({
      'retention.ms': '43200000',
      'cleanup.policy': 'compact,delete',
      'max.message.bytes': '5',
    });
  });
  test('partitions only grow, compaction needs a key, and nothing is nothing', async () => {
    const topic = await made('rules');
    const refused = async (more: object) => errorsOf(await call(topicUpdate, named('rules', update(topic, more))));
    expect(await refused({ partitionNumber: 2 })).toEqual([400, 'spec.partitionNumber: PartitionsCannotBeDecreased']);
    expect(await refused({ cleanupPolicy: 'COMPACT' })).toEqual([400, 'spec.cleanupPolicy: CompactNeedsKeySchema']);
    expect(await refused({})).toEqual([409, 'undefined: NothingChanged']);
  });
  test('keeps every setting that is omitted', async () => {
    const topic = await made('partial', { dataSecurityClassification: 'RESTRICTED', isSharable: false, retentionHours: 48 });
    await run(topicUpdate, named('partial', { description: 'In other words', spec: {} }));
    expect(await view('partial')).toMatchObject({ description: 'In other words', tags: topic.tags, spec: topic.spec });
  });
  test('a member may raise the classification, an owner may lower it', async () => {
    const topic = await made('classes');
    const change = (dataSecurityClassification: string) => named('classes', update(topic, { dataSecurityClassification }));
    expect(await run(topicUpdate, change('RESTRICTED'))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect((await view('classes')).can).toMatchObject({ update: true, lowerClassification: 'NotAnOwner' });
    const refusal = [403, 'spec.dataSecurityClassification: NotAnOwner'];
    expect(errorsOf(await call(topicUpdate, change('PUBLIC')))).toEqual(refusal);
    expect(errorsOf(await call(topicUpdate, { ...change('PUBLIC'), query: { dryRun: true } }))).toEqual(refusal);
    expect(await app.run('owner', topicUpdate, at(change('PUBLIC')))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect((await view('classes')).spec).toMatchObject({ dataSecurityClassification: 'PUBLIC' });
  });
  test('a topic that the cluster has lost is not changed there, and keeps what was wanted', async () => {
    const topic = await made('lost');
    cluster.topics.delete('berth.lost');
    const failed = await run(topicUpdate, named('lost', update(topic, { retentionHours: 2 })));
    expect(failed.status.steps[0]).toMatchObject({ state: 'FAILED', message: { code: 'TopicNotOnCluster' } });
    expect(await view('lost')).toMatchObject({ spec: { retentionHours: 24 }, draft: { spec: { retentionHours: 2 } } });
    expect(errorsOf(await call(topicStatusView, named('lost')))).toEqual([409, 'undefined: TopicNotOnCluster']);
    expect(errorsOf(await call(topicMessageList, named('lost')))).toEqual([409, 'undefined: TopicNotOnCluster']);
  });
});

describe('topicDelete', () => {
  test('names who reads it, and goes when they are confirmed', async () => {
    await made('read');
    cluster.groups = [{ group: 'vessel.model.eta', topic: 'berth.read', members: 2, committed: [] }];
    const { status, body } = await call(topicDelete, named('read'));
    expect([status, ...texts(body)]).toEqual([409, 'confirm: Still in use: vessel.model.eta. Name everybody who may be cut off.']);
    expect(planned((await call(topicDelete, { ...named('read'), query: { dryRun: true } })).body).consequences).toEqual([
      'Deletes the topic berth.read with its messages. This cannot be undone.',
      'vessel.model.eta cannot use it any more.',
    ]);
    cluster.groups = [{ group: 'stream.app', topic: 'berth.read', members: undefined, committed: [] }];
    expect(texts((await call(topicDelete, named('read'))).body)).toEqual([
      'confirm: Still in use: stream.app. Name everybody who may be cut off.',
    ]);
    expect((await call(topicStatusView, named('read'))).body).toMatchObject({ readers: [{ group: 'stream.app', members: null }] });
    await run(topicDelete, { ...named('read'), query: { confirm: 'stream.app' } });
    expect([onCluster('read'), registry.live('development', 'berth.read-value')]).toEqual([undefined, []]);
    expect(errorsOf(await call(topicView, named('read')))).toEqual([404, 'undefined: TopicDoesNotExist']);
    // The name is available again.
    await made('read');
  });
  test('an app with topics stays', async () => {
    expect(errorsOf(await app.call('owner', applicationDelete, { params: { app: 'berth' } }))).toEqual([409, 'undefined: ExistingTopics']);
  });
});

test('the list has own topics, those that others share, or both', async () => {
  await made('hidden', { isSharable: false });
  const list = async (appName: string, query: Record<string, unknown>) =>
    (
      (await app.call('stranger', topicList, { params: { app: appName, env: 'development' }, query: { size: 100, ...query } }))
        .body as Page<Topic>
    ).content.map(({ name }) => name);
  expect(await list('vessel', {})).toEqual([]);
  expect(await list('vessel', { shared: true, owned: false, query: 'event' })).toEqual(['events']);
  expect(await list('vessel', { shared: true })).not.toContain('hidden');
  expect(await list('berth', { query: 'hidden', readyOnly: true })).toEqual(['hidden']);
  expect(await list('berth', { tag: 'berth' })).toEqual(['events']);
  expect(await list('berth', { tag: 'ber' })).toEqual([]);
});

describe('drift', () => {
  const drift = async (name: string) => (await call(topicDriftView, named(name))).body as TopicDrift;
  const seen = async (name: string, count: number): Promise<TopicDrift> =>
    vi.waitFor(
      async () => {
        const found = await drift(name);
        expect(found.differences).toHaveLength(count);
        expect(found.comparedAt).not.toBeNull();
        return found;
      },
      { timeout: PATIENCE_MS },
    );

  test('is neither planned nor put back while a pipeline runs', async () => {
    const topic = await made('waits');
    cluster.isAway = true;
    const change = (await call(topicUpdate, named('waits', update(topic, { retentionHours: 2 })))).body as PipelineRun;
    const difference = { kind: 'CONFIG', name: 'segment.bytes', ours: '1', theirs: '2', canRepair: true, canAdopt: true };
    const drift = { differences: [difference], same: [] };
    await app.database.pool.query(`update topic set drift = $1 where name = 'waits'`, [drift]);
    for (const query of [{}, { dryRun: true }])
      expect(errorsOf(await call(topicReconcile, { ...named('waits', { keep: 'ours' }), query }))).toEqual([
        409,
        'undefined: StreamingPipelineRunning',
      ]);
    cluster.isAway = false;
    await app.ended(change.pipelineId);
  });

  test('is found with its cause, and put back', async () => {
    await made('drifts');
    await seen('drifts', 0);
    expect(errorsOf(await call(topicReconcile, named('drifts', { keep: 'ours' })))).toEqual([409, 'undefined: NothingToReconcile']);
    Object.assign(onCluster('drifts')?.configs ?? {}, { 'retention.ms': '7200000', 'max.message.bytes': '5' });
    await registry.port.remove('development', 'berth.drifts-value', { isPermanent: true });
    expect((await seen('drifts', 3)).differences).toMatchObject([
      { kind: 'CONFIG', name: 'retention.ms', ours: '86400000', theirs: '7200000', canRepair: true, canAdopt: true },
      { kind: 'CONFIG', name: 'max.message.bytes', ours: null, theirs: '5', canRepair: true, canAdopt: false },
      { kind: 'SUBJECT', name: 'berth.drifts-value', theirs: null, canRepair: true },
    ]);
    expect(await view('drifts')).toMatchObject({ drift: { count: 3 } });
    expect((await view('drifts')).observed?.rates).toHaveLength(30);
    const plan = await call(topicReconcile, { ...named('drifts', { keep: 'theirs' }), query: { dryRun: true } });
    expect(planned(plan.body).consequences).toEqual(['retention.ms stays 7200000, as the cluster has it.']);
    expect(stepsOf(await run(topicReconcile, named('drifts', { keep: 'ours' })))).toEqual([
      'PutBackSettings COMPLETED',
      'TakeOverSettings SKIPPED',
      'ReconcileTopic COMPLETED',
    ]);
    expect(onCluster('drifts')?.configs).toMatchObject({ 'retention.ms': '86400000' });
    expect(onCluster('drifts')?.configs).not.toHaveProperty('max.message.bytes');
    expect((await drift('drifts')).differences).toEqual([]);
  });
  test("a subject's level and the schema's own subject are compared, too, and put back", async () => {
    await made('levels');
    await seen('levels', 0);
    await registry.port.setLevel('development', 'berth.levels-value', 'NONE');
    await seen('levels', 1);
    await registry.port.remove('development', 'berth.event', { isPermanent: true });
    expect((await seen('levels', 2)).differences).toMatchObject([
      { kind: 'LEVEL', name: 'berth.levels-value compatibility', ours: 'BACKWARD', theirs: 'NONE', canRepair: true, canAdopt: false },
      { kind: 'SUBJECT', name: 'berth.event', theirs: null, canRepair: true },
    ]);
    await run(topicReconcile, named('levels', { keep: 'ours' }));
    await seen('levels', 0);
    expect(await registry.port.level('development', 'berth.levels-value')).toMatchObject({ level: 'BACKWARD' });
    expect(await registry.port.versions('development', 'berth.event')).toHaveLength(1);
  });
  test('a version that somebody else registered above ours stays, and so does its subject', async () => {
    await made('above');
    await seen('above', 0);
    await registry.port.register('development', 'berth.above-value', { type: 'AVRO', content: content({ name: 'theirs', default: '' }) });
    expect((await seen('above', 1)).differences).toMatchObject([{ kind: 'SUBJECT', theirs: '2', canRepair: false, canAdopt: false }]);
    expect(errorsOf(await call(topicReconcile, named('above', { keep: 'ours' })))).toEqual([409, 'undefined: NothingToReconcile']);
    expect(await registry.port.versions('development', 'berth.above-value')).toEqual([1, 2]);
  });
  test('what somebody else made is shown where it concerns a topic, and is no drift', async () => {
    await made('concerned');
    const rule = { resource: 'topic', pattern: 'literal', name: 'berth.concerned', user: 'auditor', host: '*', operation: 'read' } as const;
    cluster.rules = [
      { ...rule, permission: 'allow' },
      { ...rule, pattern: 'prefixed', name: 'berth.', operation: 'write', permission: 'deny' },
    ];
    await registry.port.register('development', 'berth.concerned-key', { type: 'AVRO', content: content({ name: 'id' }) });
    const found = await seen('concerned', 0);
    const plan = planned((await call(topicDelete, { ...named('concerned'), query: { dryRun: true } })).body);
    cluster.rules = [];
    expect(plan.consequences.filter((text) => text.includes('auditor'))).toEqual([
      'Deletes the access rule of auditor that somebody else made: allow read on berth.concerned.',
    ]);
    expect(found.foreign).toEqual([
      { kind: 'RULE', name: 'berth.concerned', rule: { user: 'auditor', operation: 'read', permission: 'allow', host: '*' } },
      { kind: 'RULE', name: 'berth.*', rule: { user: 'auditor', operation: 'write', permission: 'deny', host: '*' } },
      { kind: 'SUBJECT', name: 'berth.concerned-key', rule: null },
    ]);
    await run(topicDelete, named('concerned'));
    expect(await registry.port.versions('development', 'berth.concerned-key')).toEqual([1]);
  });
  test('is taken over where the platform has such a setting, and partitions with it', async () => {
    await made('adopts');
    await seen('adopts', 0);
    await cluster.port.alterTopic('development', 'berth.adopts', { partitions: 4, configs: { 'retention.ms': '7200000' } });
    await seen('adopts', 2);
    await run(topicReconcile, named('adopts', { keep: 'theirs' }));
    // The segments follow the retention.
    expect(await view('adopts')).toMatchObject({ spec: { partitionNumber: 4, retentionHours: 2 } });
    expect((await drift('adopts')).differences.map(({ name }) => name)).toEqual(['segment.ms']);
  });
  test('a lost topic is made again; one that somebody else made in its place is not touched', async () => {
    await made('vanishes');
    cluster.topics.delete('berth.vanishes');
    expect((await seen('vanishes', 1)).differences).toMatchObject([{ kind: 'MISSING' }]);
    await run(topicReconcile, named('vanishes', { keep: 'ours' }));
    expect(onCluster('vanishes')).toMatchObject({ configs: { 'retention.ms': '86400000' } });
    cluster.topics.delete('berth.vanishes');
    cluster.make({ name: 'berth.vanishes', partitions: 1, replication: 1, configs: {} });
    const taken = (found: TopicDrift) => expect(found.differences).toMatchObject([{ kind: 'MISSING', canRepair: false }]);
    await vi.waitFor(async () => taken(await drift('vanishes')), { timeout: PATIENCE_MS });
    expect(errorsOf(await call(topicReconcile, named('vanishes', { keep: 'ours' })))).toEqual([409, 'undefined: NothingToReconcile']);
    expect(onCluster('vanishes')).toMatchObject({ configs: {} });
  });
  test('while the cluster is away the last comparison is shown as old', async () => {
    await made('away');
    await seen('away', 0);
    cluster.isAway = true;
    await app.database.db
      .updateTable('topic_watch')
      .set({ compared_at: new Date(0) })
      .where('topic_id', '=', (await view('away')).id)
      .execute();
    expect(await drift('away')).toMatchObject({ isStale: true });
    expect(errorsOf(await call(topicStatusView, named('away')))).toEqual([503, 'undefined: EngineUnavailable']);
    expect((await call(streamingInfoView)).body).toMatchObject({ cluster: { state: 'UNREACHABLE' }, registry: { state: 'REACHABLE' } });
  });
});

test('status: partitions, and readers with their lag; the list shows the slowest', async () => {
  await made('lags');
  const long = new Date(Date.now() - 12 * 3_600_000);
  for (let count = 0; count < 4; count += 1) cluster.produce('berth.lags', { partition: 1, key: null, value: Buffer.from('x') }, long);
  cluster.groups = [
    { group: 'vessel.model.eta', topic: 'berth.lags', members: 1, committed: [0, 4, 0] },
    { group: 'somebody', topic: 'berth.lags', members: 0, committed: [0, 1, 0] },
  ];
  const { body } = await call(topicStatusView, named('lags'), 'stranger');
  expect(body).toMatchObject({ messages: 4, replication: 1, partitions: [{ nextOffset: 0 }, { nextOffset: 4, leader: 0 }, {}] });
  const { readers } = body as { readers: { lagOfRetention: number }[] };
  expect(readers).toMatchObject([
    { group: 'somebody', applicationCode: null, lagMessages: 3, members: 0 },
    { group: 'vessel.model.eta', applicationCode: 'vessel', account: 'model', lagMessages: 0, lagMs: 0 },
  ]);
  expect(readers[0]?.lagOfRetention).toBeCloseTo(0.5, 2);
  const slowest = async () =>
    expect((await view('lags')).observed).toMatchObject({ messages: 4, readers: 2, slowest: { group: 'somebody', lagMessages: 3 } });
  await vi.waitFor(slowest, { timeout: PATIENCE_MS });
  expect((await call(streamingInfoView)).body).toMatchObject({
    prefix: 'berth.',
    cluster: { kind: 'EMBEDDED', state: 'REACHABLE', maxReplication: 1 },
  });
});

test('the fields of a topic carry their class, for everybody', async () => {
  await made('classed');
  const { body } = await call(topicFieldsView, named('classed'), 'stranger');
  expect(body).toMatchObject({
    key: [],
    value: [
      { path: 'berth', classification: 'INTERNAL', isMasked: false },
      { path: 'pilot', classification: 'CONFIDENTIAL', isMasked: true },
    ],
    isPartial: false,
  });
});

describe('messages', () => {
  const value = { berth: 'C03', pilot: 'Ada' };
  const page = async (name: string, query: Record<string, unknown> = {}) =>
    (await call(topicMessageList, { ...named(name), query })).body as TopicMessagePage;
  const reason = 'A customer asked for it';

  test('are decoded by their schema and masked by class; a reason shows one, and is in the log', async () => {
    await made('private');
    const produced = await call(topicMessageProduce, named('private', { value, headers: [{ name: 'source', value: 'test' }] }));
    expect(produced).toMatchObject({ status: 201, body: { partition: 0, offset: '0' } });
    const { messages } = await page('private');
    expect(messages).toMatchObject([
      {
        partition: 0,
        offset: '0',
        key: { state: 'EMPTY' },
        value: {
          state: 'DECODED',
          value: { berth: 'C03', pilot: null },
          masked: [{ path: '/pilot', classification: 'CONFIDENTIAL' }],
          schema: { name: 'event', revisionId: 1 },
          sizeBytes: null,
        },
        headers: [
          { name: 'source', value: 'test' },
          { name: 'slipway-test', value: 'Mats Member' },
        ],
        isTest: true,
      },
    ]);
    expect(JSON.stringify(messages)).not.toContain('Ada');
    const shown = (await call(topicMessageReveal, named('private', { partition: 0, offset: '0', reason }))).body as TopicMessage;
    expect(shown.value).toMatchObject({ value, masked: [] });
    const { body } = await call(appActivityList);
    const entries = (body as Page<Activity>).content;
    expect(entries.find(({ type }) => type === 'topicMessageReveal')?.message).toContain(reason);
    expect(JSON.stringify(entries)).not.toContain('Ada');
  });
  test('one that is damaged says so, whoever asks for it by its offset', async () => {
    const damage = { topic: 'berth.private', partition: 0, fromOffset: 0n, toOffset: 3n, reason: 'checksum' } as const;
    cluster.damaged = [damage];
    onTestFinished(() => void (cluster.damaged = []));
    const { body } = await call(topicMessageReveal, named('private', { partition: 0, offset: '0', reason }));
    expect(body).toMatchObject({
      status: 409,
      errors: [{ code: 'MessageCannotBeShown' }],
      detail: 'This message is damaged on the broker: its checksum does not match.',
    });
  });
  test.each([
    ['no reason', { partition: 0, offset: '0' }, 'member', [400, 'reason: Required']],
    ['a short one', { partition: 0, offset: '0', reason: 'why' }, 'member', [400, 'reason: MinimumLength']],
    ['no such message', { partition: 0, offset: '99', reason }, 'member', [404, 'undefined: MessageDoesNotExist']],
    ['an administrator', { partition: 0, offset: '0', reason }, 'administrator', [403, 'undefined: NotAMember']],
    ['a stranger', { partition: 0, offset: '0', reason }, 'stranger', [403, 'undefined: NotAMember']],
  ] as const)('reveals nothing: %s', async (_, body, actor, expected) => {
    expect(errorsOf(await call(topicMessageReveal, named('private', body), actor))).toEqual(expected);
  });

  test('without a schema are text, and in a strict topic nothing at all', async () => {
    await made('free', { valueSchema: { resourceId: 'keyed' } });
    await made('strict', { valueSchema: { resourceId: 'keyed' }, dataSecurityClassification: 'RESTRICTED' });
    for (const name of ['free', 'strict']) {
      cluster.produce(`berth.${name}`, {
        key: Buffer.from('k1'),
        value: Buffer.from('hello'),
        headers: [{ key: 'h', value: Buffer.from('v') }],
      });
      cluster.produce(`berth.${name}`, { key: null, value: frame(99, {}) });
      cluster.produce(`berth.${name}`, { key: null, value: Buffer.from([0xff, 0xfe, 1]) });
    }
    const parts = async (name: string) => (await page(name, { from: 'OLDEST' })).messages.map((message) => message.value);
    expect(await parts('free')).toMatchObject([
      { state: 'TEXT', value: 'hello', sizeBytes: 5 },
      { state: 'UNREADABLE', schema: { registryId: 99, name: null }, reason: 'The registry has no such schema' },
      { state: 'UNREADABLE', hex: 'fffe01', schema: null },
    ]);
    expect(await parts('strict')).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'MASKED', value: null, hex: null, sizeBytes: null })),
    );
    expect((await page('strict', { from: 'OLDEST' })).messages[0]).toMatchObject({
      key: { state: 'MASKED' },
      headers: [{ name: 'h', value: null }],
    });
    // A message that the schema cannot read may contain its confidential fields.
    cluster.produce('berth.private', { key: null, value: Buffer.from('pilot Ada') });
    expect((await page('private')).messages[0]?.value).toMatchObject({ state: 'MASKED' });
  });

  test('that are damaged are named with their offsets, and the others are there', async () => {
    await made('damaged');
    for (let count = 0; count < 4; count += 1) cluster.produce('berth.damaged', { key: null, value: Buffer.from(String(count)) });
    cluster.damaged = [{ topic: 'berth.damaged', partition: 0, fromOffset: 1n, toOffset: 1n, reason: 'checksum' }];
    onTestFinished(() => void (cluster.damaged = []));
    const { messages, skipped } = await page('damaged', { from: 'OLDEST' });
    expect(messages.map(({ offset }) => offset)).toEqual(['0', '2', '3']);
    expect(skipped).toEqual([{ partition: 0, fromOffset: '1', toOffset: '1', reason: 'checksum' }]);
    expect(skipped.map(skippedText)).toEqual([
      { place: 'Partition 0, offset 1', why: 'This message is damaged on the broker: its checksum does not match.' },
    ]);
  });

  test('go backwards and forwards page by page across partitions, and are found by key', async () => {
    await made('pages', { valueSchema: { resourceId: 'keyed' } });
    const start = Date.now() - 60_000;
    for (let count = 0; count < 25; count += 1)
      cluster.produce(
        'berth.pages',
        { partition: count % 3, key: Buffer.from(`k${count % 5}`), value: Buffer.from(String(count)) },
        new Date(start + count),
      );
    const walk = async (query: Record<string, unknown>) => {
      const seen: string[][] = [];
      for (let next: string | null | undefined; next !== null;) {
        const found: TopicMessagePage = await page('pages', { ...query, limit: 10, ...(next ? { next } : {}) });
        seen.push(found.messages.map((message) => String(message.value.value)));
        ({ next } = found);
      }
      return seen.flat();
    };
    const all = Array.from({ length: 25 }, (_, count) => String(count));
    expect(await walk({ from: 'OLDEST' })).toEqual(all);
    expect(await walk({})).toEqual([...all].reverse());
    expect(await walk({ from: 'TIME', time: new Date(start + 20).toISOString() })).toEqual(all.slice(20));
    expect(await walk({ partition: 1, from: 'OFFSET', offset: '6' })).toEqual(['19', '22']);
    expect(await walk({ key: 'k2' })).toEqual(['22', '17', '12', '7', '2']);
    expect(errorsOf(await call(topicMessageList, { ...named('pages'), query: { from: 'OFFSET' } }))).toEqual([400, 'offset: Required']);
    vi.spyOn(cluster.port, 'browse').mockRejectedValueOnce(new PortFailure('notFound', 'no such partition'));
    expect(errorsOf(await call(topicMessageList, { ...named('pages'), query: { partition: 9 } }))).toEqual([
      400,
      'partition: PartitionDoesNotExist',
    ]);
    expect(errorsOf(await call(topicMessageList, { ...named('pages'), query: { next: 'nonsense' } }))).toEqual([400, 'next: InvalidValue']);
  });

  test.each([
    ['a value that the schema does not take', 'private', { value: { pilot: 'x' } }, [400, 'value: MessageInvalid']],
    ['no value', 'private', {}, [400, 'value: Required']],
    ['a partition that is not there', 'private', { value, partition: 9 }, [400, 'partition: PartitionDoesNotExist']],
    ['a compacted topic without a key', 'compact', { value }, [400, 'key: Required']],
  ])('are not produced: %s', async (_, name, body, expected) => {
    if (name === 'compact') await made('compact', { cleanupPolicy: 'COMPACT', keySchema: { resourceId: 'keyed' } });
    expect(errorsOf(await call(topicMessageProduce, named(name, body)))).toEqual(expected);
  });
  test.each([
    ['StreamingMessageTooLarge', 'The message is larger than the topic takes'],
    ['StreamingMessageRefused', 'The message was refused by the cluster'],
  ])('are not produced where the cluster says %s', async (code, text) => {
    vi.spyOn(cluster.port, 'produce').mockRejectedValueOnce(new PortFailure('rejected', 'no', { code }));
    expect(texts((await call(topicMessageProduce, named('private', { value }))).body)).toEqual([`value: ${text}`]);
  });
  test('are produced in development alone, and read by members alone', async () => {
    const production = { app: 'berth', env: 'production' };
    await app.run('member', schemaCreate, { params: production, body: { name: 'event', content: content({ name: 'berth' }) } });
    await app.run('member', topicCreate, { params: production, body: wanted('live') });
    const params = { ...production, topic: 'live' };
    expect(errorsOf(await app.call('member', topicMessageProduce, { params, body: { value } }))).toEqual([
      409,
      'undefined: DevelopmentOnly',
    ]);
    expect(errorsOf(await call(topicMessageList, named('private'), 'stranger'))).toEqual([403, 'undefined: NotAMember']);
  });
  test('that come are sent as they come, and what is too much is counted', async () => {
    const token = await app.signIn.token('member');
    const ending = new AbortController();
    const url = `${app.url}/api/v1/apps/berth/development/topics/private/messages/tail`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: ending.signal });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const part of answer.body ?? []) text += Buffer.from(part).toString('utf8');
    })().catch(() => undefined);
    await vi.waitFor(() => expect(text).toContain(': open'), { timeout: PATIENCE_MS });
    await vi.waitFor(
      () => {
        for (let count = 0; count < 30; count += 1) cluster.produce('berth.private', { key: null, value: frame(1, value) });
        expect(text).toContain('event: skipped');
      },
      { timeout: PATIENCE_MS, interval: 200 },
    );
    expect(text).toContain('"pilot":null');
    expect(text).not.toContain('Ada');
    ending.abort();
    await reading;
  });
});

test('a new version of a schema reaches the subject of its topic, and the topic shows it', async () => {
  await run(schemaCreate, { body: { name: 'grows', content: content({ name: 'a' }) } });
  await made('grown', { valueSchema: { resourceId: 'grows' } });
  // Simulates an observation between the registration and the row's update.
  const drift = { differences: [{ kind: 'SUBJECT', name: 'berth.grown-value', ours: 'newest', theirs: '2' }], same: [] };
  const { rows } = await app.database.pool.query<{ id: string }>(`update topic set drift = $1 where name = 'grown' returning id`, [drift]);
  await app.database.pool.query('update topic_watch set compared_at = $2 where topic_id = $1', [rows[0]?.id, new Date()]);
  await run(schemaUpdate, {
    params: { schema: 'grows' },
    body: { content: content({ name: 'a' }, { name: 'b', default: 1 }), revisionId: 1 },
  });
  expect((await view('grown')).spec.valueSchema).toMatchObject({ revisionId: 2 });
  expect((await call(topicDriftView, named('grown'))).body).toMatchObject({ differences: [] });
});

describe('promotion', () => {
  const production = { app: 'berth', env: 'production' };
  const schema = { params: { schema: 'goes' } };
  const topic = { params: { topic: 'goes' } };
  test('shows what would differ, makes what is missing, and changes what is there', async () => {
    await run(schemaCreate, { body: { name: 'goes', content: content({ name: 'a' }) } });
    const here = await made('goes', { valueSchema: { resourceId: 'goes' }, retentionHours: 48, replicationFactor: 1 });
    const differences = expect.arrayContaining([expect.objectContaining({ field: 'spec.replicationFactor', after: '3' })]);
    expect((await call(topicPromotionView, topic)).body).toMatchObject({
      isNew: true,
      missingSchemas: ['goes'],
      olderSchemas: [],
      differences,
    });
    expect(errorsOf(await call(topicPromote, topic))).toEqual([404, 'spec.valueSchema.resourceId: SchemaDoesNotExist']);
    expect((await call(schemaPromotionView, schema)).body).toMatchObject({ isNew: true, verdict: null, missingSchemas: [] });
    expect(await run(schemaPromote, schema)).toMatchObject({ pipelineType: 'CreateSchema', status: { state: 'COMPLETED' } });
    expect(planned((await call(topicPromote, { ...topic, query: { dryRun: true } })).body).warnings).toEqual(
      expect.arrayContaining(['This changes production.', 'Production gets 3 replicas, its default. Development has 1.']),
    );
    expect(await run(topicPromote, topic)).toMatchObject({ pipelineType: 'CreateTopic', status: { state: 'COMPLETED' } });
    const there = (await app.call('member', topicView, { params: { ...production, topic: 'goes' } })).body as Topic;
    expect(there).toMatchObject({ environmentClass: 'production', spec: { retentionHours: 48, replicationFactor: 3 } });
    expect((await call(topicPromotionView, topic)).body).toMatchObject({ isNew: false, differences: [], missingSchemas: [] });

    await run(topicUpdate, named('goes', update(here, { retentionHours: 72 })));
    await run(schemaUpdate, { ...schema, body: { content: content({ name: 'a' }, { name: 'b', default: 1 }), revisionId: 1 } });
    expect((await call(topicPromotionView, topic)).body).toMatchObject({
      differences: [{ field: 'spec.retentionHours', label: 'Retention in hours', before: '48', after: '72' }],
      olderSchemas: ['goes'],
    });
    expect((await call(schemaPromotionView, schema)).body).toMatchObject({
      isNew: false,
      differences: [{ field: 'content' }],
      verdict: { state: 'COMPATIBLE' },
    });
    expect(await run(topicPromote, topic)).toMatchObject({ pipelineType: 'UpdateTopic', status: { state: 'COMPLETED' } });
    expect(await run(schemaPromote, schema)).toMatchObject({ pipelineType: 'UpdateSchema', status: { state: 'COMPLETED' } });
    expect((await call(schemaPromotionView, schema)).body).toMatchObject({ differences: [] });
    expect(errorsOf(await call(schemaPromote, schema))).toEqual([409, 'undefined: NothingChanged']);
  });
  test('is refused where production is not what was looked at any more', async () => {
    const outdated = [409, 'mark: ProductionChangedMeanwhile'];
    const marked = { ...topic, body: { mark: ((await call(topicPromotionView, topic)).body as TopicPromotion).mark } };
    const there = { params: { ...production, topic: 'goes' } };
    const before = (await app.call('member', topicView, there)).body as Topic;
    await run(topicUpdate, named('goes', update(await view('goes'), { retentionHours: 96 })));
    await app.run('member', topicUpdate, { ...there, body: update(before, { retentionHours: 80 }) });
    const refused = await call(topicPromote, marked);
    expect(errorsOf(refused)).toEqual(outdated);
    expect(texts(refused.body)).toEqual([
      'mark: Production has changed since this was compared. Look at what differs now, then promote again',
    ]);
    const { mark, differences } = (await call(topicPromotionView, topic)).body as TopicPromotion;
    expect(differences).toMatchObject([{ before: '80', after: '96' }]);
    expect(await run(topicPromote, { ...topic, body: { mark } })).toMatchObject({ status: { state: 'COMPLETED' } });

    // The comparison found nothing in production, and a schema was created there since.
    await run(schemaCreate, { body: { name: 'comes', content: content({ name: 'a' }) } });
    const comes = { params: { schema: 'comes' } };
    const nothing = ((await call(schemaPromotionView, comes)).body as SchemaPromotion).mark;
    await app.run('member', schemaCreate, { params: production, body: { name: 'comes', content: content({ name: 'z' }) } });
    expect(errorsOf(await call(schemaPromote, { ...comes, body: { mark: nothing } }))).toEqual(outdated);
    expect(errorsOf(await call(schemaPromote, { ...comes, body: { mark: 7 } }))).toEqual([400, 'mark: InvalidValue']);
  });
  test('is refused where somebody comes between the look and the write', async () => {
    await run(schemaCreate, { body: { name: 'races', content: content({ name: 'a' }) } });
    const parse = registry.port.parse;
    vi.spyOn(registry.port, 'parse').mockImplementationOnce(async (...asked) => {
      await app.run('member', schemaCreate, { params: production, body: { name: 'races', content: content({ name: 'z' }) } });
      return parse(...asked);
    });
    const refused = await call(schemaPromote, { params: { schema: 'races' } });
    expect(errorsOf(refused)).toEqual([409, 'mark: ProductionChangedMeanwhile']);
  });
  test('goes from development alone', async () => {
    expect(errorsOf(await app.call('member', topicPromote, { params: { ...production, topic: 'goes' } }))).toEqual([
      409,
      'undefined: PromotionFromDevelopment',
    ]);
    expect(errorsOf(await call(schemaPromote, schema, 'stranger'))).toEqual([403, 'undefined: NotAMember']);
  });
});
