// @long (shared process): tries a fault at every step of a pipeline
/** Generated fault tests for rollbacks: after any failure, the previous revision serves with its settings. */
import { expect } from 'vitest';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { faultSuite } from '#testing/faults/pipeline-faults.ts';
import type { SettingsInput, SettingsState } from './settings.steps.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { openTestService, settingsSteps as steps, testServiceKey, testServiceStart } from '../service.fixture.ts';

faultSuite<SettingsInput, SettingsState>('a rollback', {
  steps,
  faultsAt: ['ValidateContainerImage', 'UpdateService', 'CreateRevision', 'StopOldRevisions', 'StartInstances', 'ShiftTraffic'],
  async world(database) {
    const { db } = database;
    const yard = await openTestService(database, 'RECREATE');
    const rowOf = () => db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
    const expectSettings = async (wanted: ServiceSettings) => expect(serviceChanges(wanted, settingsOf(await rowOf()))).toEqual([]);
    let input: SettingsInput;
    let edge: unknown;
    /** Alternates between the images of the first two revisions. Their specs are kept even after deletion. */
    let [served, target] = [1, 2];
    const tags = ['', 'one', 'two'];
    return {
      definition: yard.pipelines.rollback,
      start: async (trx, engine, faulty) => {
        const row = await rowOf();
        edge = row.edge;
        target = 3 - served;
        const before = settingsOf(row);
        const { resources } = before.spec;
        const after = { ...before, spec: { ...before.spec, resources: { ...resources, memoryMegabytes: resources.memoryMegabytes + 1 } } };
        const reason = { type: 'ROLLBACK' as const, text: 'Test', from: `yard-${target}`, commit: null, commitMessage: null };
        input = {
          ...testServiceKey,
          reason,
          before,
          after,
          target: { id: `rev-svc-yard-development-yard-${target}`, name: `yard-${target}` },
        };
        return engine.start(trx, faulty, { ...testServiceStart, input });
      },
      async assertCleanSlate() {
        await yard.expectServing(tags[served] ?? '');
        await expectSettings(input.before);
        expect((await rowOf()).edge).toEqual(edge);
      },
      async assertDone() {
        await yard.expectServing(tags[target] ?? '');
        await expectSettings(input.after);
        served = target;
      },
      close: () => yard.engines.close(),
    };
  },
});
