/** Which actions a revision's state allows: each action over HTTP, as a dry run and for real, and the revision's own `can`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import {
  revisionActivation,
  revisionDelete,
  revisionView,
  type Revision,
  type RevisionStatus,
} from '@slipway/contract/service/revision.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { testApp, type Answer, type TestApp } from '#testing/app.ts';
import { seedApp, seedPipeline, seedRevision, seedService } from '#testing/fixtures.ts';

interface Case {
  readonly status?: RevisionStatus;
  readonly enabled?: boolean;
  readonly isFailed?: boolean;
  readonly serves?: boolean;
  readonly isDeleting?: boolean;
  readonly isInactive?: boolean;
  readonly isBusy?: boolean;
  readonly serviceState?: Service['state'];
}
const deleted = 'RevisionBeingDeleted';
const serving = 'RevisionIsServing';
const busy = 'DeployPipelineAlreadyRunning';
const inactive = 'ServiceInactive';
const notCreated = 'ServiceNotCreated';
const resting = { status: 'NO_INSTANCES', enabled: false } as const;

/** The state, and the results of enabling, disabling and deleting. */
const cases: [string, Case, [enable: true | string, disable: true | string, remove: true | string]][] = [
  ['serves', { serves: true }, [true, true, serving]],
  ['serves and fails', { serves: true, status: 'FAILING' }, [true, true, serving]],
  ['serves, and is not known to run', { serves: true, status: 'UNKNOWN' }, [true, true, serving]],
  ['is disabled', resting, [true, true, true]],
  ['was given up', { ...resting, isFailed: true }, [true, true, true]],
  ['starts', { status: 'PENDING' }, [true, true, true]],
  ['runs beside the one that serves', {}, [true, true, true]],
  ['is being deleted', { status: 'PENDING', enabled: false, isDeleting: true }, [deleted, deleted, deleted]],
  ['is being deleted by a pipeline', { status: 'PENDING', enabled: false, isDeleting: true, isBusy: true }, [deleted, deleted, deleted]],
  ['is being deleted while it serves', { serves: true, isDeleting: true }, [deleted, deleted, deleted]],
  ['was deleted', { status: 'DELETED', enabled: false, isDeleting: true }, [deleted, deleted, deleted]],
  ['was deleted, of an inactive service', { status: 'DELETED', isDeleting: true, isInactive: true }, [deleted, deleted, deleted]],
  ['is of an inactive service', { ...resting, isInactive: true }, [inactive, true, true]],
  ['served before its service was deactivated', { status: 'NO_INSTANCES', isInactive: true }, [inactive, true, true]],
  ['is of a service that is being changed', { ...resting, isBusy: true }, [busy, busy, busy]],
  ['serves while its service is changed', { serves: true, isBusy: true }, [busy, busy, serving]],
  ['is of an inactive service that is being changed', { ...resting, isInactive: true, isBusy: true }, [inactive, busy, busy]],
  ['is of a service that was not created', { ...resting, isFailed: true, serviceState: 'NOT_CREATED' }, [notCreated, notCreated, true]],
];

const verbs = [
  { verb: 'enable', route: revisionActivation, body: { enabled: true } },
  { verb: 'disable', route: revisionActivation, body: { enabled: false } },
  { verb: 'delete', route: revisionDelete, body: undefined },
] as const;

let app: TestApp;
let count = 0;
beforeAll(async () => {
  // Without a worker, started pipelines do not run.
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'yard' });
});
afterAll(() => app?.close());

const seed = async ({ status, enabled, isFailed, serves, isDeleting, isInactive, isBusy, serviceState }: Case) => {
  const { db } = app.database;
  const service = `yard-${(count += 1)}`;
  const serviceId = await seedService(db, {
    app: 'yard',
    name: service,
    active: !isInactive,
    serving: serves ? [`${service}-1`] : [],
    ...(serviceState ? { state: serviceState } : {}),
  });
  const id = await seedRevision(db, {
    serviceId,
    service,
    number: 1,
    ...(status ? { status } : {}),
    ...(enabled === undefined ? {} : { enabled }),
    ...(isFailed ? { isFailed } : {}),
  });
  if (isDeleting) await db.updateTable('revision').set({ deleting_at: new Date() }).where('id', '=', id).execute();
  const subject = `service:yard/development/${service}`;
  if (isBusy) await seedPipeline(db, { id: `busy-${service}`, type: 'Deploy', subject, app: 'yard', service, state: 'RUNNING' });
  return { app: 'yard', env: 'development', service, revision: `${service}-1` };
};

const outcome = ({ status, body }: Answer): (number | string)[] => [
  status,
  ...((body as Partial<ErrorObject>).errors ?? []).map(({ code }) => code),
];
const rowOf = (name: string) => app.database.db.selectFrom('revision').selectAll().where('name', '=', name).executeTakeFirstOrThrow();

describe.each(cases)('a revision that %s', (_name, facts, expected) => {
  test.each(verbs.map((action, index) => ({ ...action, code: expected[index] ?? '' })))(
    '$verb: $code',
    async ({ verb, route, body, code }) => {
      const params = await seed(facts);
      const request = { params, ...(body ? { body } : {}) };
      const revision = (await app.call('member', revisionView, { params })).body as Revision;
      expect(revision.can[verb]).toBe(code);
      const before = await rowOf(params.revision);
      expect(outcome(await app.call('member', route, { ...request, query: { dryRun: true } }))).toEqual(
        code === true ? [200] : [409, code],
      );
      expect(outcome(await app.call('member', route, request))).toEqual(code === true ? [202] : [409, code]);
      // Neither started nor rejected requests have changed the row.
      expect(await rowOf(params.revision)).toEqual(before);
      const isOfOthers = (await app.call('stranger', revisionView, { params })).body as Revision;
      expect(isOfOthers.can[verb]).toBe('NotAMember');
      expect(outcome(await app.call('stranger', route, request))).toEqual([403, 'NotAMember']);
    },
  );
});

test('a verb that is started twice runs once', async () => {
  const params = await seed(resting);
  const request = { params, body: { enabled: true } };
  expect(outcome(await app.call('member', revisionActivation, request))).toEqual([202]);
  expect(outcome(await app.call('member', revisionActivation, request))).toEqual([409, busy]);
  expect(outcome(await app.call('member', revisionDelete, { params }))).toEqual([409, busy]);
});
