/** Tests which objects belong to the demo scene: after refusals, after interrupted runs, and when others use its names. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { teamCreate, teamDelete, teamView } from '@slipway/contract/team.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedCatalogApplication } from '#testing/fixtures.ts';
import { SceneApi, SceneFailure } from './scene-api.ts';
import { findEntry, findItem, noteItem } from './scene.sql.ts';
import { Scene } from './scene.ts';

let app: TestApp;
let scene: Scene;
const items = async () => (await app.database.db.selectFrom('demo_item').select(['kind', 'names']).orderBy('id').execute()) as object[];
const noted = async (kind: string, names: Readonly<Record<string, string>>) => {
  await noteItem(app.database.db, kind, names, 'ada');
  const item = await findItem(app.database.db, kind, names);
  if (!item) throw new Error('not noted');
  return item;
};

beforeAll(async () => {
  app = await testApp();
  const token = await app.apiToken('administrator', ['read', 'write']);
  const { database, adapters, url } = app;
  scene = new Scene({
    db: database.db,
    streaming: adapters.streaming,
    serviceUrl: '',
    api: new SceneApi({ base: url, token, signal: AbortSignal.timeout(60_000) }),
    runBy: 'ada',
    owner: 'ada',
  });
});
beforeEach(() => app.database.db.deleteFrom('demo_item').execute());
afterAll(() => app?.close());

const team = { kind: 'team', names: { team: 'fleet' } };
const makeTeam = () =>
  scene.make(team, () => scene.api.call(teamCreate, { body: { id: 'fleet', displayName: 'Fleet', ownerIds: ['ada'] } }));

test('a team that somebody else created under the name of a deleted one is not of the scene', async () => {
  await makeTeam();
  await app.run('administrator', teamDelete, { params: team.names });
  await app.run('owner', teamCreate, { body: { id: 'fleet', displayName: 'Theirs', ownerIds: ['olga'] } });
  const item = await findItem(app.database.db, team.kind, team.names);
  await expect(makeTeam()).rejects.toThrow('does not belong to the scene');
  if (item) await scene.remove(item);
  expect((await app.call('owner', teamView, { params: team.names })).body).toMatchObject({ displayName: 'Theirs' });
  expect(await items()).toEqual([]);
  await app.run('owner', teamDelete, { params: team.names });
});

test('the scene removes its own team, also after it was created again', async () => {
  await makeTeam();
  await app.run('administrator', teamDelete, { params: team.names });
  await makeTeam();
  const item = await findItem(app.database.db, team.kind, team.names);
  if (item) await scene.remove(item);
  expect((await app.call('owner', teamView, { params: team.names })).status).toBe(404);
});

test('an object whose pipeline started belongs to the scene, also if its end cannot be read', async () => {
  const started = scene.make({ kind: 'team', names: { team: 'lost' } }, async () => ({ pipelineId: 'pl-nothing' }));
  await expect(started).rejects.toThrow(SceneFailure);
  expect(await items()).toEqual([{ kind: 'team', names: { team: 'lost' } }]);
});

test('an object that the API refused does not belong to the scene, and others of the same last name stay noted', async () => {
  await noted('flag', { app: 'other', flag: 'map' });
  const refused = scene.make({ kind: 'flag', names: { app: 'nothing', flag: 'map' } }, () =>
    Promise.reject(new SceneFailure('refused', { status: 400 })),
  );
  await expect(refused).rejects.toThrow('refused');
  expect(await items()).toEqual([{ kind: 'flag', names: { app: 'other', flag: 'map' } }]);
});

test.each([
  [
    'secret group',
    `insert into secret_group (id, app_id, environment, name, created_by, created_by_name) values ('x', 'calls', 'development', 'own', 'olga', 'Olga')`,
  ],
  [
    'flag',
    `insert into flag (id, app_id, name, description, type, created_by, created_by_name, updated_by, updated_by_name) values ('x', 'calls', 'own', '', 'BOOLEAN', 'olga', 'Olga', 'olga', 'Olga')`,
  ],
  [
    'flag group',
    `insert into flag_group (id, app_id, name, description, attribute, "values", created_by, created_by_name, updated_by, updated_by_name) values ('x', 'calls', 'own', '', 'id', '{}', 'olga', 'Olga', 'olga', 'Olga')`,
  ],
])('an app with a %s of somebody else is not removed', async (title, insert) => {
  const { db, pool } = app.database;
  await seedApp(db, { id: 'calls' });
  await pool.query(insert);
  const item = await noted('application', { app: 'calls' });
  await expect(scene.remove(item)).rejects.toThrow(`The app calls has the ${title} own, which does not belong to the scene.`);
  expect(await db.selectFrom('app').select('id').where('id', '=', 'calls').executeTakeFirst()).toBeDefined();
  await db.deleteFrom('app').where('id', '=', 'calls').execute();
});

test('an entry below which others have entries stays, with its requests', async () => {
  const { db, pool } = app.database;
  await seedCatalogApplication(db, { id: 'MAC-1' });
  await pool.query(`insert into request (kind, subject_kind, subject_id, title, requested_by, requested_by_name, deciders, askers, payload, due_on)
    values ('x', 'catalogPlatform', 'PLT-0901', 'x', 'olga', 'Olga', '{}', '{}', '{}', current_date)`);
  const item = { ...(await noted('entry', { kind: 'platform', name: 'Terminal Operations' })), madeId: 'PLT-0901' };
  await expect(scene.remove(item)).rejects.toThrow('holds entries that do not belong to the scene');
  expect((await pool.query(`select from request where subject_id = 'PLT-0901'`)).rowCount).toBe(1);
});

test('another administrator completes the entries that the first one only noted', async () => {
  const { db } = app.database;
  const names = { kind: 'application', name: 'Weighing' };
  await noteItem(db, 'entry', names, 'ada');
  await noteItem(db, 'entry', names, 'olga');
  await seedCatalogApplication(db, { id: 'MAC-2', name: 'Weighing' });
  expect(await findEntry(db, names)).toBe('MAC-2');
});
