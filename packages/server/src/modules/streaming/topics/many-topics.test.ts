/** Observing many topics and accounts takes as many requests as observing a few: a fixed number per batch. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '#db/database.ts';
import type { Streaming } from '#ports/streaming.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { PortFailure } from '#ports/failure.ts';
import { entityPage } from '#modules/resources/index.ts';
import { readBy } from '#testing/load/rows-read.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import { loadApp, seedStreamingLoad } from '#testing/load/streaming-load.ts';
import { MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';
import { compareAll } from '../accounts/access-rules.ts';
import { noteCompared } from '../accounts/account-watcher.ts';
import { observeTopics } from './observe-topic.ts';
import { schemaEntity } from '../schemas/schema-entity.ts';
import { topicEntity } from './topic-entity.ts';
import type { WatchedTopic } from './topic-rows.ts';

const TOPICS = 750;
const ACCOUNTS = 100;
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const client = await database.pool.connect();
  await seedStreamingLoad(client, { topics: TOPICS, accounts: ACCOUNTS, member: 'olga' });
  client.release();
});
afterAll(() => database?.drop());

/** Counts calls by method. */
const counting = <Port extends object>(port: Port, calls: Record<string, number>): Port =>
  new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]): unknown => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return Reflect.apply(value, target, input);
      };
    },
  });
/** Returns the number of statements sent to the database meanwhile. */
const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const prototype = pg.Client.prototype as { query: (this: pg.Client, ...args: unknown[]) => unknown };
  const { query } = prototype;
  let count = 0;
  prototype.query = function (...args) {
    if (this.database === database.config.database) count += 1;
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return count;
};
const topicRows = async (db: Db, count: number): Promise<WatchedTopic[]> =>
  db
    .selectFrom('topic')
    .leftJoin('topic_watch', 'topic_watch.topic_id', 'topic.id')
    .selectAll('topic')
    .select('topic_watch.compared_at')
    .orderBy('topic.id')
    .limit(count)
    .execute();

test('topics: one survey, and for each 250 one look at the registry and the same few statements', async () => {
  const { db } = database;
  const [cluster, registry] = [new MemoryStreaming(), new MemoryRegistry()];
  for (const { topic_name: name } of await topicRows(db, TOPICS))
    cluster.make({ name, partitions: 1, replication: 1, configs: { 'retention.ms': '1' } });
  const look = async (count: number) => {
    const calls: Record<string, number> = {};
    const deps = { db, streaming: counting<Streaming>(cluster.port, calls), registry: counting<SchemaRegistry>(registry.port, calls) };
    const rows = await topicRows(db, count);
    const statements = await statementsOf(async () => expect(await observeTopics(deps)(rows, 'development')).toBe(true));
    return { calls, statements };
  };
  const few = await look(10);
  const many = await look(TOPICS);
  expect(few.calls).toEqual({ surveyTopics: 1, heads: 1 });
  expect(many.calls).toEqual({ surveyTopics: 1, heads: 3 });
  expect(many.statements).toBe(few.statements * 3);
  const { drift } = (await topicRows(db, 1))[0]!;
  expect(drift?.differences.map(({ kind }) => kind)).toContain('SUBJECT');
});

test('a topic that the registry fails for does not stop the others', async () => {
  const { db } = database;
  const [cluster, registry] = [new MemoryStreaming(), new MemoryRegistry()];
  const rows = await topicRows(db, 300);
  const [first] = rows;
  const subject = `${first?.topic_name}-value`;
  // The id in the registry differs from the row's, so the contents are compared.
  await registry.port.register('development', subject, { type: 'JSON', content: '{"fields":[]}' });
  const failing = (error: Error): SchemaRegistry => ({ ...registry.port, lookup: () => Promise.reject(error) });
  const look = (error: Error) => observeTopics({ db, streaming: cluster.port, registry: failing(error) })(rows, 'development');
  const compared = async (): Promise<(Date | null)[]> => (await topicRows(db, 300)).map(({ compared_at: at }) => at);
  const before = await compared();
  const broken = new PortFailure('rejected', 'The subject is broken');
  await expect(look(broken)).rejects.toBe(broken);
  const after = await compared();
  expect(after.map((at, index) => at?.getTime() === before[index]?.getTime())).toEqual(rows.map(({ id }) => id === first?.id));
});

test('what has not changed is not written anew', async () => {
  const { db } = database;
  const [cluster, registry] = [new MemoryStreaming(), new MemoryRegistry()];
  const versions = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ xmin: string }>('select xmin::text from topic order by id limit 20');
    return rows.map(({ xmin }) => xmin);
  };
  const look = async () => observeTopics({ db, streaming: cluster.port, registry: registry.port })(await topicRows(db, 20), 'development');
  await look();
  const before = await versions();
  await look();
  expect(await versions()).toEqual(before);
});

const caller = { id: 'olga', memberOf: new Set<string>(), isAutomation: false, isAdministrator: false } as unknown as Caller;

test('the last page of a list works out nothing for the rows that it passes over', async () => {
  const { db, pool } = database;
  const entity = topicEntity({ db, streaming: new MemoryStreaming().port, registry: new MemoryRegistry().port });
  const page = (number: number) => () =>
    entityPage(db, entity, { names: { app: loadApp, env: 'development' }, query: { page: number, size: 25 }, caller });
  const [first, last] = [await readBy(pool, page(0)), await readBy(pool, page(29))];
  expect(last.rows).toBeLessThan(first.rows + TOPICS);
});

test('a page of schemas finds the topics of each by an index', async () => {
  const { db, pool } = database;
  const entity = schemaEntity({ db, streaming: new MemoryStreaming().port, registry: new MemoryRegistry().port });
  const asked = { names: { app: loadApp, env: 'development' }, query: { page: 0, size: 25 }, caller };
  const { rows } = await readBy(pool, () => entityPage(db, entity, asked));
  // Each schema has five topics. Without the index, all topics would be read 25 times.
  expect(rows).toBeLessThan(10 * TOPICS);
});

test('accounts: the users and rules of the cluster once, and the same few statements', async () => {
  const { db } = database;
  const rows = await db.selectFrom('account').selectAll().where('app_id', '=', loadApp).orderBy('id').execute();
  const rule = { resource: 'topic', pattern: 'literal', host: '*', permission: 'allow', operation: 'read' } as const;
  const rules = (await db.selectFrom('account_rule').selectAll().execute()).map((made) => ({ ...rule, ...made, user: made.cluster_user }));
  const cluster = new MemoryStreaming();
  cluster.rules = [...rules.slice(1), { ...rule, name: 'somebodys.topic', user: 'somebody' }];
  const look = async (count: number) => {
    const calls: Record<string, number> = {};
    const port = counting<Streaming>({ ...cluster.port, listUsers: async () => rows.map(({ principal }) => principal) }, calls);
    const statements = await statementsOf(async () => {
      const compared = await compareAll({ db, streaming: port }, rows.slice(0, count));
      const same = [...compared].filter(([, { rules: all }]) => all.every(({ state }) => state === 'THERE'));
      await noteCompared(
        db,
        rows.slice(0, count).map((row) => ({ ...row, drift: 'NONE' as const })),
        new Map(same),
      );
    });
    return { calls, statements };
  };
  const few = await look(2);
  const many = await look(ACCOUNTS);
  expect(few.calls).toEqual({ listUsers: 1, listRules: 1 });
  expect(many).toEqual(few);
});
