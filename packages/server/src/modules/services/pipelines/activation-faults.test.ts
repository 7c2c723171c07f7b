// @long (shared process): tries a fault at every step of a pipeline
/** Generated fault tests for enabling and disabling a revision, and for activating and deactivating a service. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '#db/database.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
import type { RevisionActivationInput, RevisionActivationState } from './revision-activation.pipeline.ts';
import { hint } from './rollout.sql.ts';
import type { ActivationInput } from './activation.pipeline.ts';
import { openTestService, testServiceKey, testServiceStart } from '../service.fixture.ts';

const steps = ['ValidateService', 'StopInstances', 'StopOldRevisions', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'];
const revisionInput = (number: number, enabled: boolean): RevisionActivationInput => ({
  ...testServiceKey,
  revisionId: `rev-svc-yard-development-yard-${number}`,
  revision: `yard-${number}`,
  enabled,
});
type Yard = Awaited<ReturnType<typeof openTestService>>;

/** Resets the rows to the initial state: the first revision serves, or the service is inactive. */
const reset = async (db: Db, { state }: Yard, active: boolean): Promise<void> => {
  const count = active ? 1 : 0;
  await db
    .updateTable('service')
    .set({ active, serving: active ? ['yard-1'] : [] })
    .execute();
  await sql`update revision set enabled = number = 1, failed_at = null, status = 'PENDING',
    replicas_wanted = case when number = 1 then ${count}::int else 0 end`.execute(db);
  await hint(db, testServiceKey);
  await until('the reset', async () => {
    const { answer, processes } = await state();
    return answer === (active ? 'one' : '404') && processes === count;
  });
};

faultSuite<RevisionActivationInput, RevisionActivationState>('a revision that is enabled', {
  steps,
  // The other steps do nothing here.
  faultsAt: ['ValidateService', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
  async world(database) {
    const { engines, pipelines, expectServing } = await openTestService(database, 'RED_BLACK');
    let [served, enabled] = [1, 2];
    const tags = ['', 'one', 'two'];
    return {
      definition: pipelines.enableRevision,
      start: async (trx, engine, faulty) => {
        enabled = 3 - served;
        return engine.start(trx, faulty, { ...testServiceStart, input: revisionInput(enabled, true) });
      },
      assertCleanSlate: () => expectServing(tags[served] ?? ''),
      async assertDone() {
        await expectServing(tags[enabled] ?? '');
        served = enabled;
      },
      close: () => engines.close(),
    };
  },
});

faultSuite<RevisionActivationInput, RevisionActivationState>('a revision that is disabled', {
  steps,
  isRare: true,
  // The other steps only run when enabling.
  faultsAt: ['ValidateService', 'StopInstances'],
  async world(database) {
    const yard = await openTestService(database, 'RED_BLACK');
    return {
      definition: yard.pipelines.enableRevision,
      start: async (trx, engine, faulty) => {
        await reset(database.db, yard, true);
        return engine.start(trx, faulty, { ...testServiceStart, input: revisionInput(1, false) });
      },
      assertCleanSlate: () => yard.expectServing('one'),
      assertDone: () => yard.expectNothing(),
      close: () => yard.engines.close(),
    };
  },
});

const isActive = async (db: Db) => (await db.selectFrom('service').select('active').executeTakeFirstOrThrow()).active;

for (const active of [true, false]) {
  faultSuite<ActivationInput, object>(`a service that is ${active ? 'activated' : 'deactivated'}`, {
    steps: ['StartInstances', 'StopInstances'],
    skipped: [active ? 'StopInstances' : 'StartInstances'],
    isRare: active,
    async world(database) {
      const { db } = database;
      const yard = await openTestService(database, 'RED_BLACK');
      const expectStopped = async (): Promise<void> => {
        await expect.poll(yard.state).toMatchObject({ answer: '404', processes: 0 });
        expect(await isActive(db)).toBe(false);
      };
      const expectRunning = async (): Promise<void> => {
        await yard.expectServing('one');
        expect(await isActive(db)).toBe(true);
      };
      return {
        definition: yard.pipelines.activation,
        start: async (trx, engine, faulty) => {
          await reset(db, yard, !active);
          await trx.updateTable('service').set({ active }).execute();
          return engine.start(trx, faulty, { ...testServiceStart, input: { ...testServiceKey, active } });
        },
        // Instances that should stop stay stopped, even if the stop failed.
        assertCleanSlate: expectStopped,
        assertDone: active ? expectRunning : expectStopped,
        close: () => yard.engines.close(),
      };
    },
  });
}
