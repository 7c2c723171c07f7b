// @long (shared process): tries a fault at every step of a pipeline
/** Injects faults into every step of the schema and topic pipelines. After an undo nothing is left in the registry or on the cluster. */
import type { Transaction } from 'kysely';
import { expect } from 'vitest';
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import { TopicCreate } from '@slipway/contract/streaming/topic.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { PipelineDefinition, PipelineEngine } from '#modules/pipelines/index.ts';
import { resourceModule, settlePipeline, startOn, type AnyEntity, type Names, type SettleInput } from '#modules/resources/index.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { caller, createdBy } from '#testing/faults/fault-caller.ts';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import { seedApp } from '#testing/fixtures.ts';
import { MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';
import { schemaEntity } from './schemas/schema-entity.ts';
import { schemaSettling } from './schemas/put-back.ts';
import { schemaRow } from './schemas/schema-rows.ts';
import { topicSettling } from './topics/reconcile.ts';
import { topicEntity } from './topics/topic-entity.ts';
import { settingsOf, topicRow, wantedTopic } from './topics/topic-rows.ts';

const place = { app: 'berth', env: 'development' } as const;
const first = JSON.stringify({ fields: [{ name: 'a' }] });
const second = JSON.stringify({ fields: [{ name: 'a' }, { name: 'b', default: 1 }] });
type Input = Names & { readonly stateBefore: string };

const open = async ({ db }: TestDatabase) => {
  await seedPeople(db);
  await seedApp(db, { id: 'berth', createdAt: new Date(Date.now() - 60_000) });
  const registry = new MemoryRegistry();
  const cluster = new MemoryStreaming();
  const deps = { db, registry: registry.port, streaming: cluster.port };
  const schemas = schemaEntity(deps);
  const topics = topicEntity(deps);
  const pipelines = {
    schema: resourceModule({ db, engine: undefined as never }, schemas).deps.pipelines,
    topic: resourceModule({ db, engine: undefined as never }, topics).deps.pipelines,
  };
  // Names may contain only letters.
  const plain = (name: string): string => name.replaceAll('-', '').replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
  const namesFor = {
    schema: (name: string) => ({ ...place, schema: plain(name) }),
    topic: (name: string) => ({ ...place, topic: plain(name) }),
  };
  const insertSchema = (trx: Transaction<DB>, names: Names) =>
    schemas.create.insert({
      trx,
      caller,
      names,
      owner: undefined,
      wanted: { name: names['schema'] ?? '', type: 'AVRO', content: first, compatibility: 'BACKWARD', references: [], uses: [] },
    });
  /** Creates a schema in the state that a completed pipeline leaves. */
  const madeSchema = async (name: string) => {
    const names = namesFor.schema(name);
    await transaction(db, (trx) => insertSchema(trx, names));
    const row = (await schemaRow(db, names))!;
    const { id, version } = await registry.port.register('development', row.subject, { type: 'AVRO', content: first });
    await db
      .insertInto('event_schema_version')
      .values({
        schema_id: row.id,
        version,
        registry_id: id,
        content: first,
        pipeline_id: 'before',
        created_by: 'olga',
        created_by_name: 'Olga',
      })
      .execute();
    await db
      .updateTable('event_schema')
      .set({ state: 'ACTIVE', claim: 'before', revision_id: version, registry_id: id })
      .where('id', '=', row.id)
      .execute();
    return (await schemaRow(db, names))!;
  };
  const insertTopic = async (trx: Transaction<DB>, names: Names, schema: string) => {
    const wanted = TopicCreate.parse({ name: names['topic'], description: 'Faults', spec: { valueSchema: { resourceId: schema } } });
    await topics.create.insert({ trx, caller, names, owner: undefined, wanted });
  };
  const madeTopic = async (name: string) => {
    const names = namesFor.topic(name);
    const { id } = await madeSchema(name);
    await transaction(db, (trx) => insertTopic(trx, names, id));
    const row = (await topicRow(db, names))!;
    cluster.make(wantedTopic(deps, row));
    await registry.port.register('development', `${row.topic_name}-value`, { type: 'AVRO', content: first });
    const { topicId } = cluster.require(row.topic_name);
    await db.updateTable('topic').set({ state: 'ACTIVE', claim: 'before', cluster_topic_id: topicId }).where('id', '=', row.id).execute();
    return (await topicRow(db, names))!;
  };
  const start = async <I extends object>(
    trx: Transaction<DB>,
    engine: PipelineEngine,
    definition: PipelineDefinition<I, object>,
    what: { readonly entity: AnyEntity; readonly names: Names; readonly subject: Subject; readonly input: I },
  ) => ({ pipelineId: await startOn(engine, trx, what.entity, { ...what, definition, createdBy, trigger: 'person' }) });
  const ofSchema = (name: string, stateBefore: string) => {
    const names = namesFor.schema(name);
    return { entity: schemas, names, subject: subjectOf(schemaKind, names, { team: 'cranes' }), input: { ...names, stateBefore } };
  };
  const ofTopic = (name: string, stateBefore: string) => {
    const names = namesFor.topic(name);
    return { entity: topics, names, subject: subjectOf(topicKind, names, { team: 'cranes' }), input: { ...names, stateBefore } };
  };
  return {
    db,
    deps,
    schemas,
    registry,
    topics,
    pipelines,
    cluster,
    insertSchema,
    insertTopic,
    madeSchema,
    madeTopic,
    start,
    ofSchema,
    ofTopic,
    schema: (name: string) => schemaRow(db, namesFor.schema(name)),
    topic: (name: string) => topicRow(db, namesFor.topic(name)),
    onCluster: (name: string) => cluster.topics.get(`berth.${plain(name)}`),
    contents: (name: string, part = '') => registry.live('development', `berth.${plain(name)}${part}`).map(({ content }) => content),
    level: (name: string, part = '') => registry.levels.get(`development/berth.${plain(name)}${part}`),
  };
};
type World<I extends object = Input> = FaultWorld<I, object>;

faultSuite('a new schema', {
  steps: ['ValidateSchema', 'RegisterSchema', 'WaitForSchemaCreation', 'CreateSchema'],
  async world(database) {
    const { pipelines, insertSchema, start, ofSchema, schema, contents, level } = await open(database);
    return {
      definition: pipelines.schema.create!,
      start: async (trx, engine, faulty, name) => {
        const what = ofSchema(name, 'NOT_CREATED');
        await insertSchema(trx, what.names);
        return start(trx, engine, faulty, what);
      },
      async assertCleanSlate(name) {
        expect([contents(name), level(name)]).toEqual([[], undefined]);
        expect(await schema(name)).toMatchObject({ state: 'NOT_CREATED', claim: null, revision_id: null });
      },
      async assertDone(name) {
        expect([contents(name), level(name)]).toEqual([[first], 'BACKWARD']);
        expect(await schema(name)).toMatchObject({ state: 'ACTIVE' });
      },
    } satisfies World;
  },
});

faultSuite('a new version of a schema', {
  steps: ['CheckCompatibility', 'RegisterSchema', 'UpdateSchema'],
  async world(database) {
    const { db, pipelines, madeTopic, start, ofSchema, schema, contents } = await open(database);
    return {
      definition: pipelines.schema.update!,
      start: async (trx, engine, faulty, name) => {
        await madeTopic(name);
        const before = { content: first, compatibility: 'BACKWARD', references: [] };
        const change = JSON.stringify({ before, after: { ...before, content: second } });
        await db
          .updateTable('event_schema')
          .set({ change })
          .where('id', '=', (await schema(name))!.id)
          .execute();
        return start(trx, engine, faulty, ofSchema(name, 'ACTIVE'));
      },
      async assertCleanSlate(name) {
        expect([contents(name), contents(name, '-value')]).toEqual([[first], [first]]);
        expect(await schema(name)).toMatchObject({ content: first, revision_id: 1 });
      },
      async assertDone(name) {
        expect([contents(name), contents(name, '-value')]).toEqual([
          [first, second],
          [first, second],
        ]);
        expect(await schema(name)).toMatchObject({ content: second, state: 'ACTIVE' });
      },
    } satisfies World;
  },
});

faultSuite('a deletion of a schema', {
  steps: ['DeleteSubjects', 'DeleteSchema'],
  async world(database) {
    const { db, pipelines, madeSchema, start, ofSchema, schema, contents } = await open(database);
    return {
      definition: pipelines.schema.remove!,
      start: async (trx, engine, faulty, name) => {
        const { id } = await madeSchema(name);
        await db.updateTable('event_schema').set({ state: 'DELETING' }).where('id', '=', id).execute();
        return start(trx, engine, faulty, ofSchema(name, 'ACTIVE'));
      },
      async assertCleanSlate(name) {
        expect(await schema(name)).toMatchObject({ claim: 'before' });
      },
      async assertDone(name) {
        expect([await schema(name), contents(name)]).toEqual([undefined, []]);
      },
    } satisfies World;
  },
});

faultSuite('a new topic', {
  steps: ['CheckTopic', 'RegisterTopicSchemas', 'CreateKafkaTopic', 'WaitForTopicCreation', 'CreateTopic'],
  async world(database) {
    const { pipelines, madeSchema, insertTopic, start, ofTopic, topic, onCluster, contents, level } = await open(database);
    return {
      definition: pipelines.topic.create!,
      start: async (trx, engine, faulty, name) => {
        const { id } = await madeSchema(name);
        const what = ofTopic(name, 'NOT_CREATED');
        await insertTopic(trx, what.names, id);
        return start(trx, engine, faulty, what);
      },
      async assertCleanSlate(name) {
        expect([onCluster(name), contents(name, '-value'), level(name, '-value')]).toEqual([undefined, [], undefined]);
        expect(await topic(name)).toMatchObject({ state: 'NOT_CREATED', claim: null, cluster_topic_id: null });
        // The schema's own subject stays, since it does not belong to the topic.
        expect(contents(name)).toEqual([first]);
      },
      async assertDone(name) {
        expect([onCluster(name)?.partitions.length, contents(name, '-value')]).toEqual([3, [first]]);
        expect(await topic(name)).toMatchObject({ state: 'ACTIVE', cluster_topic_id: onCluster(name)?.topicId });
      },
    } satisfies World;
  },
});

faultSuite('a change of a topic', {
  steps: ['ApplyTopicSettings', 'AddPartitions', 'UpdateTopic'],
  async world(database) {
    const { db, pipelines, madeTopic, start, ofTopic, topic, onCluster } = await open(database);
    return {
      definition: pipelines.topic.update!,
      start: async (trx, engine, faulty, name) => {
        const row = await madeTopic(name);
        const before = settingsOf(row);
        const after = { ...before, description: 'Changed', spec: { ...before.spec, retentionHours: 2, partitionNumber: 5 } };
        await db
          .updateTable('topic')
          .set({ change: JSON.stringify({ before, after }) })
          .where('id', '=', row.id)
          .execute();
        return start(trx, engine, faulty, ofTopic(name, 'ACTIVE'));
      },
      async assertCleanSlate(name) {
        expect(await topic(name)).toMatchObject({ state: 'ACTIVE', retention_hours: 24, description: 'Faults' });
        expect(onCluster(name)?.configs).toMatchObject({ 'retention.ms': '86400000' });
        // Partitions cannot be removed, so the row shows the actual number.
        expect((await topic(name))?.partitions).toBe(onCluster(name)?.partitions.length);
      },
      async assertDone(name) {
        expect(await topic(name)).toMatchObject({ state: 'ACTIVE', retention_hours: 2, partitions: 5, description: 'Changed' });
        expect(onCluster(name)).toMatchObject({ configs: { 'retention.ms': '7200000' } });
        expect(onCluster(name)?.partitions).toHaveLength(5);
      },
    } satisfies World;
  },
});

faultSuite('a deletion of a topic', {
  steps: ['DeleteKafkaTopic', 'DeleteSubjects', 'DeleteTopic'],
  async world(database) {
    const { db, pipelines, madeTopic, start, ofTopic, topic, onCluster, contents } = await open(database);
    return {
      definition: pipelines.topic.remove!,
      start: async (trx, engine, faulty, name) => {
        const { id } = await madeTopic(name);
        await db.updateTable('topic').set({ state: 'DELETING' }).where('id', '=', id).execute();
        return start(trx, engine, faulty, ofTopic(name, 'ACTIVE'));
      },
      async assertCleanSlate(name) {
        expect(await topic(name)).toMatchObject({ claim: 'before' });
      },
      async assertDone(name) {
        expect([await topic(name), onCluster(name), contents(name, '-value')]).toEqual([undefined, undefined, []]);
      },
    } satisfies World;
  },
});

faultSuite<SettleInput, object>('a drift that is put back', {
  steps: ['PutBackSettings', 'TakeOverSettings', 'ReconcileTopic'],
  skipped: ['TakeOverSettings'],
  async world(database) {
    const { deps, topics, madeTopic, start, ofTopic, topic, onCluster } = await open(database);
    return {
      definition: settlePipeline(deps.db, topicSettling(deps, topics)),
      start: async (trx, engine, faulty, name) => {
        const row = await madeTopic(name);
        await deps.streaming.alterTopic('development', row.topic_name, { configs: { 'retention.ms': '1', 'max.message.bytes': '5' } });
        const { input: _, ...what } = ofTopic(name, 'ACTIVE');
        return start(trx, engine, faulty, { ...what, input: { ...place, topic: row.name, keep: 'ours' as const } });
      },
      async assertCleanSlate(name) {
        expect(await topic(name)).toMatchObject({ state: 'ACTIVE', retention_hours: 24 });
      },
      async assertDone(name) {
        expect(onCluster(name)?.configs).toMatchObject({ 'retention.ms': '86400000' });
        expect(onCluster(name)?.configs).not.toHaveProperty('max.message.bytes');
        expect(await topic(name)).toMatchObject({ drift: { differences: [] } });
      },
    } satisfies World<SettleInput>;
  },
});

faultSuite<SettleInput, object>("a schema's subject that is put back", {
  steps: ['PutBackSubject', 'ReconcileSchema'],
  async world(database) {
    const { deps, db, schemas, registry, madeSchema, start, ofSchema, schema, contents, level } = await open(database);
    return {
      definition: settlePipeline(deps.db, schemaSettling(deps, schemas)),
      start: async (trx, engine, faulty, name) => {
        const row = await madeSchema(name);
        await registry.port.remove('development', row.subject);
        const { input: _, ...what } = ofSchema(name, 'ACTIVE');
        return start(trx, engine, faulty, { ...what, input: { ...place, schema: row.name, keep: 'ours' as const } });
      },
      async assertCleanSlate(name) {
        expect(await schema(name)).toMatchObject({ state: 'ACTIVE', content: first });
      },
      async assertDone(name) {
        expect([contents(name), level(name)]).toEqual([[first], 'BACKWARD']);
        const row = await schema(name);
        expect(row).toMatchObject({ state: 'ACTIVE', revision_id: 2 });
        const seen = await db
          .selectFrom('schema_watch')
          .select('drift')
          .where('schema_id', '=', row?.id ?? '')
          .executeTakeFirst();
        expect(seen).toMatchObject({ drift: { differences: [] } });
      },
    } satisfies World<SettleInput>;
  },
});
