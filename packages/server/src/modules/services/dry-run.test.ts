/** Dry runs of changes to services and revisions: each returns a plan, changes no row, and applies all rules. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { revisionActivation, revisionDelete } from '@slipway/contract/service/revision.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceActivation, serviceDelete, serviceDeploy } from '@slipway/contract/service/service.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp, seedRevision, seedService } from '#testing/fixtures.ts';
import { good } from '#testing/programs.ts';
import { berthOf } from './settings/settings.fixture.ts';

let app: TestApp;
const { call, rows, push } = berthOf(() => app);

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  const { host } = app.adapters.registry;
  await seedApp(db, { id: 'berth' });
  await app.adapters.registry.projectEnsure('berth', 'berth');
  await push('two', good('two'));
  const change = () => ({ ...newServiceSpec(`${host}/berth/berth`), rollout: { strategy: 'RED_BLACK' as const } });
  const serviceId = await seedService(db, { app: 'berth', serving: ['berth-2'], change });
  await seedRevision(db, { serviceId, service: 'berth', number: 1, status: 'NO_INSTANCES', enabled: false, change });
  await seedRevision(db, { serviceId, service: 'berth', number: 2, change });
  await seedService(db, { app: 'berth', name: 'berth-empty' });
});
afterAll(() => app?.close());

const one = { params: { revision: 'berth-1' } };
type Write = [name: string, route: RouteShape, request: Request, type: string, steps: string[], says: string[]];
const writes: readonly Write[] = [
  [
    'a deploy',
    serviceDeploy,
    { body: { imageTag: 'two' } },
    'Deploy',
    ['ValidateService', 'ValidateContainerImage', 'CreateRevision', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
    [
      'Makes a new revision with the image HOST/berth/berth:two.',
      'Replaces 1 instance of berth-2 by a new revision. No downtime.',
      'berth-2 is kept, disabled: going back is enabling it.',
    ],
  ],
  [
    'a deactivation',
    serviceActivation,
    { body: { active: false } },
    'ServiceActivation',
    ['StopInstances'],
    ['Stops 1 instance. URL/ stops answering.'],
  ],
  [
    'an enabling',
    revisionActivation,
    { ...one, body: { enabled: true } },
    'RevisionActivation',
    ['ValidateService', 'StartInstances', 'ShiftTraffic', 'RetireOldRevisions'],
    [
      'Starts 1 instance of berth-1.',
      'Replaces 1 instance of berth-2 by a new revision. No downtime.',
      'berth-2 is kept, disabled: going back is enabling it.',
    ],
  ],
  [
    'a disabling',
    revisionActivation,
    { params: { revision: 'berth-2' }, body: { enabled: false } },
    'RevisionActivation',
    ['ValidateService', 'StopInstances'],
    ['Stops 1 instance. URL/ stops answering.'],
  ],
  [
    "a revision's deletion",
    revisionDelete,
    one,
    'DeleteRevision',
    ['DeleteRevision'],
    ['Deletes berth-1 with its logs. Its settings stay readable.', 'No traffic moves.'],
  ],
  [
    "a service's deletion",
    serviceDelete,
    { params: { service: 'berth-empty' } },
    'DeleteService',
    ['StopInstances', 'DeleteService'],
    ['Deletes berth-empty with its images. This cannot be undone.', 'EMPTY/ is free for others.'],
  ],
];

test.each(writes)('%s is planned, and nothing of it is done', async (_name, route, request, type, steps, says) => {
  const before = await rows();
  const { status, body } = await call(route, { ...request, query: { dryRun: true } });
  const plan = body as Plan;
  expect([status, plan.isPlan, plan.pipelineType, plan.steps.map(({ code }) => code)], JSON.stringify(body)).toEqual([
    200,
    true,
    type,
    steps,
  ]);
  const url = (service: string) => app.adapters.runtime.url({ app: 'berth', environment: 'development', service }, '').slice(0, -1);
  const filled = says.map((text) =>
    text.replace('HOST', app.adapters.registry.host).replace('URL', url('berth')).replace('EMPTY', url('berth-empty')),
  );
  expect(plan.consequences.map(planTextOf)).toEqual(filled);
  expect(await rows()).toBe(before);
});

describe('what is not allowed', () => {
  test.each<[string, RouteShape, Request, (number | string)[]]>([
    ['a tag that is not there', serviceDeploy, { body: { imageTag: 'three' } }, [400, 'imageTag: ImageTagDoesNotExist']],
    ['an activation of what runs', serviceActivation, { body: { active: true } }, [409, 'undefined: NothingChanged']],
    ['a service with revisions', serviceDelete, {}, [409, 'undefined: ExistingRevisions']],
    ['a revision that serves', revisionDelete, { params: { revision: 'berth-2' } }, [409, 'undefined: RevisionIsServing']],
  ])('%s is refused on trial too', async (_name, route, request, refusal) => {
    expect(errorsOf(await call(route, { ...request, query: { dryRun: true } }))).toEqual(refusal);
  });
});

test('an action after a dry run is still an action, with the same key for repeats', async () => {
  const request = { params: { revision: 'berth-1' }, headers: { 'idempotency-key': 'once' } };
  expect((await call(revisionDelete, { ...request, query: { dryRun: true } })).status).toBe(200);
  // A dry run does not consume the idempotency key.
  const done = await call(revisionDelete, request);
  expect(done.status).toBe(202);
  expect((await call(revisionDelete, request)).body).toEqual(done.body);
});
