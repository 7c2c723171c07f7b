/**
 * The map of an app. A service uses a database or a topic if its attached secret group belongs to the database or to an account of the
 * topic. A service that reads the basic authentication of another one calls it. The edge does not know the caller of a request.
 */
import { sql } from 'kysely';
import type { MapState, ResourceMap } from '@slipway/contract/map.ts';
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import type { Db } from '#db/database.ts';
import type { Place } from '#modules/resources/index.ts';
import { lifecycle, MapBuilder, nodeId, nodeLimit, type Team } from './map-builder.ts';
import {
  accountRows,
  appRows,
  attachmentRows,
  databaseRows,
  grantRows,
  healthOf,
  schemaRows,
  serviceRows,
  topicRows,
  type AppRow,
} from './map-rows.sql.ts';

const outside = nodeId('outside', '', 'outside');
const driftState = (isDifferent: boolean): MapState => (isDifferent ? 'DIFFERS' : 'READY');
export const appNode = (row: AppRow) => ({
  name: row.id,
  app: row.id,
  team: { id: row.team_id, displayName: row.team_name },
  state: lifecycle(row.state, healthOf(row.rank)),
});

/** Adds what every signed-in person may read: services, topics and schemas. Returns the names of the services. */
const addPublic = async (db: Db, map: MapBuilder, place: Place, team: Team): Promise<readonly string[]> => {
  const at = { app: place.app, team };
  const services = await serviceRows(db, place);
  map.addAll('service', services, ({ name, state, rank }) => ({ ...at, name, state: lifecycle(state, healthOf(rank)) }));
  const called = services.filter(({ traffic, state }) => state === 'ACTIVE' && traffic !== null && traffic !== 'NONE');
  if (called.length > 0) map.addAll('outside', ['outside'], (name) => ({ name, app: null, team: null, state: null }));
  for (const { name } of called) map.join(outside, nodeId('service', place.app, name), 'CALLS');
  const topics = await topicRows(db, place);
  map.addAll('topic', topics, ({ name, state, differs, is_gone }) => {
    return { ...at, name, state: lifecycle(state, is_gone ? 'MISSING' : driftState(differs)) };
  });
  const schemas = await schemaRows(db, place);
  map.addAll('schema', schemas, ({ name, state, differs }) => ({ ...at, name, state: lifecycle(state, driftState(differs)) }));
  for (const topic of topics)
    for (const schema of topic.schemas) map.join(nodeId('topic', place.app, topic.name), nodeId('schema', place.app, schema), 'DESCRIBES');
  return services.map(({ name }) => name);
};

/** Adds databases and secret groups. Returns secret group → services that read it. */
const addAttached = async (db: Db, map: MapBuilder, place: Place, team: Team, services: readonly string[]) => {
  const at = { app: place.app, team };
  const databases = await databaseRows(db, place);
  map.addAll('database', databases, ({ name, state, active, is_read_only }) => {
    return { ...at, name, state: lifecycle(state, active ? (is_read_only ? 'READ_ONLY' : 'READY') : 'INACTIVE') };
  });
  const attached = await attachmentRows(db, place);
  map.limitEdges(attached.length);
  const own = attached.filter(({ kind }) => kind === 'USER');
  map.addAll('secretGroup', [...new Set(own.map((row) => row.secret_group))], (name) => ({ ...at, name, state: null }));
  for (const row of own) map.join(nodeId('service', place.app, row.service), nodeId('secretGroup', place.app, row.secret_group), 'SECRET');
  const readers = Map.groupBy(attached, (row) => row.secret_group);
  const connect = (group: string | null, to: string, reason: 'QUERIES' | 'CALLS') => {
    for (const { service } of readers.get(group ?? '') ?? []) map.join(nodeId('service', place.app, service), to, reason, [group ?? '']);
  };
  for (const row of databases)
    for (const group of [row.secret_group, row.reader_group]) connect(group, nodeId('database', place.app, row.name), 'QUERIES');
  for (const name of services) connect(basicAuthGroupOf(name), nodeId('service', place.app, name), 'CALLS');
  return readers;
};

/** Adds accounts that no service uses, topics of other apps, and the apps on the other side of grants. */
const addStreaming = async (db: Db, map: MapBuilder, place: Place, team: Team, readers: ReadonlyMap<string, { service: string }[]>) => {
  const { app, environment } = place;
  const accounts = await accountRows(db, place);
  // Accounts that services use are no nodes, so their cut is one of edges.
  if (accounts.length >= nodeLimit) map.limitEdges(Infinity);
  const grants = await grantRows(db, sql`${app}`, environment);
  map.limitEdges(grants.length);
  const servicesOf = new Map(accounts.map(({ name, secret_group: group }) => [name, group === null ? undefined : readers.get(group)]));
  map.addAll(
    'account',
    accounts.filter(({ name, state, drift }) => !servicesOf.get(name) || state !== 'ACTIVE' || drift === 'DRIFT'),
    ({ name, state, drift }) => ({ app, team, name, state: lifecycle(state, drift === 'DRIFT' ? 'DIFFERS' : null) }),
  );
  for (const { name } of accounts)
    for (const { service } of servicesOf.get(name) ?? []) map.join(nodeId('service', app, service), nodeId('account', app, name), 'SECRET');
  const others = new Set(grants.flatMap(({ account_app, topic_app }) => [account_app, topic_app]).filter((id) => id !== app));
  const apps = others.size === 0 ? [] : await appRows(db, sql`app.id in (${sql.join([...others])})`, environment);
  map.addAll('app', apps, appNode);
  const teams = new Map(apps.map((row) => [row.id, appNode(row).team]));
  const foreign = grants.filter(({ topic_app }) => topic_app !== app && map.has(nodeId('app', topic_app, topic_app)));
  const foreignTopics = new Map(foreign.map((row) => [nodeId('topic', row.topic_app, row.topic), row]));
  map.addAll('topic', [...foreignTopics.values()], ({ topic, topic_app }) => {
    return { name: topic, app: topic_app, team: teams.get(topic_app) ?? null, state: null };
  });
  for (const { topic, topic_app, account, account_app, operation, is_requested } of grants) {
    const topicId = nodeId('topic', topic_app, topic);
    if (topic_app !== app) map.join(nodeId('app', topic_app, topic_app), topicId, 'OWNS');
    const users = account_app === app ? (servicesOf.get(account) ?? []).map(({ service }) => nodeId('service', app, service)) : [];
    const self = account_app === app ? nodeId('account', app, account) : nodeId('app', account_app, account_app);
    for (const user of users.length > 0 ? users : [self]) {
      if (operation === 'READ') map.join(topicId, user, 'READS', [account], is_requested);
      else map.join(user, topicId, 'WRITES', [account], is_requested);
    }
  }
};

export const appMap = async (db: Db, place: Place, team: Team, isMember: boolean): Promise<ResourceMap> => {
  const map = new MapBuilder();
  const services = await addPublic(db, map, place, team);
  if (isMember) {
    const readers = await addAttached(db, map, place, team, services);
    await addStreaming(db, map, place, team, readers);
  }
  return map.build(isMember);
};
