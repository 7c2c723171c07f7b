/** What a change of settings does is worked out once, in the request: how often the rows are asked for it, until the run has ended. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';
import { berthOf, done, makeBerth, type Change } from './settings.fixture.ts';
import { serviceState } from './state.sql.ts';

let app: TestApp;
const { apply } = berthOf(() => app);

beforeAll(async () => {
  app = await testApp({ templates: async () => good('one') });
  await makeBerth(app);
});
afterAll(() => app?.close());

/** The texts of the statements that the platform sends meanwhile. */
const statements = async (during: () => Promise<unknown>): Promise<string[]> => {
  const { pool } = app.database;
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
  const { db } = app.database;
  const row = await db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
  const asking = await statements(() => serviceState(db, { app: 'berth', environment: 'development', service: 'berth' }, row));
  expect([...(asking[0]?.matchAll(/order by "enabled" desc/g) ?? [])]).toHaveLength(1);
  let run: PipelineRun | undefined;
  const sent = await statements(async () => (run = await apply(change)));
  expect(run && done(run)).toContain('UpdateService');
  // Secrets and what is replaced are asked for again where a revision is made. What an activation would start is asked here alone.
  const times = sent.filter((text) => text === asking[0]).length;
  expect(times).toBe(1);
  expect(times * asking.length).toBeLessThanOrEqual(8);
});
