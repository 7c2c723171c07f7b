/** A service for pipeline tests with real engines. The first of its two revisions serves. */
import { expect } from 'vitest';
import type { RolloutStrategy } from '@slipway/contract/service/service-spec.ts';
import { until } from '#ports/runtime.suite-runtime.ts';
import { seedPeople } from '#testing/actors.ts';
import type { TestDatabase } from '#testing/database.ts';
import { openEngines } from '#testing/engines.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { good } from '#testing/programs.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { servesAlone, serviceState } from '#testing/service-state.ts';
import { servicePipelines } from './pipelines/services.pipeline.ts';

const app = 'yard';
export const testServiceKey = { app, environment: 'development', service: app } as const;
/** Start options of the test service's pipelines. */
export const testServiceStart = {
  // The id that `seedService` assigns.
  subject: { ...subjectNamed(`service:${app}/development/${app}`), ids: { service: `svc-${app}-development-${app}` } },
  createdBy: { id: 'olga', displayName: 'Olga Owner' },
  trigger: 'person',
};

/** Seeds `yard-1` with image `one`, which serves, and `yard-2` with image `two`, which is disabled. */
export const openTestService = async (database: TestDatabase, strategy: RolloutStrategy) => {
  const { db } = database;
  await seedPeople(db);
  const engines = await openEngines(database);
  await seedApp(db, { id: app });
  const serviceId = await seedService(db, { app, serving: [`${app}-1`], change: (spec) => ({ ...spec, rollout: { strategy } }) });
  for (const [index, imageTag] of ['one', 'two'].entries()) {
    const imageDigest = await engines.push(app, imageTag, good(imageTag));
    const now = index === 0 ? {} : ({ status: 'NO_INSTANCES', enabled: false } as const);
    await seedRevision(db, { serviceId, service: app, number: index + 1, imageTag, imageDigest, ...now });
  }
  await engines.drive();
  const state = async () => ({
    ...(await serviceState(db, engines.ingressPort, app)),
    processes: (await engines.runtime.list()).length,
  });
  await until('the first revision', async () => (await state()).answer === 'one');
  return {
    engines,
    pipelines: servicePipelines(engines),
    state,
    /** Expects that this image serves with one instance and nothing else runs. */
    expectServing: async (tag: string): Promise<void> => expect.poll(state).toEqual({ ...servesAlone(tag, 1), processes: 1 }),
    /** Expects that nothing runs or is routed. */
    expectNothing: async (): Promise<void> => expect.poll(state).toMatchObject({ answer: '404', processes: 0, live: [] }),
  };
};

/** Steps of `UpdateService` and `Rollback`, for fault tests. */
export const settingsSteps = [
  'ValidateService',
  'ValidateContainerImage',
  'ConfigureCredentials',
  'UpdateService',
  'CreateRevision',
  'StopOldRevisions',
  'StartInstances',
  'ScaleInstances',
  'ConfigureExternalTraffic',
  'ShiftTraffic',
  'RetireOldRevisions',
  'StopInstances',
];
