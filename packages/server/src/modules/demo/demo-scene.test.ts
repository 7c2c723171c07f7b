// @long (shared process): builds and starts three programs with databases and streams
/** The demo scene with the real engines: fills every area, completes a half-filled scene, and leaves all tables as they were. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogPortfolioCreate } from '@slipway/contract/catalog/portfolio.ts';
import { demoSceneFill, demoSceneRemove, demoSceneView, type DemoScene } from '@slipway/contract/demo.ts';
import { requestList } from '@slipway/contract/request/request.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { teamCreate, teamView } from '@slipway/contract/team.ts';
import { testApp, type TestApp } from '#testing/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.adapters.builder.warm();
});
afterAll(() => app?.close());

/** Tables that keep what happened, samples and caches: they outlive what they are about, or grow while it runs. */
const history =
  /^(activity|pipeline|notice|notification_|mail_outbox|idempotency|image_|scan|api_token|registry_|schema_registry|catalog_(?!entry)|monitor_(gone|count)|platform_key|app_tally)|_(metric|sample|rate)$/;
const counts = async (): Promise<Record<string, number>> => {
  const { rows } = await app.database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of rows.filter((row) => !history.test(row.name))) {
    const { rows: counted } = await app.database.pool.query<{ n: number }>(`select count(*)::integer as n from "${name}"`);
    found[name] = counted[0]?.n ?? 0;
  }
  return found;
};
const grown = [
  'team',
  'app',
  'service',
  'database',
  'topic',
  'event_schema',
  'account',
  'secret_group',
  'flag',
  'monitor',
  'catalog_entry',
];
const objectsIn = (all: Record<string, number>) => Object.fromEntries(grown.map((table) => [table, all[table]]));
const scene = async () => (await app.call('administrator', demoSceneView)).body as DemoScene;
const settled = async (state: DemoScene['state']): Promise<DemoScene> => {
  for (;;) {
    const now = await scene();
    if (now.state === state || now.failure !== null) return now;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};
const fill = () => app.call('administrator', demoSceneFill);
const remove = () => app.call('administrator', demoSceneRemove);

test('fills every area, and removes all of it and nothing else', async () => {
  const before = await counts();
  const theirs = {
    portfolioName: 'Fleet and cargo',
    portfolioType: 'BUSINESS',
    owners: ['olga'],
    shortName: 'OURS',
    description: 'A portfolio of somebody else with the name that the scene uses.',
  };
  const made = await app.call('owner', catalogPortfolioCreate, { body: theirs, headers: { source: 'API' } });
  expect(made.body).toMatchObject({ portfolioName: 'Fleet and cargo' });
  await app.database.pool.query(`update catalog_entry set status = 'ACTIVE' where name = 'Fleet and cargo'`);
  expect(await fill()).toMatchObject({ status: 202, body: { state: 'FILLING' } });
  expect(await settled('FILLED')).toMatchObject({ failure: expect.stringContaining('entry Fleet and cargo exists and does not belong') });
  await app.database.pool.query(`delete from request where subject_kind like 'catalog%'; delete from catalog_entry`);
  await fill();
  expect(await settled('FILLED')).toMatchObject({ state: 'FILLED', failure: null, step: null });
  const filled = await counts();
  expect(await scene()).toMatchObject({ isPlatformEmpty: false });
  for (const table of grown)
    expect([table, filled[table] ?? 0]).toEqual([table, expect.toSatisfy((n: number) => n > (before[table] ?? 0))]);
  const failed = { app: 'vessel-tracker', env: 'development', service: 'vessel-tracker-forecast' };
  const { body } = await app.call('administrator', serviceView, { params: failed });
  expect((body as Service).status.replicasReady).toBe(0);
  const requests = await app.call('administrator', requestList, { query: { view: 'all', status: 'PENDING' } });
  expect(JSON.stringify(requests.body)).toContain('vessel-tracker');

  await fill();
  expect(await settled('FILLED')).toMatchObject({ failure: null });
  expect(objectsIn(await counts())).toEqual(objectsIn(filled));

  expect(await remove()).toMatchObject({ status: 202, body: { state: 'REMOVING' } });
  expect(await settled('NONE')).toMatchObject({ state: 'NONE', failure: null, objects: 0 });
  expect(await counts()).toEqual(before);
}, 120_000);

test('removes a half-filled scene, and leaves what somebody else named like a part of it', async () => {
  const before = await counts();
  const body = { id: 'cargo-services', displayName: 'Ours', ownerIds: ['olga'] };
  await app.run('owner', teamCreate, { body });
  await fill();
  expect(await settled('FILLED')).toMatchObject({ state: 'FILLING', failure: expect.stringContaining('does not belong to the scene') });
  await remove();
  expect(await settled('NONE')).toMatchObject({ state: 'NONE', objects: 0 });
  expect((await app.call('owner', teamView, { params: { team: 'cargo-services' } })).body).toMatchObject({ displayName: 'Ours' });
  expect(await counts()).toEqual({ ...before, team: (before['team'] ?? 0) + 1, team_member: (before['team_member'] ?? 0) + 1 });
}, 60_000);
