/** Sharing topics between teams, over HTTP and on a real broker: who decides, what the cluster permits, and who is notified. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accountCreate, accountUpdate, accountView, type Account } from '@slipway/contract/streaming/account.ts';
import { accountRightView, type Right } from '@slipway/contract/streaming/account-rights.ts';
import {
  grantRule,
  topicGrantApprove,
  topicGrantDecline,
  topicGrantList,
  topicGrantRevoke,
  topicGrantTeamList,
  topicGrantView,
  topicGrantWithdraw,
  topicUsageView,
  type TopicGrant,
} from '@slipway/contract/streaming/grant.ts';
import { accountPromote, accountPromotionView, type AccountPromotion } from '@slipway/contract/streaming/promotion.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import type { Actor } from '#testing/actors.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';
import { seedTopic } from '../accounts/accounts.fixture.ts';
import { accountsOfGroups, usersOfTopics } from './index.ts';

let app: TestApp;
let engine: FaultyPort<Streaming>;
/** Cranes request access. Customs own the topics and decide. Stig is in customs; Olga and Mats are in cranes. */
const [asking, owning] = ['berth', 'clearance'];

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
  await seedApp(db, { id: 'cranage', team: 'cranes' });
  await seedApp(db, { id: owning, team: 'customs' });
  for (const environment of ['development', 'production'] as const) {
    await seedTopic(db, app.adapters.streaming, { app: owning, name: 'releases', environment });
    await seedTopic(db, app.adapters.streaming, { app: owning, name: 'seizures', environment, classification: 'RESTRICTED' });
    await seedTopic(db, app.adapters.streaming, { app: owning, name: 'drafts', environment, isSharable: false });
    await seedTopic(db, app.adapters.streaming, { app: 'cranage', name: 'lifts', environment, isSharable: false });
  }
});
afterAll(() => app?.close());

const at = (env: string) => ({ app: asking, env });
const of = (resourceId: string, applicationCode = owning) => ({ resourceId, applicationCode });
const create = (env: string, name: string, lists: object) =>
  app.run('member', accountCreate, { params: at(env), body: { name, reason: 'Demurrage starts when the vessel is released', ...lists } });
const view = async (env: string, account: string) =>
  (await app.call('member', accountView, { params: { ...at(env), account } })).body as Account;
const grantsOf = async (env: string, account: string) => {
  const { produceTopics, consumeTopics } = await view(env, account);
  return [...produceTopics, ...consumeTopics].map(({ topicName, state, basis }) => `${topicName} ${state} ${basis}`);
};
const firstGrant = async (env: string, account: string): Promise<string> => {
  const { produceTopics, consumeTopics } = await view(env, account);
  return [...produceTopics, ...consumeTopics].find(({ basis }) => basis !== 'OWN')?.grant ?? '';
};
const act = (actor: Actor, route: RouteShape, grant: string, body?: object) =>
  app.call(actor, route, { params: { grant }, ...(body ? { body } : {}) });
const carriedOut = async (actor: Actor, route: RouteShape, grant: string, body: object = {}) => {
  const answer = await act(actor, route, grant, body);
  expect(answer, route.id).toMatchObject({ status: 202 });
  const { account } = answer.body as TopicGrant;
  const row = await app.database.db
    .selectFrom('account')
    .select('pipeline_id')
    .where('id', '=', account.resourceId)
    .executeTakeFirstOrThrow();
  return app.ended(row.pipeline_id ?? '');
};
const rulesOf = async (env: 'development' | 'production', user: string) =>
  (await app.adapters.streaming.listRules(env, { user })).map(({ operation, name }) => `${operation} ${name}`).toSorted();
const completed = { status: { state: 'COMPLETED' } };

describe('what a topic comes to', () => {
  const facts = { environment: 'development', operation: 'READ', isOwnTeam: false, isSharable: true, classification: 'INTERNAL' } as const;
  test.each<[string, Partial<Parameters<typeof grantRule>[0]>, ReturnType<typeof grantRule>]>([
    ['reading in development', {}, 'AUTOMATIC'],
    ['reading a public one', { classification: 'PUBLIC' }, 'AUTOMATIC'],
    ['reading a confidential one', { classification: 'CONFIDENTIAL' }, 'REQUEST'],
    ['reading a restricted one', { classification: 'RESTRICTED' }, 'REQUEST'],
    ['writing', { operation: 'WRITE' }, 'REQUEST'],
    ['reading in production', { environment: 'production' }, 'REQUEST'],
    ['writing a public one in production', { environment: 'production', operation: 'WRITE', classification: 'PUBLIC' }, 'REQUEST'],
    ['one that is not shared', { isSharable: false }, 'TopicNotShared'],
    ['an own one that is not shared, in production', { isSharable: false, isOwnTeam: true, environment: 'production' }, 'OWN'],
  ])('%s', (_what, more, verdict) => expect(grantRule({ ...facts, ...more })).toBe(verdict));
});

describe('asking', () => {
  test('own topics are free, and so is reading what others share in development', async () => {
    expect(await create('development', 'reader', { consumeTopics: [of('releases'), of('lifts', 'cranage')] })).toMatchObject(completed);
    expect(await grantsOf('development', 'reader')).toEqual(['clearance.releases APPROVED AUTOMATIC', 'cranage.lifts APPROVED OWN']);
    expect(await rulesOf('development', 'berth.reader')).toEqual(['read berth.reader.', 'read clearance.releases', 'read cranage.lifts']);
  });

  test('everything else waits, and the account is made without it', async () => {
    const ended = await create('production', 'biller', { produceTopics: [of('releases')], consumeTopics: [of('seizures')] });
    expect(ended).toMatchObject(completed);
    expect(await grantsOf('production', 'biller')).toEqual(['clearance.releases REQUESTED null', 'clearance.seizures REQUESTED null']);
    expect(await rulesOf('production', 'berth.biller')).toEqual([]);
    const query = { name: 'clearance.seizures', operation: 'read' };
    const right = (await app.call('member', accountRightView, { params: { ...at('production'), account: 'biller' }, query })).body as Right;
    expect(right).toMatchObject({ isAllowed: false, because: 'NO_RULE', waiting: { team: 'Team customs' } });
  });

  test('what is not shared cannot be asked for', async () => {
    const answer = await app.call('member', accountCreate, {
      params: at('development'),
      body: { name: 'refused', consumeTopics: [of('drafts')] },
    });
    expect(errorsOf(answer)).toEqual([409, 'consumeTopics.0.resourceId: TopicNotShared']);
  });

  test('both teams see it, and nobody else; the log of the owning app says so', async () => {
    const listed = async (actor: Actor, route: RouteShape, request: Request) => {
      const { content } = (await app.call(actor, route, request)).body as Page<TopicGrant>;
      return content.map(({ topic, operation, state }) => `${state} ${operation} ${topic.topicName}`);
    };
    const received = { params: { team: 'customs' }, query: { side: 'received', state: 'REQUESTED', environment: 'production' } };
    expect((await listed('stranger', topicGrantTeamList, received)).toSorted()).toEqual([
      'REQUESTED READ clearance.seizures',
      'REQUESTED WRITE clearance.releases',
    ]);
    expect(await listed('member', topicGrantList, { params: at('production'), query: { topic: 'seizures' } })).toEqual([
      'REQUESTED READ clearance.seizures',
    ]);
    const grant = await firstGrant('production', 'biller');
    expect((await act('stranger', topicGrantView, grant)).body).toMatchObject({
      reason: 'Demurrage starts when the vessel is released',
      account: { user: 'berth.biller', team: { id: 'cranes' } },
      topic: { team: { id: 'customs' } },
      requestedBy: { id: 'mats' },
      can: { decide: true, withdraw: 'NotAMember' },
    });
    expect((await act('member', topicGrantView, grant)).body).toMatchObject({ can: { decide: 'NotAMember', withdraw: true } });
    const log = await app.call('stranger', appActivityList, { params: { app: owning, env: 'production' }, query: { query: 'asks to' } });
    expect((log.body as Page<Activity>).content.map(({ message }) => message).toSorted()).toEqual([
      'berth asks to read seizures with its account biller',
      'berth asks to write releases with its account biller',
    ]);
  });
});

describe('deciding', () => {
  test('whoever asks does not decide', async () => {
    const grant = await firstGrant('production', 'biller');
    for (const [route, body] of [
      [topicGrantApprove, {}],
      [topicGrantDecline, { reason: 'no' }],
    ] as const)
      expect(errorsOf(await act('owner', route, grant, body))).toEqual([403, 'undefined: NotAMember']);
    expect(errorsOf(await act('stranger', topicGrantWithdraw, grant))).toEqual([403, 'undefined: NotAMember']);
  });

  test('approved, the rule is on the cluster; who comes second learns who was first', async () => {
    const grant = await firstGrant('production', 'biller');
    expect(await carriedOut('stranger', topicGrantApprove, grant, { reason: 'Agreed' })).toMatchObject(completed);
    expect(await rulesOf('production', 'berth.biller')).toEqual(['write clearance.releases']);
    const second = await act('stranger', topicGrantApprove, grant, {});
    expect(second).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'TopicGrantDecided', context: { name: 'Stig Stranger', decision: 'approved' } }] },
    });
    const { produceTopics } = await view('production', 'biller');
    expect(produceTopics).toMatchObject([{ state: 'APPROVED', basis: 'DECISION', decidedBy: 'Stig Stranger', decision: 'Agreed' }]);
    for (const [actor, name] of [
      ['member', asking],
      ['stranger', owning],
    ] as const) {
      const log = await app.call(actor, appActivityList, {
        params: { app: name, env: 'production' },
        query: { query: 'Stig Stranger approved' },
      });
      expect((log.body as Page<Activity>).content).toHaveLength(1);
    }
  });

  test('declined needs a reason, and makes no rule', async () => {
    const { consumeTopics } = await view('production', 'biller');
    const grant = consumeTopics[0]?.grant ?? '';
    expect(errorsOf(await act('stranger', topicGrantDecline, grant, { reason: ' ' }))).toEqual([400, 'reason: Required']);
    expect(errorsOf(await act('stranger', topicGrantRevoke, grant, { reason: 'early' }))).toEqual([
      409,
      'undefined: TopicGrantNotApproved',
    ]);
    expect(await act('stranger', topicGrantDecline, grant, { reason: 'Not for billing' })).toMatchObject({
      status: 200,
      body: { state: 'DECLINED' },
    });
    expect((await view('production', 'biller')).consumeTopics).toMatchObject([{ state: 'DECLINED', decision: 'Not for billing' }]);
    expect(await rulesOf('production', 'berth.biller')).toEqual(['write clearance.releases']);
  });

  test('taken back, the rule is gone; a decision that cannot be carried out is none', async () => {
    const { produceTopics } = await view('production', 'biller');
    const grant = produceTopics[0]?.grant ?? '';
    engine.next('changeRights', () =>
      Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingPolicyRefused', context: { reason: 'not now' } })),
    );
    expect(await carriedOut('stranger', topicGrantRevoke, grant, { reason: 'Moves to another topic' })).toMatchObject({
      status: { state: 'FAILED' },
    });
    expect(await grantsOf('production', 'biller')).toContain('clearance.releases APPROVED DECISION');
    expect(await rulesOf('production', 'berth.biller')).toEqual(['write clearance.releases']);
    expect(await carriedOut('stranger', topicGrantRevoke, grant, { reason: 'Moves to another topic' })).toMatchObject(completed);
    expect(await grantsOf('production', 'biller')).toContain('clearance.releases REVOKED DECISION');
    expect(await rulesOf('production', 'berth.biller')).toEqual([]);
  });

  test('with sharing off nothing new is approved; what was stays', async () => {
    await create('production', 'later', { consumeTopics: [of('releases')] });
    const grant = await firstGrant('production', 'later');
    const share = (isSharable: boolean) =>
      app.database.db.updateTable('topic').set({ is_sharable: isSharable }).where('topic_name', '=', 'clearance.releases').execute();
    await share(false);
    expect(errorsOf(await act('stranger', topicGrantApprove, grant, {}))).toEqual([409, 'undefined: TopicNotShared']);
    const kept = await app.run('member', accountUpdate, {
      params: { ...at('development'), account: 'reader' },
      body: { description: 'Still reads', produceTopics: [], consumeTopics: [of('releases'), of('lifts', 'cranage')] },
    });
    expect(kept).toMatchObject(completed);
    expect(await rulesOf('development', 'berth.reader')).toContain('read clearance.releases');
    await share(true);
    expect(await carriedOut('stranger', topicGrantApprove, grant)).toMatchObject(completed);
    expect(await rulesOf('production', 'berth.later')).toEqual(['read berth.later.', 'read clearance.releases']);
  });

  test('given up, the account lists the topic no longer', async () => {
    const grant = await firstGrant('production', 'later');
    expect(await carriedOut('member', topicGrantWithdraw, grant)).toMatchObject(completed);
    expect(await view('production', 'later')).toMatchObject({ consumeTopics: [] });
    expect(await rulesOf('production', 'berth.later')).toEqual([]);
    expect(errorsOf(await act('stranger', topicGrantApprove, grant, {}))).toEqual([409, 'undefined: TopicGrantDecided']);
  });

  test('an account that is not there as a whole gets no rules', async () => {
    engine.next('openUser', () =>
      Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingUserRefused', context: { reason: 'no' } })),
    );
    expect(await create('production', 'broken', { consumeTopics: [of('releases')] })).toMatchObject({ status: { state: 'FAILED' } });
    const grant = await firstGrant('production', 'broken');
    expect(errorsOf(await act('stranger', topicGrantApprove, grant, {}))).toEqual([409, 'undefined: AccountNotCreated']);
  });
});

describe('who uses a topic', () => {
  test('approved accounts alone, for its team', async () => {
    const params = { app: owning, env: 'development', topic: 'releases' };
    expect((await app.call('stranger', topicUsageView, { params })).body).toMatchObject({
      users: [{ account: 'reader', applicationCode: asking, teamId: 'cranes', operation: 'READ' }],
    });
    expect((await app.call('stranger', topicUsageView, { params: { ...params, topic: 'nothing' } })).status).toBe(404);
    expect((await app.call('member', topicUsageView, { params })).status).toBe(403);
    expect(await usersOfTopics(app.database.db, ['tp_clearance_production_seizures'])).toEqual([]);
  });

  test('a group belongs to the account whose prefix it begins with', async () => {
    const found = await accountsOfGroups(app.database.db, 'development', ['berth.reader.main', 'berth.readerx.main', 'somebody']);
    expect([...found]).toEqual([['berth.reader.main', { applicationCode: asking, account: 'reader' }]]);
  });
});

describe('promotion of an account', () => {
  const params = { ...at('development'), account: 'reader' };
  const promotion = async () => (await app.call('member', accountPromotionView, { params })).body as AccountPromotion;
  const lists = (...consumeTopics: ReturnType<typeof of>[]) =>
    app.run('member', accountUpdate, { params, body: { description: 'Still reads', produceTopics: [], consumeTopics } });

  test('says what is new in production and which team is asked, and makes it', async () => {
    expect(await promotion()).toEqual({
      isNew: true,
      mark: expect.any(String),
      secretGroup: null,
      differences: [
        { field: 'description', label: 'Description', before: null, after: 'Still reads' },
        { field: 'consumeTopics', label: 'Topics that it reads', before: null, after: 'clearance.releases\ncranage.lifts' },
      ],
      topics: [
        {
          name: 'releases',
          applicationCode: owning,
          operation: 'READ',
          state: 'ASKED',
          team: { id: 'customs', displayName: 'Team customs' },
        },
        { name: 'lifts', applicationCode: 'cranage', operation: 'READ', state: 'FREE', team: { id: 'cranes', displayName: 'Team cranes' } },
      ],
    });
    const ended = await app.run('member', accountPromote, { params, body: { reason: 'Goes live', secretGroup: 'berth-reader-kafka' } });
    expect(ended).toMatchObject({ pipelineType: 'CreateAccount', ...completed });
    expect(await grantsOf('production', 'reader')).toEqual(['clearance.releases REQUESTED null', 'cranage.lifts APPROVED OWN']);
    expect(await rulesOf('production', 'berth.reader')).toEqual(['read berth.reader.', 'read cranage.lifts']);
    expect(await promotion()).toMatchObject({
      isNew: false,
      secretGroup: 'berth-reader-kafka',
      differences: [],
      topics: [{ state: 'LISTED' }, { state: 'LISTED' }],
    });
    expect(errorsOf(await app.call('member', accountPromote, { params }))).toEqual([409, 'undefined: NothingChanged']);
  });

  test('gives up in production what development lists no more', async () => {
    expect(await lists(of('lifts', 'cranage'))).toMatchObject(completed);
    const { mark } = await promotion();
    expect(errorsOf(await app.call('member', accountPromote, { params, body: { mark: `${mark}x` } }))).toEqual([
      409,
      'mark: ProductionChangedMeanwhile',
    ]);
    expect((await promotion()).differences).toEqual([
      { field: 'consumeTopics', label: 'Topics that it reads', before: 'clearance.releases\ncranage.lifts', after: 'cranage.lifts' },
    ]);
    expect(await app.run('member', accountPromote, { params, body: { mark } })).toMatchObject({
      pipelineType: 'UpdateAccount',
      ...completed,
    });
    expect(await grantsOf('production', 'reader')).toEqual(['cranage.lifts APPROVED OWN']);
  });

  test('a topic that production lacks is named, and stops it', async () => {
    await seedTopic(app.database.db, app.adapters.streaming, { app: 'cranage', name: 'weights' });
    expect(await lists(of('lifts', 'cranage'), of('weights', 'cranage'))).toMatchObject(completed);
    expect((await promotion()).topics).toMatchObject([{ state: 'LISTED' }, { name: 'weights', state: 'MISSING', team: null }]);
    expect(errorsOf(await app.call('member', accountPromote, { params }))).toEqual([404, 'consumeTopics.1.resourceId: TopicDoesNotExist']);
  });

  test('goes from development alone, and strangers do not learn of the account', async () => {
    const there = { ...params, env: 'production' };
    expect(errorsOf(await app.call('member', accountPromote, { params: there }))).toEqual([409, 'undefined: PromotionFromDevelopment']);
    expect((await app.call('stranger', accountPromotionView, { params })).status).toBe(404);
  });
});
