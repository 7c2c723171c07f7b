// @long (shared process): tries a fault at every step of a pipeline
/** Generated fault tests for settings changes: any failure restores settings, edge and revision. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { Db } from '#db/database.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import type { TestDatabase } from '#testing/database.ts';
import { servesAlone } from '#testing/service-state.ts';
import { hint } from './rollout.sql.ts';
import type { SettingsInput, SettingsState } from './settings.steps.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { openTestService, settingsSteps as steps, testServiceKey, testServiceStart } from '../service.fixture.ts';

const rowOf = (db: Db) => db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
/** State before an activation. */
const stopped = { answer: '404', serving: [], live: [{ tag: 'one', enabled: true, wanted: 0, status: 'NO_INSTANCES' }] };
type Change = (settings: ServiceSettings) => void;

interface Expected {
  readonly change: Change;
  /** Number of instances before and after. 0 if inactive. */
  readonly replicas?: (settings: ServiceSettings) => number;
  /** State before each test. Defaults to the state that the previous test left. */
  readonly isActive?: boolean;
}

const makeActive = async (db: Db, state: Awaited<ReturnType<typeof openTestService>>['state'], active: boolean): Promise<void> => {
  const row = await rowOf(db);
  if (row.active === active) return;
  const newest = sql<string[]>`array(select name from revision where enabled and status <> 'DELETED' order by number desc limit 1)`;
  await db
    .updateTable('service')
    .set({ active, serving: active ? newest : [] })
    .execute();
  await sql`update revision set status = 'PENDING', replicas_wanted = ${active ? 1 : 0}::int where enabled and status <> 'DELETED'`.execute(
    db,
  );
  await hint(db, testServiceKey);
  await until('the reset', async () => (await state()).processes === (active ? 1 : 0));
};
const world =
  ({ change, replicas = () => 1, isActive }: Expected) =>
  async (database: TestDatabase): Promise<FaultWorld<SettingsInput, SettingsState>> => {
    const { db } = database;
    const yard = await openTestService(database, 'ROLLING_UPDATE');
    let input: SettingsInput;
    let edge: unknown;
    const expectSettings = async (wanted: ServiceSettings): Promise<void> => {
      const count = wanted.active ? replicas(wanted) : 0;
      const state = count === 0 ? stopped : servesAlone('one', count);
      await expect.poll(yard.state).toMatchObject({ ...state, processes: count });
      const now = settingsOf(await rowOf(db));
      expect([serviceChanges(wanted, now), now.active]).toEqual([[], wanted.active]);
    };
    return {
      definition: yard.pipelines.update,
      start: async (trx, engine, faulty) => {
        if (isActive !== undefined) await makeActive(db, yard.state, isActive);
        const row = await rowOf(trx);
        edge = row.edge;
        const before = settingsOf(row);
        const after = JSON.parse(JSON.stringify(before)) as ServiceSettings;
        change(after);
        const reason = { type: 'SETTINGS' as const, text: 'Test', commit: null, commitMessage: null };
        input = { ...testServiceKey, reason, before, after };
        return engine.start(trx, faulty, { ...testServiceStart, input });
      },
      async assertCleanSlate() {
        await expectSettings(input.before);
        expect((await rowOf(db)).edge).toEqual(edge);
      },
      async assertDone() {
        await expectSettings(input.after);
        const { edge: applied } = await rowOf(db);
        expect(applied).toMatchObject({ externalTraffic: { config: input.after.spec.externalTraffic.config } });
      },
      close: () => yard.engines.close(),
    };
  };

/** Each call sets a new value. */
const otherEdge: Change = ({ spec }) => (spec.externalTraffic.config.readTimeoutMs += 1);
const otherMemory: Change = ({ spec }) => (spec.resources.memoryMegabytes += 1);

faultSuite<SettingsInput, SettingsState>('settings that restart and change the edge', {
  steps,
  // The other steps do nothing, or the rollout suites cover them.
  faultsAt: ['UpdateService', 'CreateRevision', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
  world: world({
    change: (settings) => {
      otherMemory(settings);
      otherEdge(settings);
    },
  }),
});

faultSuite<SettingsInput, SettingsState>('settings that scale and change the edge', {
  steps,
  isRare: true,
  faultsAt: ['UpdateService', 'ScaleInstances', 'ConfigureExternalTraffic'],
  world: world({
    change: (settings) => {
      const { replicaScaling } = settings.spec.template;
      replicaScaling.count = 3 - replicaScaling.count;
      otherEdge(settings);
    },
    replicas: ({ spec }) => spec.template.replicaScaling.count,
  }),
});

const activity = (active: boolean): Expected => ({
  isActive: !active,
  change: (settings) => {
    settings.active = active;
    otherMemory(settings);
    otherEdge(settings);
  },
});

faultSuite<SettingsInput, SettingsState>('settings that start the service', {
  steps,
  faultsAt: ['UpdateService', 'CreateRevision', 'StartInstances'],
  world: world(activity(true)),
});

faultSuite<SettingsInput, SettingsState>('settings that stop the service', {
  steps,
  isRare: true,
  faultsAt: ['UpdateService', 'ConfigureExternalTraffic'],
  world: world(activity(false)),
});
