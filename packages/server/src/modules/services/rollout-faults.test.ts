/** The generated fault tests on deploys, with each strategy, and on what enables and activates: real registry, runtime and edge. */
import { expect } from 'vitest';
import { rolloutStrategies, type RolloutStrategy } from '@slipway/contract/service-spec.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { openEngines } from '#testing/engines.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { faultSuite } from '#testing/pipeline-faults.ts';
import { good } from '#testing/programs.ts';
import { revisionRows, servesAlone, serviceState } from '#testing/service-state.ts';
import type { RolloutState } from './rollout.steps.ts';
import { servicePipelines, type DeployInput } from './services.pipeline.ts';

const app = 'yard';
const key = { app, environment: 'development', service: app } as const;
const by = { id: 'olga', displayName: 'Olga Owner' };
const started = { subject: `service:${app}/development/${app}`, app, env: 'development', service: app, createdBy: by, trigger: 'person' };
const timeoutMs = 40_000;

/** A service whose first revision, of the image `one`, serves; the image `two` is there. */
const openYard = async (database: TestDatabase, strategy: RolloutStrategy) => {
  const { db } = database;
  await seedPeople(db);
  const engines = await openEngines(database);
  const [imageDigest, two] = [await engines.push(app, 'one', good('one')), await engines.push(app, 'two', good('two'))];
  await seedApp(db, { id: app });
  const serviceId = await seedService(db, { app, serving: [`${app}-1`], change: (spec) => ({ ...spec, rollout: { strategy } }) });
  await seedRevision(db, { serviceId, service: app, number: 1, imageDigest });
  await db.updateTable('revision').set({ image_tag: 'one' }).execute();
  await engines.drive();
  const state = async () => ({
    ...(await serviceState(db, engines.ingressPort, app)),
    processes: (await engines.runtime.list()).length,
  });
  /** Nothing is left of anything else. */
  const expectServing = async (tag: string): Promise<void> =>
    expect.poll(state, { timeout: 10_000 }).toEqual({ ...servesAlone(tag, 1), processes: 1 });
  await until('the first revision', async () => (await state()).answer === 'one');
  return { engines, pipelines: servicePipelines(engines), serviceId, two, state, expectServing };
};

const rolloutCodes = [
  'ValidateService',
  'ValidateContainerImage',
  'CreateRevision',
  'StopOldRevisions',
  'StartInstances',
  'ShiftTraffic',
  'RetireOldRevisions',
];

for (const strategy of rolloutStrategies) {
  faultSuite<DeployInput, RolloutState>(`a deploy with ${strategy}`, {
    steps: rolloutCodes,
    // Up to there all strategies are alike but RECREATE, which stops first.
    faultsAt: strategy === 'RECREATE' ? rolloutCodes : ['StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
    timeoutMs,
    async world(database) {
      const { engines, pipelines, expectServing } = await openYard(database, strategy);
      // What serves at the beginning of a test is what the one before it left.
      let [served, deployed] = ['one', ''];
      return {
        definition: pipelines.deploy,
        start: async (trx, engine, faulty) => {
          deployed = served === 'one' ? 'two' : 'one';
          const reason = { type: 'DEPLOY', text: null, commit: null, commitMessage: null } as const;
          return engine.start(trx, faulty, { ...started, input: { ...key, imageTag: deployed, reason } });
        },
        assertCleanSlate: () => expectServing(served),
        async assertDone() {
          await expectServing(deployed);
          served = deployed;
          const rows = (await revisionRows(database.db, app)).filter(
            ({ failed_at, serving, name }) => !failed_at && !serving.includes(name),
          );
          expect(new Set(rows.map(({ status }) => status))).toEqual(new Set([strategy === 'RED_BLACK' ? 'NO_INSTANCES' : 'DELETED']));
        },
        close: () => engines.close(),
      };
    },
  });
}
