// @long (shared process): tries a fault at every step of a pipeline
/** Injects faults into every step of a stream's pipeline, on a real broker. After an undo no row, subject, topic, rule or user is left. */
import { Requests } from '#modules/requests/index.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { StreamCreate } from '@slipway/contract/streaming/stream.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { createLog } from '#kernel/log.ts';
import { setEntity, startOn } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import { seedApp } from '#testing/fixtures.ts';
import { freePort } from '#testing/free-port.ts';
import { MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { makeStreaming } from '../../../choose-adapters.ts';
import { accountEntity } from '../accounts/account-entity.ts';
import { createPasswordSeals } from '../accounts/password-seals.ts';
import { seedTopic } from '../accounts/accounts.fixture.ts';
import { schemaEntity } from '../schemas/schema-entity.ts';
import { topicEntity } from '../topics/topic-entity.ts';
import { madeNames, partNames, reserveParts, type StreamInput } from './stream-parts.ts';
import { streamPipeline } from './stream-pipeline.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-stream-faults-'));
const ports = { development: await freePort(), production: await freePort() };
/** Both suites share one broker. Each has its own app. */
const { streaming } = makeStreaming(
  { streaming: { kind: 'embedded', host: '127.0.0.1', advertisedHost: '127.0.0.1', ports }, dataDir },
  { passwordKey: async () => Buffer.from('the broker of the faults'), floorBytes: 0, log: createLog('silent') },
);
afterAll(async () => {
  await streaming.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const createdBy = { id: 'olga', displayName: 'Olga Owner' };
const by = { ...createdBy, origin: 'console' } as const;
const env = 'development';
const content = JSON.stringify({ fields: [{ name: 'a' }] });
const steps = [
  'ReserveNames',
  'ValidateSchema',
  'RegisterSchema',
  'WaitForSchemaCreation',
  'CheckTopic',
  'RegisterTopicSchemas',
  'CreateKafkaTopic',
  'WaitForTopicCreation',
  'ApplyAccessRules',
  'CreateClusterUser',
  'WaitForCredentialsCreation',
  'HandOverPassword',
  'CreateStream',
];

/** Names may contain only letters. */
const plain = (name: string): string => name.replaceAll(/[^a-z]/g, (sign) => String.fromCharCode(97 + (sign.charCodeAt(0) % 26)));

const open = async ({ db, pool }: TestDatabase, app: string) => {
  await seedPeople(db);
  await seedApp(db, { id: app, createdAt: new Date(Date.now() - 60_000) });
  const registry = new MemoryRegistry();
  const keys = new FileKeys(join(dataDir, 'keys'));
  const deps = {
    db,
    streaming,
    registry: registry.port,
    secrets: { db, vault: createVault(pool, keys) },
    seals: createPasswordSeals(pool, keys),
    requests: new Requests(),
    signInMs: 2000,
    registryUrl: () => 'http://faults/schema-registry/development',
  };
  const entities = { schema: schemaEntity(deps), topic: topicEntity(deps), account: accountEntity(deps) };
  const inputOf = (name: string, body: object): StreamInput => {
    const topic = plain(name);
    const { schema, ...wish } = StreamCreate.parse({ topic: { name: topic, description: 'Faults', spec: {} }, ...body });
    return { app, env, topic, team: 'cranes', wish: { ...wish, ...(schema && { schema: { ...schema, uses: [] } }) } };
  };
  const start: (...args: [...Parameters<FaultWorld<StreamInput, object>['start']>, object]) => Promise<{ pipelineId: string }> = async (
    trx,
    engine,
    definition,
    name,
    body,
  ) => {
    const input = inputOf(name, body);
    await reserveParts({ trx, entities, input, by });
    const names = { app, env, topic: input.topic };
    const subject = subjectOf(topicKind, names, { team: 'cranes' });
    const pipelineId = await startOn(engine, trx, entities.topic, { names, definition, input, subject, createdBy, trigger: 'person' });
    for (const part of partNames) {
      const made = madeNames(part, input);
      if (made) await setEntity(trx, entities[part], made, { pipeline_id: pipelineId });
    }
    const joined = input.wish.account && !input.wish.account.isNew ? { app, env, account: input.wish.account.name } : undefined;
    if (joined) await setEntity(trx, entities.account, joined, { pipeline_id: pipelineId });
    return { pipelineId };
  };
  const user = (name: string): string => `${app}.${plain(name)}`;
  /** Reads the state from the engines. */
  const onEngines = async (name: string, account = user(name)) => ({
    subjects: ['', '-value'].map((end) => registry.live(env, `${user(name)}${end}`).length),
    topic: (await streaming.listTopics(env, user(name))).includes(user(name)),
    users: (await streaming.listUsers(env, account)).filter((one) => one === account),
    rules: (await streaming.listRules(env, { user: account })).map((rule) => `${rule.operation} ${rule.name}`).toSorted(),
  });
  const rows = async (name: string) => ({
    schemas: await db.selectFrom('event_schema').select('state').where('name', '=', plain(name)).execute(),
    topics: await db.selectFrom('topic').select('state').where('name', '=', plain(name)).execute(),
    accounts: await db.selectFrom('account').select('state').where('name', '=', plain(name)).execute(),
  });
  return { db, deps, entities, start, onEngines, rows, user, definition: streamPipeline({ ...deps, entities }).definition };
};

faultSuite('a stream with everything new', {
  steps,
  async world(database) {
    const { db, start, onEngines, rows, user, definition } = await open(database, 'everything');
    const groups = (name: string) =>
      db
        .selectFrom('secret_group')
        .select('name')
        .where('name', '=', `${plain(name)}-kafka`)
        .execute();
    return {
      definition,
      start: (trx, engine, faulty, name) => {
        const own = plain(name);
        return start(trx, engine, faulty, name, {
          schema: { name: own, content },
          account: { name: own, secretGroup: `${own}-kafka` },
        });
      },
      async assertCleanSlate(name) {
        expect(await onEngines(name)).toEqual({ subjects: [0, 0], topic: false, users: [], rules: [] });
        expect(await rows(name)).toEqual({ schemas: [], topics: [], accounts: [] });
        expect(await groups(name)).toEqual([]);
      },
      async assertDone(name) {
        const own = user(name);
        expect(await onEngines(name)).toEqual({
          subjects: [1, 1],
          topic: true,
          users: [own],
          rules: [`read ${own}`, `read ${own}.`, `write ${own}`],
        });
        const active = [{ state: 'ACTIVE' }];
        expect(await rows(name)).toEqual({ schemas: active, topics: active, accounts: active });
        expect(await groups(name)).toHaveLength(1);
      },
    };
  },
});

faultSuite('a stream with a schema and an account that are there', {
  steps,
  faultsAt: ['ReserveNames', 'CreateKafkaTopic', 'ApplyAccessRules', 'CreateStream'],
  skipped: [
    'ValidateSchema',
    'RegisterSchema',
    'WaitForSchemaCreation',
    'CreateClusterUser',
    'WaitForCredentialsCreation',
    'HandOverPassword',
  ],
  async world(database) {
    const { db, start, onEngines, rows, user, definition } = await open(database, 'joining');
    await seedTopic(db, streaming, { app: 'joining', name: 'orders' });
    await db.updateTable('event_schema').set({ content }).execute();
    const made = async (name: string): Promise<void> => {
      const by = { created_by: 'olga', created_by_name: 'Olga Owner' };
      const own = {
        id: `ka_${plain(name)}`,
        app_id: 'joining',
        environment: env,
        name: plain(name),
        description: '',
        state: 'ACTIVE',
      } as const;
      await db
        .insertInto('account')
        .values({ ...own, ...by, principal: user(name), group_prefix: `${user(name)}.` })
        .execute();
    };
    return {
      definition,
      start: async (trx, engine, faulty, name) => {
        await made(name);
        return start(trx, engine, faulty, name, {
          topic: { name: plain(name), description: 'Faults', spec: { valueSchema: { resourceId: 'orders' } } },
          account: { name: plain(name), isNew: false, operations: ['WRITE'] },
        });
      },
      async assertCleanSlate(name) {
        expect(await onEngines(name)).toEqual({ subjects: [0, 0], topic: false, users: [], rules: [] });
        expect(await rows(name)).toEqual({ schemas: [], topics: [], accounts: [{ state: 'ACTIVE' }] });
      },
      async assertDone(name) {
        expect(await onEngines(name)).toEqual({ subjects: [0, 1], topic: true, users: [], rules: [`write ${user(name)}`] });
        expect(await rows(name)).toMatchObject({ topics: [{ state: 'ACTIVE' }], accounts: [{ state: 'ACTIVE' }] });
      },
    };
  },
});
