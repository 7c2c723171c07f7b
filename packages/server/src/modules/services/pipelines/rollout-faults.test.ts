// @long (shared process): tries a fault at every step of a pipeline
/** Generated fault tests for deploys with each strategy, with the real registry, runtime and edge. */
import { expect } from 'vitest';
import { rolloutStrategies } from '@slipway/contract/service/service-spec.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
import { revisionRows } from '#testing/service-state.ts';
import type { RolloutState } from './rollout.steps.ts';
import type { DeployInput } from './services.pipeline.ts';
import { openTestService, testServiceKey, testServiceStart } from '../service.fixture.ts';

const steps = [
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
    steps,
    isRare: strategy !== 'RECREATE',
    // Up to this step all strategies are the same, except RECREATE, which stops first.
    faultsAt: strategy === 'RECREATE' ? steps : ['StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
    async world(database) {
      const { engines, pipelines, expectServing } = await openTestService(database, strategy);
      // Each test starts with the revision that the previous test left serving.
      let [served, deployed] = ['one', ''];
      return {
        definition: pipelines.deploy,
        start: async (trx, engine, faulty) => {
          deployed = served === 'one' ? 'two' : 'one';
          const reason = { type: 'DEPLOY', text: null, commit: null, commitMessage: null } as const;
          return engine.start(trx, faulty, { ...testServiceStart, input: { ...testServiceKey, imageTag: deployed, reason } });
        },
        assertCleanSlate: () => expectServing(served),
        async assertDone() {
          await expectServing(deployed);
          served = deployed;
          const rows = (await revisionRows(database.db, testServiceKey.app)).filter(
            (row) => !row.failed_at && !row.serving.includes(row.name),
          );
          // Excludes the second revision, which never served, so no rollout replaced it.
          const replaced = rows.filter(({ name }) => name !== 'yard-2');
          expect(new Set(replaced.map(({ status }) => status))).toEqual(new Set([strategy === 'RED_BLACK' ? 'NO_INSTANCES' : 'DELETED']));
        },
        close: () => engines.close(),
      };
    },
  });
}
