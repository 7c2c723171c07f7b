/** The routes of requests over HTTP: who may do what, every refusal, bulk decisions, and what a repeat is answered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applicationCreate } from '@slipway/contract/application.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import {
  requestAssign,
  requestBulkDecide,
  requestCommentCreate,
  requestDecide,
  requestList,
  requestRaiseAgain,
  requestUpdate,
  requestView,
  requestWithdraw,
  type Request,
} from '@slipway/contract/request/request.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { transaction } from '#db/database.ts';
import { people, type Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { holdAccount, mostComments } from './request-rows.ts';
import { renameKind, renaming } from './toy-kind.fixture.ts';
import { idOf } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  app.app.requests.register(renameKind);
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());
beforeEach(async () => {
  await app.database.db.deleteFrom('request').execute();
  await app.database.db.updateTable('team').set({ display_name: 'Team cranes' }).where('id', '=', 'cranes').execute();
});

const raise = async (by: Actor = 'member', name = 'Cranes', more: object = {}): Promise<string> => {
  const { id, name: displayName } = people[by];
  const wanted = { ...renaming('cranes', name), ...more };
  return idOf(await transaction(app.database.db, (trx) => app.app.requests.raise(trx, { id, displayName }, wanted)));
};
const act = (actor: Actor, route: RouteShape, request: string, body?: object) =>
  app.call(actor, route, { params: { request }, ...(body ? { body } : {}) });
const approval = { status: 'APPROVED' };

test('a request reads the same for both sides, and says what each may do', async () => {
  const id = await raise();
  const seen = (await act('stranger', requestView, id)).body as Request;
  expect(seen).toMatchObject({
    id,
    kind: 'RENAME',
    title: 'rename cranes to Cranes',
    subject: { kind: 'team', id: 'cranes', path: '/team/cranes' },
    differences: [{ label: 'Name', before: 'Team cranes', after: 'Cranes' }],
    revision: 1,
    can: { decide: true, withdraw: 'NotTheRequester', assign: true, comment: true },
  });
  expect((await act('member', requestView, id.toLowerCase())).body).toMatchObject({ can: { decide: 'OwnRequest', withdraw: true } });
  for (const unknown of ['REQ-0', 'REQ-99999999', 'nothing', 'REQ-1 or 1=1'])
    expect((await act('stranger', requestView, unknown)).status).toBe(404);
  expect((await act('owner', requestView, id)).status).toBe(404);
});

describe('decisions', () => {
  test('are made once; the second decider learns who was first', async () => {
    const id = await raise();
    expect(await act('stranger', requestDecide, id, { ...approval, revision: 1 })).toMatchObject({
      status: 200,
      body: { status: 'APPROVED', actionedBy: { id: 'stig' }, can: { decide: 'RequestDecided' } },
    });
    const second = await act('administrator', requestDecide, id, approval);
    expect(errorsOf(second)).toEqual([409, 'undefined: RequestDecided']);
    expect(second.body).toMatchObject({ errors: [{ context: { name: 'Stig Stranger', decision: 'approved', status: 'APPROVED' } }] });
  });

  test('need a reason to reject, and another person to approve', async () => {
    const id = await raise();
    expect(errorsOf(await act('stranger', requestDecide, id, { status: 'REJECTED', comment: 'No' }))).toEqual([
      400,
      'comment: MinimumLength',
    ]);
    expect(errorsOf(await act('stranger', requestDecide, id, { status: 'WITHDRAWN' }))).toEqual([400, 'status: InvalidValue']);
    expect(errorsOf(await act('member', requestDecide, id, approval))).toEqual([403, 'undefined: OwnRequest']);
    const seen = await raise('owner', 'Lifts', { askers: ['team:cranes'] });
    expect(errorsOf(await act('member', requestDecide, seen, approval))).toEqual([403, 'undefined: NotADecider']);
    const rejected = await act('stranger', requestDecide, id, { status: 'REJECTED', comment: 'Keep the old name' });
    expect(rejected).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', actionComment: 'Keep the old name', can: { raiseAgain: 'NotTheRequester' } },
    });
  });

  test('on another revision are refused', async () => {
    const id = await raise();
    expect(await act('member', requestUpdate, id, { comment: 'The harbour insists', revision: 1 })).toMatchObject({
      status: 200,
      body: { revision: 2 },
    });
    const late = await act('stranger', requestDecide, id, { ...approval, revision: 1 });
    expect(errorsOf(late)).toEqual([409, 'undefined: RequestChanged']);
    expect(errorsOf(await act('stranger', requestUpdate, id, { comment: 'Not mine' }))).toEqual([403, 'undefined: NotTheRequester']);
  });

  test('on what has changed meanwhile void the request, which then can be raised again', async () => {
    const id = await raise();
    await app.database.db.updateTable('team').set({ display_name: 'Other' }).where('id', '=', 'cranes').execute();
    expect(errorsOf(await act('stranger', requestDecide, id, approval))).toEqual([409, 'undefined: RequestVoid']);
    expect((await act('member', requestView, id)).body).toMatchObject({
      status: 'WITHDRAWN',
      isVoid: true,
      voidReason: 'The name is Other now',
      can: { raiseAgain: true },
    });
    const again = await act('member', requestRaiseAgain, id, {});
    expect(again).toMatchObject({ status: 201, body: { status: 'PENDING', differences: [{ before: 'Other' }] } });
    expect(errorsOf(await act('member', requestRaiseAgain, id, {}))).toEqual([409, 'undefined: RequestAlreadyPending']);
    const { id: pending } = again.body as Request;
    expect(errorsOf(await act('member', requestRaiseAgain, pending, {}))).toEqual([409, 'undefined: RequestNotRepeatable']);
  });

  test('of fifty requests each succeed or fail on their own', async () => {
    const ids = [await raise(), await raise('owner', 'Lifts'), await raise('stranger', 'Own')];
    const body = { ...approval, requests: [...ids, ...ids.slice(0, 1), 'REQ-99999999'].map((id) => ({ id })) };
    const answer = await app.call('stranger', requestBulkDecide, { body });
    expect(answer.body).toEqual({
      content: [
        { id: ids[0], status: 'APPROVED', error: null },
        { id: ids[1], status: 'WITHDRAWN', error: { code: 'RequestVoid', message: expect.stringContaining('The name is Cranes now') } },
        { id: ids[2], status: 'PENDING', error: { code: 'OwnRequest', message: expect.any(String) } },
        { id: 'REQ-99999999', status: null, error: { code: 'RequestDoesNotExist', message: expect.any(String) } },
      ],
    });
    const many = { ...approval, requests: Array.from({ length: 51 }, () => ({ id: 'REQ-1' })) };
    expect(errorsOf(await app.call('stranger', requestBulkDecide, { body: many }))).toEqual([400, 'requests: ExceedsMaximumLength']);
    const short = { status: 'REJECTED', comment: 'No', requests: [{ id: 'REQ-1' }] };
    expect(errorsOf(await app.call('stranger', requestBulkDecide, { body: short }))).toEqual([400, 'comment: MinimumLength']);
  });

  test('are answered the same when they are repeated', async () => {
    const id = await raise();
    const headers = { 'idempotency-key': 'decide-once' };
    const first = await app.call('stranger', requestDecide, { params: { request: id }, body: approval, headers });
    const again = await app.call('stranger', requestDecide, { params: { request: id }, body: approval, headers });
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  });
});

test('the requester withdraws, once', async () => {
  const id = await raise();
  expect(errorsOf(await act('stranger', requestWithdraw, id))).toEqual([403, 'undefined: NotTheRequester']);
  expect(await act('member', requestWithdraw, id, { comment: 'Not needed' })).toMatchObject({
    status: 200,
    body: { status: 'WITHDRAWN', isVoid: false, actionComment: 'Not needed' },
  });
  expect(errorsOf(await act('member', requestWithdraw, id))).toEqual([409, 'undefined: RequestDecided']);
});

test('deciders delegate to people who may decide', async () => {
  const id = await raise();
  expect(errorsOf(await act('stranger', requestAssign, id, { assignedTo: ['olga'] }))).toEqual([400, 'assignedTo: AssigneeMayNotDecide']);
  expect(errorsOf(await act('member', requestAssign, id, { assignedTo: ['ada'] }))).toEqual([403, 'undefined: NotADecider']);
  expect(await act('stranger', requestAssign, id, { assignedTo: ['ada'], comment: 'Yours' })).toMatchObject({
    status: 200,
    body: { assignedTo: [{ id: 'ada', displayName: 'Ada Administrator' }], comments: [{ text: 'Yours' }] },
  });
});

describe("a request of somebody else is a person's own", () => {
  const list = async (query: object = {}) =>
    ((await app.call('stranger', requestList, { query: { ...query } })).body as Page<Request>).content.map(({ id }) => id);

  test('if a service account whose token they were shown asks', async () => {
    const id = await raise('serviceAccount');
    expect(await list()).toEqual([id]);
    const held = { account_id: people.serviceAccount.id, identity_id: 'stig' };
    await app.database.db.insertInto('service_account_holder').values(held).execute();
    try {
      expect(errorsOf(await act('stranger', requestDecide, id, approval))).toEqual([403, 'undefined: OwnRequest']);
      expect([await list(), (await app.call('stranger', requestCounts)).body]).toEqual([[], { decide: 0, late: 0, mine: 0 }]);
      expect(errorsOf(await act('administrator', requestAssign, id, { assignedTo: ['stig'] }))).toEqual([
        400,
        'assignedTo: AssigneeMayNotDecide',
      ]);
    } finally {
      await app.database.db.deleteFrom('service_account_holder').execute();
    }
    expect((await act('stranger', requestDecide, id, approval)).status).toBe(200);
  });
  test('if a robot account whose secret they were shown pushed its image', async () => {
    const id = await raise('member', 'Cranes', { author: 'robot$yard+ci' });
    await transaction(app.database.db, (trx) => holdAccount(trx, 'stig', 'robot$yard+ci'));
    expect(errorsOf(await act('stranger', requestDecide, id, approval))).toEqual([403, 'undefined: OwnRequest']);
    await app.database.db.deleteFrom('service_account_holder').execute();
    expect((await act('stranger', requestDecide, id, approval)).status).toBe(200);
  });
  test('if they wrote its content', async () => {
    const id = await raise('member', 'Cranes', { author: 'stig' });
    expect(await list()).toEqual([]);
    expect(await list({ view: 'all' })).toEqual([id]);
    expect(errorsOf(await act('stranger', requestDecide, id, approval))).toEqual([403, 'undefined: OwnRequest']);
  });
});

test('pages do not shift while requests are raised', async () => {
  for (const name of ['One', 'Two', 'Three']) await raise('administrator', name, { subject: { kind: 'team', id: name } });
  const pageOf = async (query: object) => {
    const answer = await app.call('stranger', requestList, { query: { size: 2, ...query } });
    return answer.body as Page<Request> & { upTo: string };
  };
  for (const view of ['all', 'decide']) {
    const first = await pageOf({ view });
    await raise('administrator', 'Newer', { subject: { kind: 'team', id: `newer-${view}` }, assignedTo: ['stig'] });
    const second = await pageOf({ view, page: 1, upTo: first.upTo });
    const ids = [...first.content, ...second.content].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(first.totalElements);
  }
  expect(errorsOf(await app.call('stranger', requestList, { query: { upTo: 'now' } }))).toEqual([400, 'upTo: InvalidValue']);
});

test('a request takes a limited number of comments', async () => {
  const id = await raise();
  expect(await act('stranger', requestCommentCreate, id, { text: 'Why?' })).toMatchObject({
    status: 201,
    body: { comments: [{ by: { displayName: 'Stig Stranger' }, text: 'Why?' }] },
  });
  expect(errorsOf(await act('stranger', requestCommentCreate, id, { text: '  ' }))).toEqual([400, 'text: Required']);
  const comments = Array.from({ length: mostComments - 1 }, (_, index) => ({
    id: `c-${index}`,
    request: Number(id.slice(4)),
    by: 'mats',
    by_name: 'Mats',
    body: 'More',
  }));
  await app.database.db.insertInto('request_comment').values(comments).execute();
  expect(errorsOf(await act('member', requestCommentCreate, id, { text: 'One more' }))).toEqual([409, 'undefined: TooManyComments']);
});

describe('the inbox', () => {
  const titles = async (actor: Actor, query: object) => {
    const { content } = (await app.call(actor, requestList, { query: { ...query } })).body as Page<Request>;
    return content.map(({ title }) => title);
  };

  test('has a view for each side, filters and counts', async () => {
    await raise();
    const other = await raise('owner', 'Lifts', { environment: 'production' });
    expect(await titles('stranger', {})).toEqual(['rename cranes to Cranes', 'rename cranes to Lifts']);
    expect(await titles('stranger', { environment: 'production' })).toEqual(['rename cranes to Lifts']);
    expect(await titles('stranger', { query: 'lift' })).toEqual(['rename cranes to Lifts']);
    expect(await titles('stranger', { kind: 'TOPIC_ACCESS' })).toEqual([]);
    expect(await titles('member', {})).toEqual([]);
    expect(await titles('member', { view: 'mine' })).toEqual(['rename cranes to Cranes']);
    expect((await app.call('stranger', requestCounts)).body).toEqual({ decide: 2, late: 0, mine: 0 });
    expect((await app.call('owner', requestCounts)).body).toEqual({ decide: 0, late: 0, mine: 1 });
    await act('stranger', requestDecide, other, approval);
    expect(await titles('stranger', { view: 'decided' })).toEqual(['rename cranes to Lifts']);
    expect(await titles('stranger', { view: 'all', status: ['APPROVED', 'REJECTED'] })).toEqual(['rename cranes to Lifts']);
  });

  test('of a team or an app is for its members', async () => {
    await raise('member', 'Cranes', { askers: ['app:berth'] });
    expect(await titles('stranger', { team: 'customs' })).toEqual(['rename cranes to Cranes']);
    expect(await titles('owner', { team: 'cranes', view: 'mine' })).toEqual(['rename cranes to Cranes']);
    expect(await titles('owner', { app: 'berth', view: 'all' })).toEqual(['rename cranes to Cranes']);
    expect(errorsOf(await app.call('stranger', requestList, { query: { team: 'cranes' } }))).toEqual([403, 'undefined: NotAMember']);
    expect(errorsOf(await app.call('stranger', requestCounts, { query: { team: 'nobody' } }))).toEqual([
      404,
      'undefined: TeamDoesNotExist',
    ]);
    expect(errorsOf(await app.call('stranger', requestList, { query: { app: 'berth' } }))).toEqual([
      404,
      'undefined: ApplicationDoesNotExists',
    ]);
  });

  test('of an app does not pass to another app with the same id', async () => {
    const { db } = app.database;
    await seedApp(db, { id: 'yard', team: 'customs' });
    const keys = { deciders: ['app:yard', 'team:customs'], askers: ['app:yard'] };
    const [decided, pending] = [await raise('administrator', 'Decided', keys), await raise('stranger', 'Pending', keys)];
    expect((await act('stranger', requestDecide, decided, { status: 'REJECTED', comment: 'Not wanted' })).status).toBe(200);
    await db.deleteFrom('app').where('id', '=', 'yard').execute();
    const body = { id: 'yard', displayName: 'Yard', teamId: 'cranes' };
    expect((await app.call('member', applicationCreate, { body })).status).toBe(202);
    expect([await titles('member', { view: 'all' }), await titles('member', { app: 'yard', view: 'all' })]).toEqual([[], []]);
    for (const id of [decided, pending]) expect((await act('member', requestView, id)).status).toBe(404);
    expect(await titles('stranger', { view: 'all' })).toHaveLength(2);
  });

  test('follows an app to its new team', async () => {
    await raise('administrator', 'Cranes', { deciders: ['app:berth'] });
    expect(await titles('member', {})).toHaveLength(1);
    await app.database.db.updateTable('app').set({ team_id: 'customs' }).where('id', '=', 'berth').execute();
    expect([await titles('member', {}), await titles('stranger', {})]).toEqual([[], ['rename cranes to Cranes']]);
    await app.database.db.updateTable('app').set({ team_id: 'cranes' }).where('id', '=', 'berth').execute();
  });
});
