/** The impact of a settings change is computed once, in the request. Counts the queries for it until the run ends. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { openDatabase, type Database } from '#db/database.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';
import { berthOf, done, makeBerth, type Change } from './settings.fixture.ts';
import { serviceState } from './state.sql.ts';

let app: TestApp;
let own: Database;
const { apply } = berthOf(() => app);

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  own = openDatabase(app.database.config);
  await makeBerth(app);
});
afterAll(async () => {
  await own?.close();
  await app?.close();
});

/** Returns the statements sent through the pool meanwhile. The platform's own pool also carries its background work. */
const statements = async (pool: pg.Pool, during: () => Promise<unknown>): Promise<string[]> => {
  const sent: string[] = [];
  const watch = (client: pg.PoolClient): void => {
    const query = vi.spyOn(client, 'query');
    watched.push(() => {
      sent.push(
        ...query.mock.calls.map(([text]: readonly unknown[]) => (typeof text === 'string' ? text : (text as { text: string }).text)),
      );
      query.mockRestore();
    });
  };
  const watched: (() => void)[] = [];
  const known = new Set<pg.PoolClient>();
  const onAcquire = (client: pg.PoolClient): void => {
    if (known.size < known.add(client).size) watch(client);
  };
  pool.on('acquire', onAcquire);
  await during();
  pool.off('acquire', onAcquire);
  for (const end of watched) end();
  return sent;
};

test.each<[string, Change]>([
  ['a new revision', ({ spec }) => (spec.resources.memoryMegabytes += 1)],
  ['another number of instances', ({ spec }) => (spec.template.replicaScaling.count = 2)],
  ['the edge', ({ spec }) => (spec.externalTraffic.config.readTimeoutMs += 1)],
])('%s asks at most eight times what there is', async (_name, change) => {
  const row = await app.database.db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
  const names = { app: 'berth', environment: 'development', service: 'berth' } as const;
  const asking = await statements(own.pool, () => serviceState(own.db, names, row));
  expect([...(asking[0]?.matchAll(/order by "enabled" desc/g) ?? [])]).toHaveLength(1);
  let run: PipelineRun | undefined;
  const sent = await statements(app.database.pool, async () => (run = await apply(change)));
  expect(run && done(run)).toContain('UpdateService');
  // Making a revision queries secrets and replaced revisions again. Only the impact queries the revision that an activation would start.
  const times = sent.filter((text) => text === asking[0]).length;
  expect(times).toBe(1);
  expect(times * asking.length).toBeLessThanOrEqual(8);
});
