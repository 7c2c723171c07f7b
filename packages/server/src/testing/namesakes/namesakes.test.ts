/**
 * A write below an environment changes nothing of the same name elsewhere. Every such route of the contract is called for real, with the
 * pipeline that it starts, while things of the same names are in production and in another app: none of their rows may change.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '@slipway/contract/routes.ts';
import { testApp, type TestApp } from '../app.ts';
import { seedApp } from '../fixtures.ts';
import { good } from '../programs.ts';
import { databaseWrites } from './database-writes.ts';
import { registryWrites } from './registry-writes.ts';
import { added, changes, kept, readRows, type Rows } from './rows.ts';
import { secretWrites, serviceWrites } from './service-writes.ts';
import { streamingWrites } from './streaming-writes.ts';
import { carryOut, eventually, OTHER_APP, OWN_APP, SERVICE, type Place, type World, type Write } from './write.ts';

const RECEIVER = '127.0.0.2';
const own: Place = { app: OWN_APP, env: 'development' };
const production: Place = { app: OWN_APP, env: 'production' };
const otherApp: Place = { app: OTHER_APP, env: 'development' };
const isAppWide = ({ route }: Write): boolean => route.path.includes('/container-registry');
/** Tables that hold one row of an app for all of its environments. */
const ofApp = /^(app|app_\w+|team_apps|container_registry|registry_\w+|image_scan\w*|pipeline_name) /;

const writes: readonly Write[] = [...secretWrites, ...serviceWrites, ...databaseWrites, ...streamingWrites, ...registryWrites];

const receiver = http.createServer((_, answer) => answer.writeHead(204).end());
let app: TestApp;
let world: World;
const namesakes = new Map<Place, Rows>();
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
    for (const tag of ['one', 'two'])
      await app.adapters.builder.build({
        buildId: `build-${id}-${repository}-${tag}`,
        files: good(tag),
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
const makeNamesake = async (place: Place): Promise<void> => {
  const before = await settledRows();
  if (place === otherApp) await makeApp(OTHER_APP);
  for (const write of writes.filter((one) => one.isInNamesakes && (place === otherApp || !isAppWide(one))))
    await carryOut(write, world, place);
  const made = added(before, await settledRows());
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
  await makeApp('quay');
  await makeNamesake(production);
  await makeNamesake(otherApp);
  known = await settledRows();
}, 600_000);
afterAll(async () => {
  await app?.close();
  receiver.closeAllConnections();
  receiver.close();
});

test('every write route below an environment is carried out', () => {
  const covered = new Set(writes.map(({ route }) => route.id));
  const missing = routes.filter(({ method, path, id }) => method !== 'GET' && path.includes('{env}') && !covered.has(id));
  expect(missing.map(({ id }) => id)).toEqual([]);
});

test('the namesakes are there', () => {
  for (const [{ app: of, env }, rows] of namesakes) {
    const tables = new Set([...rows.keys()].map((id) => id.split(' ')[0]));
    expect([...tables], `${of}/${env}`).toEqual(
      expect.arrayContaining(['account', 'database', 'database_backup', 'event_schema', 'revision', 'secret_version', 'service', 'topic']),
    );
  }
});

describe.each(writes)('$route.id', (write) => {
  test('changes no namesake', { timeout: 300_000 }, async () => {
    await carryOut(write, world, own);
    const now = await settledRows();
    const isFree = (place: Place): boolean => place === production && write.reachesProduction === true;
    const found = [...namesakes].flatMap(([place, rows]) => (isFree(place) ? [] : changes(rows, now)));
    const placed = [...added(known, now)].filter(([, row]) => row['app_id'] === OTHER_APP || row['environment'] === 'production');
    // Each change is reported once, by the write that made it.
    for (const [place, rows] of namesakes) namesakes.set(place, kept(rows, now));
    known = now;
    expect([...found, ...(write.reachesProduction ? [] : placed.map(([id]) => `${id} is new`))]).toEqual([]);
  });
});
