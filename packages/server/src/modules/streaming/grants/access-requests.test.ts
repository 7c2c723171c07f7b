/** Requests for topic access beside their grants: raised, decided from the inbox, undone, void, and migrated. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { noticeList } from '@slipway/contract/notification/notice.ts';
import { requestCounts } from '@slipway/contract/request/request-counts.ts';
import {
  requestCommentCreate,
  requestDecide,
  requestList,
  requestRaiseAgain,
  requestView,
  requestWithdraw,
  type Request,
} from '@slipway/contract/request/request.ts';
import { accountCreate, accountDelete, accountUpdate } from '@slipway/contract/streaming/account.ts';
import { topicGrantApprove, topicGrantDecline, topicGrantView, type TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { topicDelete } from '@slipway/contract/streaming/topic.ts';
import { transaction } from '#db/database.ts';
import { migrationsDirectory } from '#db/migrator.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import type { Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { seedTopic } from '../accounts/accounts.fixture.ts';
import { followAllGrants } from './access-requests.ts';

let app: TestApp;
let engine: FaultyPort<Streaming>;
/** Mats is in cranes, which ask; Stig is in customs, who own the topics. */
const [asking, owning] = ['berth', 'clearance'];
const place = { app: asking, env: 'production' };

beforeAll(async () => {
  app = await testApp({
    accountTimings: { tickMs: 100, everyMs: 60_000 },
    adapt: (adapters) => {
      engine = faultyPort(adapters.streaming);
      return { ...adapters, streaming: engine.port };
    },
  });
  const { db } = app.database;
  await seedApp(db, { id: asking, team: 'cranes' });
  await seedApp(db, { id: owning, team: 'customs' });
  await seedApp(db, { id: 'cranage', team: 'cranes' });
  await seedTopic(db, app.adapters.streaming, { app: 'cranage', name: 'lifts', environment: 'production' });
  for (const name of ['releases', 'seizures', 'arrivals'])
    await seedTopic(db, app.adapters.streaming, { app: owning, name, environment: 'production' });
});
afterAll(() => app?.close());

const of = (resourceId: string) => ({ resourceId, applicationCode: owning });
const create = async (name: string, ...topics: string[]): Promise<void> => {
  const body = { name, reason: 'Demurrage starts at the release', consumeTopics: topics.map(of) };
  expect(await app.run('member', accountCreate, { params: place, body })).toMatchObject({ status: { state: 'COMPLETED' } });
};
const inbox = async (actor: Actor, query: object = {}): Promise<Request[]> =>
  ((await app.call(actor, requestList, { query: { ...query } })).body as Page<Request>).content;
const pendingOf = async (account: string): Promise<Request> => {
  const found = (await inbox('stranger')).find(({ differences }) =>
    differences.some(({ after }) => after?.startsWith(`${asking}.${account} may `)),
  );
  if (!found) throw new Error(`No request of ${account}`);
  return found;
};
const act = (actor: Actor, route: RouteShape, request: string, body: object = {}) => app.call(actor, route, { params: { request }, body });
const viewOf = async (id: string): Promise<Request> => (await app.call('member', requestView, { params: { request: id } })).body as Request;
const grantOf = async ({ subject }: Request): Promise<TopicGrant> =>
  (await app.call('member', topicGrantView, { params: { grant: subject.id } })).body as TopicGrant;
/** Waits for the pipeline of a decision. */
const settled = (request: Request) =>
  vi.waitFor(async () => expect(await grantOf(request)).toMatchObject({ isBusy: false }), { timeout: PATIENCE_MS, interval: 100 });
const rulesOf = async (user: string) => (await app.adapters.streaming.listRules('production', { user })).map(({ name }) => name).toSorted();

test('a listed topic of another team raises a request for the team that owns it', async () => {
  await create('biller', 'releases');
  const request = await pendingOf('biller');
  expect(request).toMatchObject({
    kind: 'TOPIC_ACCESS',
    kindLabel: 'Topic access',
    title: 'berth reads clearance.releases',
    environmentClass: 'production',
    comment: 'Demurrage starts at the release',
    requestedBy: { id: 'mats' },
    differences: [{ label: 'Access', before: null, after: 'berth.biller may read clearance.releases' }],
    subject: { path: `/app/${owning}/production/events-processing/requests/${request.subject.id}` },
    can: { decide: true },
  });
  expect((await app.call('stranger', requestCounts)).body).toMatchObject({ decide: 1 });
  expect(await inbox('owner', { team: 'cranes', view: 'mine' })).toHaveLength(1);
  expect(await inbox('member')).toEqual([]);
  const noticesOf = async (actor: Actor) => ((await app.call(actor, noticeList, {})).body as { content: object[] }).content;
  const path = `/requests?request=${request.id}`;
  await vi.waitFor(
    async () => expect(await noticesOf('stranger')).toContainEqual(expect.objectContaining({ type: 'request.raised', path })),
    {
      timeout: PATIENCE_MS,
    },
  );
  expect(await noticesOf('member')).toEqual([]);
});

test('approved from the inbox, the grant is approved and the rule is on the cluster', async () => {
  const request = await pendingOf('biller');
  expect(await act('stranger', requestDecide, request.id, { status: 'APPROVED', comment: 'Agreed', revision: 1 })).toMatchObject({
    status: 200,
    body: { status: 'APPROVED', actionedBy: { id: 'stig' } },
  });
  await settled(request);
  expect(await grantOf(request)).toMatchObject({ state: 'APPROVED', basis: 'DECISION', decision: 'Agreed', decidedBy: { id: 'stig' } });
  expect(await rulesOf('berth.biller')).toContain('clearance.releases');
  const second = await app.call('stranger', topicGrantApprove, { params: { grant: request.subject.id }, body: {} });
  expect(errorsOf(second)).toEqual([409, 'undefined: TopicGrantDecided']);
});

test('an approval that the cluster refuses is none: the request waits again', async () => {
  await create('refused', 'seizures');
  const request = await pendingOf('refused');
  engine.next('changeRights', () =>
    Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingPolicyRefused', context: { reason: 'not now' } })),
  );
  expect((await act('stranger', requestDecide, request.id, { status: 'APPROVED' })).status).toBe(200);
  await settled(request);
  expect(await grantOf(request)).toMatchObject({ state: 'REQUESTED' });
  expect(await viewOf(request.id)).toMatchObject({ status: 'PENDING', actionedBy: null });
});

test('rejected, it is declined; the account asks again', async () => {
  const request = await pendingOf('refused');
  const reason = 'Seizures stay in customs';
  expect((await act('stranger', requestDecide, request.id, { status: 'REJECTED', comment: reason })).status).toBe(200);
  expect(await grantOf(request)).toMatchObject({ state: 'DECLINED', decision: reason });
  const again = await act('owner', requestRaiseAgain, request.id, { comment: 'The port authority asks for it' });
  expect(again).toMatchObject({
    status: 201,
    body: { status: 'PENDING', requestedBy: { id: 'olga' }, comment: 'The port authority asks for it' },
  });
  expect(await grantOf(request)).toMatchObject({ state: 'REQUESTED', decidedBy: null });
  expect(errorsOf(await act('member', requestRaiseAgain, request.id))).toEqual([409, 'undefined: RequestNotRepeatable']);
  expect(await viewOf(request.id)).toMatchObject({ status: 'REJECTED', actionComment: reason });
});

test('declined on its own page, the request is rejected', async () => {
  const request = await pendingOf('refused');
  const answer = await app.call('stranger', topicGrantDecline, { params: { grant: request.subject.id }, body: { reason: 'No' } });
  expect(answer).toMatchObject({ status: 200, body: { state: 'DECLINED' } });
  expect(await viewOf(request.id)).toMatchObject({ status: 'REJECTED', actionComment: 'No' });
});

test('withdrawn by the team that asks, the account lists the topic no longer', async () => {
  await create('leaver', 'arrivals');
  const request = await pendingOf('leaver');
  expect(errorsOf(await act('stranger', requestWithdraw, request.id))).toEqual([403, 'undefined: NotTheRequester']);
  expect(await act('owner', requestWithdraw, request.id)).toMatchObject({ status: 200, body: { status: 'WITHDRAWN', isVoid: false } });
  await settled(request);
  expect(await grantOf(request)).toMatchObject({ state: 'WITHDRAWN' });
});

test('a former member of the team that asks no longer reads, withdraws or repeats its requests, nor hears of them', async () => {
  const { db } = app.database;
  await create('orphaned', 'arrivals');
  const request = await pendingOf('orphaned');
  expect((await inbox('member', { view: 'mine' })).map(({ id }) => id)).toContain(request.id);
  await db.deleteFrom('team_member').where('identity_id', '=', 'mats').execute();
  const gone = [404, 'undefined: RequestDoesNotExist'];
  for (const [route, body] of [
    [requestView, undefined],
    [requestWithdraw, {}],
    [requestCommentCreate, { text: 'Still here' }],
  ] as const)
    expect(errorsOf(await app.call('member', route, { params: { request: request.id }, ...(body && { body }) }))).toEqual(gone);
  for (const view of ['mine', 'all']) expect(await inbox('member', { view })).toEqual([]);
  expect((await act('stranger', requestDecide, request.id, { status: 'REJECTED', comment: 'Arrivals stay here' })).status).toBe(200);
  expect(errorsOf(await act('member', requestRaiseAgain, request.id))).toEqual(gone);
  const decided = await db
    .selectFrom('notification_event')
    .select('identity_ids')
    .where('entity', '=', `request:${request.id}`)
    .where('type', '=', 'request.decided')
    .execute();
  expect(decided.flatMap(({ identity_ids: ids }) => ids)).toEqual([]);
  await db.insertInto('team_member').values({ team_id: 'cranes', identity_id: 'mats', role: 'MEMBER' }).execute();
  expect(await viewOf(request.id)).toMatchObject({ status: 'REJECTED', can: { raiseAgain: true } });
});

describe('void', () => {
  test('when the account lists the topic no longer', async () => {
    await create('changer', 'releases', 'arrivals');
    const [first] = (await inbox('stranger')).filter(({ title }) => title === 'berth reads clearance.arrivals');
    const body = { description: '', produceTopics: [], consumeTopics: [of('releases')] };
    expect(await app.run('member', accountUpdate, { params: { ...place, account: 'changer' }, body })).toMatchObject({
      status: { state: 'COMPLETED' },
    });
    expect(await viewOf(first?.id ?? '')).toMatchObject({
      status: 'WITHDRAWN',
      isVoid: true,
      voidReason: 'The account no longer lists the topic',
    });
    expect(errorsOf(await act('stranger', requestDecide, first?.id ?? '', { status: 'APPROVED' }))).toEqual([
      409,
      'undefined: RequestDecided',
    ]);
  });

  test('not when the change of the account fails', async () => {
    const request = await pendingOf('changer');
    engine.next('changeRights', () =>
      Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingPolicyRefused', context: { reason: 'not now' } })),
    );
    const own = { resourceId: 'lifts', applicationCode: 'cranage' };
    const body = { description: 'New', produceTopics: [], consumeTopics: [of('seizures'), own] };
    const ended = await app.run('member', accountUpdate, { params: { ...place, account: 'changer' }, body });
    expect(ended).toMatchObject({ status: { state: 'FAILED' } });
    expect(await viewOf(request.id)).toMatchObject({ status: 'PENDING', isVoid: false });
    expect((await inbox('stranger')).map(({ title }) => title)).not.toContain('berth reads clearance.seizures');
  });

  test('when the topic or the account is deleted', async () => {
    await create('gone', 'arrivals');
    const [byAccount, byTopic] = [await pendingOf('changer'), await pendingOf('gone')];
    await app.run('stranger', topicDelete, {
      params: { app: owning, env: 'production', topic: 'arrivals' },
      query: { confirm: 'berth.gone' },
    });
    expect(await viewOf(byTopic.id)).toMatchObject({
      isVoid: true,
      voidReason: 'The topic was deleted',
      can: { raiseAgain: 'RequestNotRepeatable' },
    });
    await app.run('member', accountDelete, { params: { ...place, account: 'changer' } });
    expect(await viewOf(byAccount.id)).toMatchObject({ isVoid: true, voidReason: 'The account was deleted' });
  });
});

describe('beside another version, which knows grants only', () => {
  const insert = async (name: string, grant: object): Promise<string> => {
    const { db } = app.database;
    const [account, topic] = [
      await db.selectFrom('account').select('id').where('name', '=', 'biller').executeTakeFirstOrThrow(),
      await db.selectFrom('topic').select('id').where('name', '=', 'seizures').executeTakeFirstOrThrow(),
    ];
    const id = `tg_${name}`;
    const row = { account_id: account.id, topic_id: topic.id, operation: 'WRITE' as const, state: 'REQUESTED' as const, is_listed: false };
    await db
      .insertInto('topic_grant')
      .values({ id, ...row, requested_by: 'mats', requested_by_name: 'Mats Member', ...grant })
      .execute();
    return id;
  };
  const requestsOf = async (grants: readonly string[]) => {
    const rows = await app.database.db
      .selectFrom('request')
      .selectAll()
      .where('subject_id', 'in', [...grants])
      .orderBy('number')
      .execute();
    return rows.map(({ subject_id: id, status, actioned_by: by }) => [id.slice(3), status, by]);
  };
  const by = { decided_at: new Date(), decided_by: 'stig', decided_by_name: 'Stig Stranger', decision: 'So be it' };

  test('requests follow its grants within a minute, and the routes of grants at once', async () => {
    const { db } = app.database;
    const id = await insert('later', { is_listed: true });
    await followAllGrants(db, app.app.requests);
    await followAllGrants(db, app.app.requests);
    expect(await requestsOf([id])).toEqual([['later', 'PENDING', null]]);
    await db
      .updateTable('topic_grant')
      .set({ state: 'DECLINED', ...by })
      .where('id', '=', id)
      .execute();
    await followAllGrants(db, app.app.requests);
    expect(await requestsOf([id])).toEqual([['later', 'REJECTED', 'stig']]);
    await db.updateTable('topic_grant').set({ is_listed: false }).where('id', '=', id).execute();
    const next = await insert('next', { is_listed: true });
    expect((await app.call('stranger', topicGrantDecline, { params: { grant: next }, body: { reason: 'No' } })).status).toBe(200);
    expect(await requestsOf([next])).toEqual([['next', 'REJECTED', 'stig']]);
    await db.updateTable('topic_grant').set({ state: 'REQUESTED' }).where('id', '=', next).execute();
    await followAllGrants(db, app.app.requests);
    await db.deleteFrom('topic_grant').where('id', '=', next).execute();
    await followAllGrants(db, app.app.requests);
    expect((await requestsOf([next])).map(([, status]) => status)).toEqual(['WITHDRAWN']);
  });

  test('requests are brought up to date after a decision that is under way', async () => {
    const { db } = app.database;
    const id = await insert('contested', { is_listed: true });
    let following: Promise<void> = Promise.resolve();
    await transaction(db, async (trx) => {
      await sql`select 1 from account where id = (select account_id from topic_grant where id = ${id}) for update`.execute(trx);
      await trx
        .updateTable('topic_grant')
        .set({ state: 'DECLINED', is_listed: false, ...by })
        .where('id', '=', id)
        .execute();
      following = followAllGrants(db, app.app.requests);
      await Promise.race([following, delay(500)]);
    });
    await following;
    expect(await requestsOf([id])).toEqual([]);
  });

  test('the migration makes a request of each grant that a person decided or has to decide', async () => {
    const ids = [
      await insert('waits', { is_listed: true }),
      await insert('undone', {}),
      await insert('declined', { state: 'DECLINED', ...by }),
      await insert('approved', { state: 'APPROVED', basis: 'DECISION', ...by }),
      await insert('automatic', { state: 'APPROVED', basis: 'AUTOMATIC' }),
      await insert('revoked', { state: 'REVOKED', basis: 'DECISION', ...by }),
      await insert('given', { state: 'WITHDRAWN', basis: 'OWN' }),
      await insert('withdrawn', { state: 'WITHDRAWN', ...by }),
    ];
    await app.database.db.deleteFrom('request').execute();
    await app.database.pool.query(fs.readFileSync(path.join(migrationsDirectory, '0059_topic_access_request.sql'), 'utf8'));
    const expected = [
      ['waits', 'PENDING', null],
      ['declined', 'REJECTED', 'stig'],
      ['approved', 'APPROVED', 'stig'],
      ['revoked', 'APPROVED', null],
      ['withdrawn', 'WITHDRAWN', 'stig'],
    ];
    expect(await requestsOf(ids)).toEqual(expected);
    await followAllGrants(app.database.db, app.app.requests);
    expect(await requestsOf(ids)).toEqual(expected);
    const request = (await inbox('stranger')).find(({ subject }) => subject.id === 'tg_waits');
    expect(request).toMatchObject({
      title: 'berth writes clearance.seizures',
      differences: [{ after: 'berth.biller may write clearance.seizures' }],
    });
  });
});
