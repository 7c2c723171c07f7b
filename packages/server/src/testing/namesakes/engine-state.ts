/**
 * State of the engines under the names of one app and environment, in the form of rows. A write that changes only the engine of a namesake
 * and none of its rows shows here.
 */
import { createClient } from '#db/connections.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { DatabaseTarget } from '#ports/databases.ts';
import type { TestApp } from '../app.ts';
import type { Row, Rows } from './rows.ts';
import type { Place } from './write.ts';

type Entry = readonly [id: string, row: Row];
const onBroker = async ({ adapters: { streaming } }: TestApp, { app, env }: Place): Promise<Entry[]> => {
  const own = `${app}.`;
  const names = await streaming.listTopics(env, own);
  const topics = await streaming.observeTopics(env, names);
  const figures = await streaming.measureTopics(env, names);
  const users = await streaming.listUsers(env, own);
  const rules = await streaming.listRules(env, 'all');
  return [
    ...names.map((name): Entry => {
      const { topicId, partitions, replication, configs } = topics.get(name) ?? {};
      const ends = figures.get(name)?.map(({ partition, nextOffset }) => `${partition}: ${nextOffset}`);
      return [`topic ${name}`, { topicId, partitions: partitions?.length, replication, configs, ends }];
    }),
    ...users.map((user): Entry => [`user ${user}`, {}]),
    ...rules
      .filter(({ user, name }) => user.startsWith(own) || name.startsWith(own))
      .map((rule): Entry => [`rule ${Object.values(rule).join(' ')}`, {}]),
  ];
};

const inSchemaRegistry = async ({ adapters: { schemaRegistry } }: TestApp, { app, env }: Place): Promise<Entry[]> =>
  mapLimited(await schemaRegistry.subjects(env, `${app}.`), async (subject): Promise<Entry> => {
    const newest = await schemaRegistry.version(env, subject, 'latest');
    return [
      `subject ${subject}`,
      { ...newest, versions: await schemaRegistry.versions(env, subject), level: await schemaRegistry.level(env, subject) },
    ];
  });

const insideSql = `select (select oid from pg_database where datname = current_database()) as oid,
  (select datconnlimit from pg_database where datname = current_database()) as limit,
  (select json_agg(r order by rolname) from (select rolname, oid, rolcanlogin, rolconnlimit, rolconfig from pg_roles
    where starts_with(rolname, current_database())) r) as roles,
  (select json_agg(relname order by relname) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as tables`;

/** Runs a statement in a database as its owner. */
export const inDatabase = async ({ adapters: { databases } }: TestApp, target: DatabaseTarget, sql: string): Promise<Row[]> => {
  const { owner, sslMode: _, ...login } = await databases.maintenance(target);
  const client = createClient(login);
  await client.connect();
  try {
    await client.query(`set role ${owner}`);
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
};
export const databasesOf = async ({ database: { db } }: TestApp, { app, env }: Place): Promise<DatabaseTarget[]> => {
  const columns = ['region', 'server_name as database'] as const;
  return db.selectFrom('database').select(columns).where('app_id', '=', app).where('environment', '=', env).execute();
};
const onDatabaseServer = async (app: TestApp, place: Place): Promise<Entry[]> =>
  mapLimited(await databasesOf(app, place), async (target): Promise<Entry> => {
    const { isAccepting, writes, maxConnections, logins } = (await app.adapters.databases.observe(target)) ?? {};
    const [inside] = await inDatabase(app, target, insideSql);
    return [`database ${target.database}`, { isAccepting, writes, maxConnections, logins, ...inside }];
  });

const ofWholeApp = async ({ adapters: { registry, source } }: TestApp, { app }: Place): Promise<Entry[]> => {
  const images = await mapLimited(await registry.repositories(app), ({ repository }) => registry.tags(repository));
  const repositories = await source.repositories(app);
  return [
    ...images.flat().map(({ repository, digest, tags }): Entry => [`image ${repository}@${digest}`, { tags }]),
    ...repositories.map(({ ref, headCommit }): Entry => [`repository ${ref.owner}/${ref.name}`, { headCommit }]),
  ];
};

/** `isWholeApp`: includes images and git repositories, which an app has once for both environments. */
export const readEngines = async (app: TestApp, place: Place, isWholeApp: boolean): Promise<Rows> => {
  const parts = [onBroker, inSchemaRegistry, onDatabaseServer, ...(isWholeApp ? [ofWholeApp] : [])];
  return new Map((await mapLimited(parts, (part) => part(app, place))).flat());
};
