/** A run uses the impact that its request computed and fails if the settings version changed. A rerun computes the impact again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '#db/database.ts';
import { awaitRun, PipelineEngine } from '#modules/pipelines/index.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';
import type { SettingsInput } from '../pipelines/settings.steps.ts';
import { openTestService, testServiceKey, testServiceStart } from '../service.fixture.ts';
import { impactOf } from './impact.ts';
import { done } from './settings.fixture.ts';
import { settingsOf } from './settings.sql.ts';
import { serviceState } from './state.sql.ts';

let database: TestDatabase;
let yard: Awaited<ReturnType<typeof openTestService>>;
let engine: PipelineEngine;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

beforeAll(async () => {
  database = await testDatabase();
  yard = await openTestService(database, 'ROLLING_UPDATE');
  engine = new PipelineEngine({ connection: database.config, db: database.db, log: silent });
  engine.register(yard.pipelines.update);
  await engine.launch();
});
afterAll(async () => {
  await engine?.close();
  await yard?.engines.close();
  await database?.drop();
});

const actor = { id: 'tester', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };
const ended = (pipelineId: string) => awaitRun(database.db, pipelineId, actor, 40_000);

test('a run that finds another version fails and changes nothing; its re-run works out what there is to do by then', async () => {
  const { db } = database;
  const rowNow = () => db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
  const row = await rowNow();
  const before = settingsOf(row);
  const after = { ...before, spec: { ...before.spec, resources: { ...before.spec.resources, memoryMegabytes: 333 } } };
  const impact = impactOf(before, after, await serviceState(db, testServiceKey, row));
  expect(impact.restarts).not.toBe(null);
  const reason = { type: 'SETTINGS' as const, text: 'Test', commit: null, commitMessage: null };
  // Simulates a change by someone else that was made and reverted in between.
  const found = { impact, settingsVersion: row.settings_version - 1 };
  const input: SettingsInput = { ...testServiceKey, reason, before, after, found };
  const { pipelineId } = await transaction(db, (trx) => engine.start(trx, yard.pipelines.update, { ...testServiceStart, input }));
  const failed = await ended(pipelineId);
  expect([failed.status.state, done(failed), failed.status.steps[0]?.message?.code]).toEqual(['FAILED', [], 'SettingsChangedMeanwhile']);
  expect(await rowNow()).toEqual(row);
  // The service is inactive now, so the change is only saved.
  await db.updateTable('service').set({ active: false }).execute();
  await transaction(db, (trx) => engine.rerun(trx, pipelineId, 'failedStep', { id: 'olga', displayName: 'Olga' }));
  const again = await ended(pipelineId);
  expect([again.status.state, (await rowNow()).settings_version]).toEqual(['COMPLETED', row.settings_version + 1]);
});
