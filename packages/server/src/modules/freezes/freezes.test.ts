/** Freeze windows over HTTP: what they refuse, who overrides them, and what their forms refuse. No worker, so no pipeline runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import {
  appFreezeView,
  freezeOverrideCreate,
  freezeWindowCreate,
  freezeWindowEnd,
  freezeWindowList,
  freezeWindowUpdate,
  type AppFreeze,
  type FreezeWindow,
} from '@slipway/contract/freeze.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { runtimeConfigView, type RuntimeConfig } from '@slipway/contract/platform.ts';
import { quickstartServiceCreate } from '@slipway/contract/quickstart.ts';
import { requestDecide, requestView, type Request } from '@slipway/contract/request/request.ts';
import { serviceChangeRequest } from '@slipway/contract/service/approval.ts';
import { serviceActivation } from '@slipway/contract/service/service.ts';
import { transaction } from '#db/database.ts';
import { refuseUnapprovedRerun } from '#modules/services/approvals/approval-rule.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { refuseFrozen } from './freeze-rule.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db } = app.database;
  for (const id of ['berth', 'yard']) {
    await seedApp(db, { id });
    for (const environment of ['development', 'production'] as const) await seedService(db, { app: id, environment, active: false });
  }
});
beforeEach(async () => {
  const { db } = app.database;
  await db.deleteFrom('freeze_window').execute();
  await db.deleteFrom('freeze_override').execute();
  await db.updateTable('team').set({ needs_production_approval: false }).execute();
  await db.updateTable('service').set({ active: false }).execute();
  // No worker ends them.
  await db.updateTable('pipeline_run').set({ state: 'CANCELED', ended_at: new Date() }).execute();
});
afterAll(() => app?.close());

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
const settings = {
  name: 'Peak week',
  reason: 'Terminals run at full load',
  startsAt: inHours(-1),
  endsAt: inHours(24),
  timeZone: 'Europe/Oslo',
  teams: [] as string[],
  apps: [] as string[],
  ownersMayOverride: true,
};
const create = async (change: Partial<typeof settings> = {}): Promise<FreezeWindow> => {
  const { status, body } = await app.call('administrator', freezeWindowCreate, { body: { ...settings, ...change } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as FreezeWindow;
};
const place = (id = 'berth', env = 'production') => ({ params: { app: id, env } });
const activate = (dryRun: boolean, { id = 'berth', env = 'production', active = true } = {}, actor: Actor = 'member') =>
  app.call(actor, serviceActivation, { params: { app: id, env, service: id }, query: { dryRun }, body: { active } });
const freezeOf = async (actor: Actor = 'member', id = 'berth', env = 'production') =>
  (await app.call(actor, appFreezeView, place(id, env))).body as AppFreeze;
const override = (actor: Actor, reason = 'The crane stands still') =>
  app.call(actor, freezeOverrideCreate, { ...place(), body: { reason } });
const codeOf = ({ body }: { body: unknown }) => (body as ErrorObject).errors?.[0]?.code;

describe('an open window', () => {
  test('refuses a change in production with name, reason and end, and shows them in the plan', async () => {
    await create({ endsAt: '2099-12-01T05:00:00Z' });
    const answer = await activate(false);
    expect(errorsOf(answer)).toEqual([409, 'undefined: ProductionFrozen']);
    expect((answer.body as ErrorObject).message).toBe(
      'Production is frozen until 1 Dec 2099, 06:00 (Europe/Oslo) for Peak week: Terminals run at full load',
    );
    const { freeze } = (await activate(true)).body as Plan;
    expect(freeze).toEqual({
      name: 'Peak week',
      reason: 'Terminals run at full load',
      endsAt: '2099-12-01T05:00:00.000Z',
      timeZone: 'Europe/Oslo',
      app: 'berth',
      canOverride: false,
    });
    expect(((await activate(true, {}, 'owner')).body as Plan).freeze).toMatchObject({ canOverride: true });
  });

  test('lets development pass, and turning off', async () => {
    await create();
    expect(((await activate(true, { env: 'development' })).body as Plan).freeze).toBeUndefined();
    await app.database.db.updateTable('service').set({ active: true }).execute();
    const { freeze, pipelineType } = (await activate(true, { active: false })).body as Plan;
    expect([freeze, pipelineType]).toEqual([undefined, 'ServiceActivation']);
  });

  test('refuses a quickstart in production at its environment', async () => {
    await create();
    const body = { app: 'berth', name: 'berth-api', environment: 'production', template: 'node-http-api' };
    const answer = await app.call('member', quickstartServiceCreate, { body: body as never });
    expect(errorsOf(answer)).toEqual([409, 'environment: ProductionFrozen']);
  });

  test('is for the teams and apps of its scope alone', async () => {
    await create({ apps: ['yard'] });
    expect(codeOf(await activate(false, { id: 'yard' }))).toBe('ProductionFrozen');
    expect((await freezeOf()).open).toBeNull();
    await create({ teams: ['cranes'] });
    expect((await freezeOf()).open).toMatchObject({ name: 'Peak week' });
    await app.database.db.deleteFrom('freeze_window').execute();
    await create({ teams: ['customs'] });
    expect((await freezeOf()).open).toBeNull();
  });

  test('refuses a re-run, except of a rollback, a restart or turning off', async () => {
    await create();
    const { db } = app.database;
    const key = { app: 'berth', environment: 'production', service: 'berth' } as const;
    const rerun = (type: string, input: object) =>
      transaction(db, (trx) => refuseUnapprovedRerun(trx, key, { type, pipelineId: 'pl', input }));
    await expect(rerun('Deploy', {})).rejects.toMatchObject({ code: 'ProductionFrozen' });
    // An approved deploy names its digest, as a restart does.
    const subject = { subject_kind: 'service', subject_id: 'service:berth/production/berth' };
    const asked = {
      title: 'Deploy berth',
      requested_by: 'mats',
      requested_by_name: 'Mats',
      deciders: [],
      askers: [],
      due_on: '2099-01-01',
    };
    await db
      .insertInto('request')
      .values({ kind: 'PRODUCTION_CHANGE', ...subject, ...asked, status: 'APPROVED', payload: JSON.stringify({ pipelineId: 'pl' }) })
      .execute();
    await expect(rerun('Deploy', { imageDigest: 'sha256:1' })).rejects.toMatchObject({ code: 'ProductionFrozen' });
    await db.deleteFrom('request').execute();
    await rerun('Rollback', {});
    await rerun('Deploy', { imageDigest: 'sha256:1' });
    await rerun('ServiceActivation', { active: false });
    await rerun('RevisionActivation', { enabled: false });
  });

  test('is over when an administrator ends it', async () => {
    const { id } = await create();
    const ended = await app.call('administrator', freezeWindowEnd, { params: { freezeWindow: id } });
    expect(ended.body).toMatchObject({ state: 'ENDED', endedAt: expect.any(String) });
    expect((await freezeOf()).open).toBeNull();
    expect(codeOf(await app.call('administrator', freezeWindowEnd, { params: { freezeWindow: id } }))).toBe('FreezeIsOver');
    expect(codeOf(await app.call('administrator', freezeWindowEnd, { params: { freezeWindow: 'frz_0' } }))).toBe(
      'FreezeWindowDoesNotExist',
    );
  });
});

describe('an override', () => {
  test('needs an open window, and a reason', async () => {
    expect(codeOf(await override('administrator'))).toBe('NotFrozen');
    await create();
    expect(errorsOf(await override('administrator', ' '))).toEqual([400, 'reason: Required']);
  });

  test('is for owners if the window allows it, and always for administrators', async () => {
    await create({ ownersMayOverride: false });
    expect((await freezeOf('owner')).can).toEqual({ override: 'FreezeOverrideRefused' });
    expect(errorsOf(await override('owner'))).toEqual([403, 'undefined: FreezeOverrideRefused']);
    expect((await freezeOf('stranger')).can).toEqual({ override: 'NotAMember' });
    expect((await override('stranger')).status).toBe(403);
    expect((await override('administrator')).status).toBe(201);
  });

  test('a member who owns nothing cannot override', async () => {
    await create();
    expect(errorsOf(await override('member'))).toEqual([403, 'undefined: NotAnOwner']);
  });

  test('lets changes of people of this app pass, is recorded, and tells the team', async () => {
    await create();
    const { body, status } = await override('owner');
    expect([status, body]).toMatchObject([
      201,
      { override: { by: 'Olga Owner', reason: 'The crane stands still' }, can: { override: 'NotFrozen' } },
    ]);
    expect((await freezeOf('stranger')).override).toBeNull();
    expect(((await activate(true)).body as Plan).freeze).toBeUndefined();
    expect(codeOf(await activate(false))).not.toBe('ProductionFrozen');
    expect(codeOf(await activate(false, { id: 'yard' }))).toBe('ProductionFrozen');
    const { db } = app.database;
    // What the platform does by itself waits.
    await expect(refuseFrozen(db, { app: 'berth', environment: 'production' }, { isAutomatic: true })).rejects.toMatchObject({
      code: 'ProductionFrozen',
    });
    const entry = await db
      .selectFrom('activity')
      .selectAll()
      .where('type', '=', 'freezeOverrideCreate')
      .orderBy('at', 'desc')
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ actor_id: 'olga', app_id: 'berth', after: { reason: 'The crane stands still' } });
    const event = await db
      .selectFrom('notification_event')
      .selectAll()
      .where('type', '=', 'freeze.overridden')
      .orderBy('at', 'desc')
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({ team_id: 'cranes', actor_id: 'olga', path: '/app/berth/production' });
  });

  test('ends with its app: another app with the same id is frozen', async () => {
    await create();
    await override('owner');
    const { db } = app.database;
    await db.updateTable('app').set({ created_at: new Date() }).where('id', '=', 'berth').execute();
    expect(codeOf(await activate(false))).toBe('ProductionFrozen');
    expect(await freezeOf('owner')).toMatchObject({ override: null, can: { override: true } });
  });

  test('does not cover a window that opens later, and ends by itself', async () => {
    await create();
    await override('owner');
    await create({ name: 'Audit' });
    expect(codeOf(await activate(false))).toBe('ProductionFrozen');
    expect((await freezeOf()).override).toBeNull();
    await override('owner');
    const { db } = app.database;
    expect((await freezeOf()).override).not.toBeNull();
    await db.updateTable('freeze_override').set({ until: new Date() }).execute();
    expect(codeOf(await activate(false))).toBe('ProductionFrozen');
  });
});

test('an approval waits for the end of the freeze, and the request stays pending', async () => {
  await app.database.db.updateTable('team').set({ needs_production_approval: true }).where('id', '=', 'cranes').execute();
  await create();
  const asked = await app.call('member', serviceChangeRequest, {
    ...place(),
    body: { operation: 'serviceActivation', service: 'berth', body: { active: true } },
  });
  expect(asked.status, JSON.stringify(asked.body)).toBe(201);
  const { id } = asked.body as Request;
  const decide = () => app.call('owner', requestDecide, { params: { request: id }, body: { status: 'APPROVED' } });
  expect(codeOf(await decide())).toBe('ProductionFrozen');
  expect((await app.call('member', requestView, { params: { request: id } })).body).toMatchObject({ status: 'PENDING' });
  expect((await override('owner')).status).toBe(201);
  expect((await decide()).body).toMatchObject({ status: 'APPROVED' });
});

describe('windows of administrators', () => {
  test('are listed, changed by who read them last, and not after their end', async () => {
    const { id, revision } = await create({ startsAt: inHours(1) });
    const params = { freezeWindow: id };
    const body = { ...settings, name: 'Peak days', revision };
    expect((await app.call('administrator', freezeWindowUpdate, { params, body })).body).toMatchObject({
      name: 'Peak days',
      revision: 2,
      state: 'OPEN',
    });
    expect(codeOf(await app.call('administrator', freezeWindowUpdate, { params, body }))).toBe('SettingsChangedMeanwhile');
    await app.database.db
      .updateTable('freeze_window')
      .set({ starts_at: new Date(0), ends_at: new Date(1) })
      .execute();
    expect(codeOf(await app.call('administrator', freezeWindowUpdate, { params, body: { ...body, revision: 2 } }))).toBe('FreezeIsOver');
    expect((await app.call('administrator', freezeWindowList)).body).toMatchObject({ windows: [{ id, state: 'ENDED' }] });
  });

  test.each([
    ['an end before the beginning', { endsAt: inHours(-2) }, [400, 'endsAt: FreezeEndsTooEarly']],
    ['an end that has passed', { startsAt: inHours(-3), endsAt: inHours(-2) }, [409, 'endsAt: FreezeIsOver']],
    ['a time without an offset', { endsAt: '2099-01-01T00:00' }, [400, 'endsAt: InvalidValue']],
    ['an unknown time zone', { timeZone: 'Norrland/Line' }, [400, 'timeZone: InvalidValue']],
    ['an unknown app', { apps: ['nothing'] }, [409, 'apps: FreezeScopeUnknown']],
    ['an empty reason', { reason: ' ' }, [400, 'reason: Required']],
  ])('refuse %s at its field', async (_, change, expected) => {
    expect(errorsOf(await app.call('administrator', freezeWindowCreate, { body: { ...settings, ...change } }))).toEqual(expected);
  });
});

test('a window for all of production is announced to everyone three days before', async () => {
  const banners = async () => ((await app.call(undefined, runtimeConfigView)).body as RuntimeConfig).banners.map(({ header }) => header);
  await create({ startsAt: inHours(100), endsAt: inHours(120) });
  expect((await freezeOf()).coming).toMatchObject({ name: 'Peak week' });
  await create({ name: 'Of one app', apps: ['berth'] });
  expect(await banners()).not.toContain('Production is frozen');
  await create({ startsAt: inHours(1) });
  expect(await banners()).toContain('Production will be frozen');
  await create({ name: 'Now' });
  expect(await banners()).toContain('Production is frozen');
});
