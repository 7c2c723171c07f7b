// @long (shared process): calls every write below an environment
/**
 * A write below an environment changes nothing of the same name elsewhere. Every such route of the contract is called for real, with the
 * pipeline that it starts, while things of the same names are in production and in another app: none of their rows may change, and nothing
 * that engines hold for them.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { routes } from '@slipway/contract/routes.ts';
import { secretReveal, secretVersionList, type SecretVersion } from '@slipway/contract/secret/secret-group.ts';
import { seedTopic } from '#modules/streaming/accounts/accounts.fixture.ts';
import { testApp, type TestApp } from '../app.ts';
import { seedApp, seedCatalogApplication } from '../fixtures.ts';
import { good, unhealthy } from '../programs.ts';
import { appWrites } from './app-writes.ts';
import { databaseWrites } from './database-writes.ts';
import { elsewhere } from './elsewhere.ts';
import { databasesOf, inDatabase, readEngines } from './engine-state.ts';
import { flagWrites } from './flag-writes.ts';
import { grantWrites } from './grant-writes.ts';
import { monitorWrites } from './monitor-writes.ts';
import { registryWrites } from './registry-writes.ts';
import { added, changes, kept, readRows, type Rows } from './rows.ts';
import { secretWrites, serviceWrites } from './service-writes.ts';
import { streamingWrites } from './streaming-writes.ts';
import {
  carryOut,
  eventually,
  OTHER_APP,
  OWN_APP,
  PREFIX_APP,
  SERVICE,
  SHARING_APP,
  view,
  type Place,
  type World,
  type Write,
} from './write.ts';

const RECEIVER = '127.0.0.2';
const own: Place = { app: OWN_APP, env: 'development' };
const production: Place = { app: OWN_APP, env: 'production' };
const otherApp: Place = { app: OTHER_APP, env: 'development' };
const isAppWide = ({ route }: Write): boolean => route.path.includes('/container-registry');
/** Tables that hold one row of an app for all of its environments. */
const ofApp = /^(app|app_\w+|team_apps|container_registry|registry_\w+|image_scan\w*|pipeline_name|flag|flag_state) /;

const writes: readonly Write[] = [
  ...secretWrites,
  ...serviceWrites,
  ...databaseWrites,
  ...monitorWrites,
  ...grantWrites,
  ...streamingWrites,
  ...registryWrites,
  ...flagWrites,
  ...appWrites,
];

const receiver = http.createServer((_, answer) => answer.writeHead(204).end());
let app: TestApp;
let world: World;
const namesakes = new Map<Place, Rows>();
const onEngines = new Map<Place, Rows>();
/** Rows that were there when the write before this one had ended. */
let known: Rows;

/** Once two looks see the same: nothing works on it any more. */
const settledRows = async (): Promise<Rows> => {
  let last = await readRows(app.database.pool);
  await eventually(async () => {
    const before = last;
    last = await readRows(app.database.pool);
    expect([...changes(before, last), ...added(before, last).keys()]).toEqual([]);
  });
  return last;
};
const makeApp = async (id: string): Promise<void> => {
  await seedApp(app.database.db, { id });
  await app.adapters.registry.projectEnsure(id, `app:${id}`);
  for (const repository of [SERVICE, 'unused'])
    for (const tag of ['one', 'two', 'ailing'])
      await app.adapters.builder.build({
        buildId: `build-${id}-${repository}-${tag}`,
        files: tag === 'ailing' ? unhealthy() : good(tag),
        repository: `${id}/${repository}`,
        tag,
        labels: {},
        onLog: () => {},
      });
  await app.adapters.source.createRepository({ owner: id, name: SERVICE }, good('one'), {
    message: 'Begin',
    author: 'Mats Member',
    email: 'mats@example.test',
  });
};
const makeSharingApp = async (): Promise<void> => {
  const { db } = app.database;
  await seedApp(db, { id: SHARING_APP, team: 'customs' });
  for (const environment of ['development', 'production'] as const)
    for (const name of ['releases', 'seizures'])
      await seedTopic(db, app.adapters.streaming, { app: SHARING_APP, name, environment, classification: 'RESTRICTED' });
};
const makeNamesake = async (place: Place): Promise<void> => {
  const before = await settledRows();
  if (place === otherApp) await makeApp(OTHER_APP);
  for (const write of writes.filter((one) => one.isInNamesakes && (place === otherApp || !isAppWide(one))))
    await carryOut(write, world, place);
  for (const target of await databasesOf(app, place)) await inDatabase(app, target, 'create table marker (place text)');
  const made = added(before, await settledRows());
  onEngines.set(place, await readEngines(app, place, place === otherApp));
  namesakes.set(place, place === otherApp ? made : new Map([...made].filter(([id]) => !ofApp.test(id))));
};

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, RECEIVER, resolve));
  app = await testApp({
    databaseTimings: { tickMs: 100, everyMs: 500 },
    accountTimings: { tickMs: 100, everyMs: 500, signInMs: 500 },
    outgoing: { allow: [RECEIVER] },
  });
  const { port } = receiver.address() as AddressInfo;
  world = { app, receiver: `http://${RECEIVER}:${port}/` };
  await makeApp(OWN_APP);
  await makeApp(PREFIX_APP);
  await makeSharingApp();
  await seedCatalogApplication(app.database.db, { id: 'MAC-1' });
  await makeNamesake(production);
  await makeNamesake(otherApp);
  known = await settledRows();
}, 600_000);
afterAll(async () => {
  await app?.close();
  receiver.closeAllConnections();
  receiver.close();
});

test('every write of the contract is carried out, or a reason says why it reaches no namesake', () => {
  const ids = routes.filter(({ method }) => method !== 'GET').map(({ id }) => id);
  const covered = new Set(writes.map(({ route }) => route.id));
  expect(ids.filter((id) => !covered.has(id)).toSorted()).toEqual(Object.keys(elsewhere).toSorted());
  const below = routes.filter(({ id, path }) => path.includes('{env}') && elsewhere[id] !== undefined);
  // It writes a request alone. What approval then writes is the write of the named route, which has a recipe.
  // An override of a freeze writes one row of the app, which is about production alone.
  expect(below.map(({ id }) => id).toSorted()).toEqual(['freezeOverrideCreate', 'serviceChangeRequest']);
});

test('the namesakes are there', () => {
  for (const [{ app: of, env }, rows] of namesakes) {
    const tables = new Set([...rows.keys()].map((id) => id.split(' ')[0]));
    expect([...tables], `${of}/${env}`).toEqual(
      expect.arrayContaining(['account', 'database', 'database_backup', 'event_schema', 'revision', 'secret_version', 'service', 'topic']),
    );
  }
  for (const [{ app: of, env }, entries] of onEngines) {
    const kinds = new Set([...entries.keys()].map((id) => id.split(' ')[0]));
    const wanted = ['database', 'rule', 'subject', 'topic', 'user', ...(of === OTHER_APP ? ['image', 'repository'] : [])];
    expect([...kinds].toSorted(), `${of}/${env}`).toEqual(wanted.toSorted());
  }
});

describe.each(writes.filter(({ isInNamesakes }) => isInNamesakes !== 'only'))('$route.id', (write) => {
  test('changes no namesake', { timeout: 300_000 }, async () => {
    await carryOut(write, world, own);
    const now = await settledRows();
    const isFree = (place: Place): boolean => place === production && write.reachesProduction === true;
    const found = [...namesakes].flatMap(([place, rows]) => (isFree(place) ? [] : changes(rows, now)));
    const placed = [...added(known, now)].filter(([, row]) => row['app_id'] === OTHER_APP || row['environment'] === 'production');
    // Each change is reported once, by the write that made it.
    for (const [place, rows] of namesakes) namesakes.set(place, kept(rows, now));
    known = now;
    for (const [place, before] of onEngines) {
      const after = await readEngines(app, place, place === otherApp);
      onEngines.set(place, after);
      if (!isFree(place)) found.push(...changes(before, after), ...[...added(before, after).keys()].map((id) => `${id} is new`));
    }
    expect([...found, ...(write.reachesProduction ? [] : placed.map(([id]) => `${id} is new`))]).toEqual([]);
  });
});

/** Value of the newest version. */
const opened = async (place: Place, group: string, key: string): Promise<string> => {
  const { content } = await view<Page<SecretVersion>>(world, place, secretVersionList, { group });
  const body = { key, version: content[0]?.version ?? 0, reason: 'The test reads it' };
  const { body: answer } = await app.call('member', secretReveal, { params: { ...place, group }, body });
  return isRecord(answer) ? String(answer['value']) : '';
};
test.each([production, otherApp])('$app/$env still has its secrets, and its account signs in', async (place) => {
  expect(await opened(place, 'keys', 'PASSWORD')).toBe('two');
  const password = await opened(place, 'reader-keys', 'KAFKA_PASSWORD');
  const user = await opened(place, 'reader-keys', 'KAFKA_USERNAME');
  expect(await app.adapters.streaming.canSignIn(place.env, user, password)).toBe(true);
});

test('a change that no row shows is seen on the engines', async () => {
  const before = await readEngines(app, otherApp, true);
  await app.adapters.streaming.alterTopic('development', `${OTHER_APP}.orders`, { configs: { 'retention.ms': '7200000' } });
  await app.adapters.streaming.setRights('development', `${OTHER_APP}.reader`, []);
  const found = changes(before, await readEngines(app, otherApp, true)).map((line) => line.split(':')[0]);
  expect(found).toEqual(expect.arrayContaining([`topic ${OTHER_APP}.orders.configs`, expect.stringMatching(/^rule .* is gone$/)]));
});
