/** Accounts over HTTP, on a real broker: their access, how a program gets the password, and the leftovers when a step fails. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accountCreate,
  accountDelete,
  accountList,
  accountSecretKeys,
  accountUpdate,
  accountView,
  type Account,
} from '@slipway/contract/streaming/account.ts';
import { topicGrantList, topicGrantView, type TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { accountFormerPasswordEnd, accountPasswordTake, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import {
  accountGroupsView,
  accountRepair,
  accountRightView,
  accountRulesView,
  type AccountRules,
  type Right,
} from '@slipway/contract/streaming/account-rights.ts';
import { applicationDelete } from '@slipway/contract/application.ts';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { secretGroupCreate, secretGroupView, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { kafkaClient } from '#adapters/streaming-kafka/kafka-client.fixture.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { faultyPort, type FaultyPort } from '#testing/faults/faulty-port.ts';
import { seedApp } from '#testing/fixtures.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { seedTopic } from './accounts.fixture.ts';
import { verifyAccount } from './verify-account.ts';

let app: TestApp;
let engine: FaultyPort<Streaming>;
/** Unique per test run, since the tests may use a shared cluster. */
const code = `berth${[...randomBytes(4)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
const place = { app: code, env: 'development' };
const own = (name: string) => `${code}.${name}`;

beforeAll(async () => {
  app = await testApp({
    accountTimings: { tickMs: 50, everyMs: 300, signInMs: 500 },
    adapt: (adapters) => {
      engine = faultyPort(adapters.streaming);
      return { ...adapters, streaming: engine.port };
    },
  });
  await seedApp(app.database.db, { id: code });
  for (const name of ['orders', 'moves']) await seedTopic(app.database.db, app.adapters.streaming, { app: code, name });
});
afterAll(() => app?.close());

const streaming = (): Streaming => app.adapters.streaming;
const call = (route: RouteShape, request: Request = {}) =>
  app.call('member', route, { ...request, params: { ...place, ...request.params } });
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, { ...request, params: { ...place, ...request.params } });
const topic = (resourceId: string, applicationCode?: string) => ({ resourceId, ...(applicationCode ? { applicationCode } : {}) });
const wanted = (name: string, more: object = {}) => ({
  name,
  description: 'Plans of the berth planner',
  produceTopics: [topic('orders')],
  consumeTopics: [topic('moves')],
  ...more,
});
const named = (account: string, body?: object): Request => ({ params: { account }, ...(body ? { body } : {}) });
const create = (name: string, more: object = {}) => run(accountCreate, { body: wanted(name, more) });
const view = async (name: string) => (await call(accountView, named(name))).body as Account;
const made = async (name: string, more: object = {}): Promise<Account> => {
  expect(await create(name, more)).toMatchObject({ status: { state: 'COMPLETED' } });
  return view(name);
};
const take = async (name: string) => (await call(accountPasswordTake, named(name))).body as { user: string; password: string };
const stepsOf = (ended: PipelineRun) => ended.status.steps.map(({ code: step, state }) => `${step} ${state}`);
const failureOf = ({ status }: PipelineRun) => {
  const failed = status.steps.find(({ state }) => state === 'FAILED');
  return failed && `${failed.code}: ${stepMessageOf(failed.code, failed.message)}`;
};
const rulesOf = async (user: string) =>
  (await streaming().listRules('development', { user }))
    .map(({ resource, pattern, name, operation, permission, host }) => `${permission} ${operation} ${resource} ${pattern} ${name} ${host}`)
    .toSorted();
const rights = (name: string) => [
  `allow read group prefixed ${own(name)}. *`,
  `allow read topic literal ${own('moves')} *`,
  `allow write topic literal ${own('orders')} *`,
];
const signsIn = (user: string, password: string) => streaming().canSignIn('development', user, password);
const shownRules = async (name: string) => (await call(accountRulesView, named(name))).body as AccountRules;
const statesOf = ({ rules }: AccountRules) => rules.map(({ operation, name, state }) => `${state} ${operation} ${name}`);
const may = async (account: string, name: string, operation = 'read', resource = 'topic') =>
  (await call(accountRightView, { params: { account }, query: { name, operation, resource } })).body as Right;

describe('accountCreate', () => {
  test('makes a user that can sign in, with exactly its rules, and shows the password once', async () => {
    const ended = await create('planner');
    expect(stepsOf(ended)).toEqual([
      'ApplyAccessRules COMPLETED',
      'CreateClusterUser COMPLETED',
      'WaitForCredentialsCreation COMPLETED',
      'HandOverPassword COMPLETED',
      'CreateAccount COMPLETED',
    ]);
    const account = await view('planner');
    expect(account).toMatchObject({
      name: 'planner',
      applicationCode: code,
      environmentClass: 'development',
      state: 'ACTIVE',
      user: own('planner'),
      groupPrefix: `${own('planner')}.`,
      produceTopics: [
        {
          name: 'orders',
          topicName: own('orders'),
          state: 'APPROVED',
          basis: 'OWN',
          resourceType: 'TOPIC',
          valueSchema: { name: 'orders', type: 'AVRO' },
        },
      ],
      consumeTopics: [{ name: 'moves', topicName: own('moves'), state: 'APPROVED' }],
      connection: { mechanism: 'SCRAM-SHA-512', certificateAuthority: null, schemaRegistryUrl: `${app.url}/schema-registry/development` },
      credentials: { changedBy: 'Mats Member', secretGroup: null, former: null, waiting: { forName: 'Mats Member' } },
      can: { update: true, delete: true, rotate: true, takePassword: true, endFormerPassword: 'NoFormerPassword' },
    });
    const waited = ended.status.steps.find((step) => step.code === 'WaitForCredentialsCreation');
    expect(waited?.message?.context).toMatchObject({ accountId: account.id });
    expect((await call(accountView, named(account.id))).body).toMatchObject({ name: 'planner' });
    expect(await rulesOf(own('planner'))).toEqual(rights('planner'));

    const other = await app.call('owner', accountPasswordTake, { params: { ...place, account: 'planner' } });
    expect(errorsOf(other)).toEqual([403, 'undefined: AccountPasswordOfOther']);
    const { user, password } = await take('planner');
    expect([user, password.length]).toEqual([own('planner'), 43]);
    expect(await signsIn(user, password)).toBe(true);
    expect(await signsIn(user, `${password}x`)).toBe(false);
    expect(errorsOf(await call(accountPasswordTake, named('planner')))).toEqual([409, 'undefined: AccountPasswordGone']);
    const registry = async (secret: string) => {
      const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
      return (await fetch(`${account.connection?.schemaRegistryUrl}/subjects`, { headers: { authorization } })).status;
    };
    expect([await registry(password), await registry(`${password}x`)]).toEqual([200, 401]);
    expect(await view('planner')).toMatchObject({ credentials: { waiting: null }, can: { takePassword: 'AccountPasswordGone' } });

    const kept = await app.database.pool.query<{ text: string }>(
      `select (select string_agg(run::text, '') from pipeline_run run) || (select string_agg(step::text, '') from pipeline_step step)
        || (select string_agg(activity::text, '') from activity) || (select string_agg(account::text, '') from account) as text`,
    );
    expect(kept.rows[0]?.text).toContain(own('planner'));
    expect(kept.rows[0]?.text).not.toContain(password);
    const { body } = await call(appActivityList, { query: { query: 'was shown' } });
    expect((body as Page<Activity>).content[0]).toMatchObject({ type: 'accountPasswordTake', actor: { id: 'mats' } });
  });

  test('writes everything that a client needs into a secret group', async () => {
    // Simulates a cluster whose certificates a private authority has signed.
    const certificateAuthority = '-----BEGIN CERTIFICATE-----\nAUTHORITY\n-----END CERTIFICATE-----\n';
    const known = await streaming().connection('development');
    engine.next('connection', async () => ({ ...known, certificateAuthority }));
    const { credentials, connection } = await made('writer', { secretGroup: `${code}-kafka`, consumeTopics: [] });
    expect(connection).toMatchObject({ certificateAuthority });
    expect(credentials).toMatchObject({ secretGroup: { name: `${code}-kafka`, version: 1 }, waiting: null });
    const params = { group: `${code}-kafka` };
    expect((await call(secretGroupView, { params })).body).toMatchObject({ kind: 'PLATFORM' });
    const read = async (key: string) => {
      const { body } = await call(secretReveal, { params, body: { key, version: 1, reason: 'The test connects with it' } });
      return (body as { value: string }).value;
    };
    const values = Object.fromEntries(await Promise.all(accountSecretKeys.map(async (key) => [key, await read(key)] as const)));
    expect(values).toMatchObject({
      KAFKA_USERNAME: own('writer'),
      KAFKA_GROUP_PREFIX: `${own('writer')}.`,
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_CA_CERTIFICATE: certificateAuthority,
    });
    expect(await signsIn(own('writer'), values['KAFKA_PASSWORD'] ?? '')).toBe(true);
    // The account reads nothing, so it has no rule for groups.
    expect(await rulesOf(own('writer'))).toEqual([`allow write topic literal ${own('orders')} *`]);
    expect(errorsOf(await call(accountPasswordTake, named('writer')))).toEqual([409, 'undefined: AccountPasswordGone']);
  });

  test.each<[string, object, string]>([
    ['no name', { name: ' ' }, 'name: AccountNameRequired'],
    ['a name with digits', { name: 'planner2' }, 'name: LowercaseLetters'],
    ['a word of the routes', { name: 'settings' }, 'name: InvalidName'],
    ['a name that is taken', { name: 'planner' }, 'name: ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS'],
    ['a topic that is not there', { consumeTopics: [topic('nothing')] }, 'consumeTopics.0.resourceId: TopicDoesNotExist'],
    [
      'a topic of an app that is not there',
      { produceTopics: [topic('orders', 'nowhere')] },
      'produceTopics.0.resourceId: TopicDoesNotExist',
    ],
    [
      'a topic twice',
      { produceTopics: [topic('orders'), topic(`tp_${code}_development_orders`)] },
      'produceTopics.1.resourceId: DuplicateTopic',
    ],
    ['a group that is taken', { secretGroup: `${code}-kafka` }, 'secretGroup: SecretGroupAlreadyExists'],
    ['a long description', { description: 'x'.repeat(501) }, 'description: ExceedsMaximumLength'],
    ['another app than the path', { applicationCode: 'elsewhere' }, 'applicationCode: InvalidValue'],
  ])('refuses %s', async (_what, more, error) => {
    expect(errorsOf(await call(accountCreate, { body: wanted('refused', more) })).slice(1)).toEqual([error]);
  });

  test('a dry run says what would be made, and makes nothing', async () => {
    const { status, body } = await call(accountCreate, { body: wanted('dry', { secretGroup: 'dry-kafka' }), query: { dryRun: true } });
    const plan = body as Plan;
    expect([status, plan.pipelineType, plan.steps.map((step) => step.code)]).toEqual([
      200,
      'CreateAccount',
      ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword', 'CreateAccount'],
    ]);
    expect(plan.consequences.map(planTextOf)).toEqual([
      `Makes the user ${own('dry')} on the Kafka cluster.`,
      `May write ${own('orders')}.`,
      `May read ${own('moves')}.`,
      'Makes the secret group dry-kafka. Services connect with its keys.',
    ]);
    expect((await call(accountView, named('dry'))).status).toBe(404);
    expect(await streaming().listUsers('development', own('dry'))).toEqual([]);
  });

  test('what the cluster refuses leaves nothing behind, and is done by a re-run', async () => {
    engine.next('openUser', () =>
      Promise.reject(
        new PortFailure('rejected', 'no', { code: 'StreamingNotAuthorized', context: { operation: 'AlterUserScramCredentials' } }),
      ),
    );
    const failed = await create('refusing');
    expect(failureOf(failed)).toMatch(/^CreateClusterUser: /);
    expect([await rulesOf(own('refusing')), await streaming().listUsers('development', own('refusing'))]).toEqual([[], []]);
    expect(await view('refusing')).toMatchObject({ state: 'NOT_CREATED', credentials: null, can: { update: 'AccountNotCreated' } });
    const again = await call(pipelineRerun, { params: { pipelineId: failed.pipelineId }, body: {} });
    expect(await app.ended((again.body as PipelineRun).pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await rulesOf(own('refusing'))).toEqual(rights('refusing'));
  });

  test('a password that does not work is none', async () => {
    engine.next('openUser', (...input) => {
      const [environment, user] = input as Parameters<Streaming['openUser']>;
      return streaming().openUser(environment, user, 'another password than the one that is tried');
    });
    engine.next('canSignIn', () => Promise.resolve(false), 200);
    const failed = await create('wrong');
    engine.next('canSignIn', () => Promise.resolve(true), 0);
    expect(failureOf(failed)).toBe(`WaitForCredentialsCreation: The cluster does not accept ${own('wrong')} with the new password.`);
    expect([await rulesOf(own('wrong')), await streaming().listUsers('development', own('wrong'))]).toEqual([[], []]);
    expect(await run(accountDelete, named('wrong'))).toMatchObject({ status: { state: 'COMPLETED' } });
  });

  test('a user that somebody else made stays as it is', async () => {
    await streaming().openUser('development', own('taken'), 'made by an operator');
    const failed = await create('taken');
    expect(failureOf(failed)).toContain(`The cluster has a user ${own('taken')} that the platform did not make.`);
    expect(await run(accountDelete, named('taken'))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await signsIn(own('taken'), 'made by an operator')).toBe(true);
    await streaming().closeUser('development', own('taken'));
  });

  test('a secret group that somebody creates at the same moment stays', async () => {
    const body = { name: 'early-kafka', entries: [{ key: 'KAFKA_PASSWORD', value: 'mine' }] };
    expect((await call(secretGroupCreate, { body })).status).toBe(201);
    engine.next('connection', async () => {
      // The name is reserved, so only a transaction that began before the reservation can take it.
      await app.database.pool.query(`update secret_group set name = 'meanwhile-kafka' where name = 'early-kafka'`);
      return streaming().connection('development');
    });
    const failed = await create('meanwhile', { secretGroup: 'meanwhile-kafka' });
    expect(failureOf(failed)).toBe(
      'HandOverPassword: Somebody made a secret group meanwhile-kafka meanwhile. Delete that, or choose another name.',
    );
    expect([await rulesOf(own('meanwhile')), await streaming().listUsers('development', own('meanwhile'))]).toEqual([[], []]);
    expect((await call(secretGroupView, { params: { group: 'meanwhile-kafka' } })).body).toMatchObject({ kind: 'USER' });
  });
});

describe('accountUpdate', () => {
  const body = (more: object = {}) => ({
    description: 'Plans',
    produceTopics: [topic('orders')],
    consumeTopics: [topic('moves')],
    ...more,
  });

  test('makes the rules match the lists, there and back', async () => {
    await made('changer');
    expect(await run(accountUpdate, named('changer', body({ produceTopics: [topic('moves')] })))).toMatchObject({
      status: { state: 'COMPLETED' },
    });
    expect(await rulesOf(own('changer'))).toEqual([
      `allow read group prefixed ${own('changer')}. *`,
      `allow read topic literal ${own('moves')} *`,
      `allow write topic literal ${own('moves')} *`,
    ]);
    expect(await view('changer')).toMatchObject({ description: 'Plans', produceTopics: [{ name: 'moves' }] });
    expect(errorsOf(await call(accountUpdate, named('changer', { description: 'Half of it' })))).toEqual([
      400,
      'produceTopics: Required',
      'consumeTopics: Required',
    ]);
    expect(errorsOf(await call(accountUpdate, named('changer', body({ produceTopics: [topic('moves')] }))))).toEqual([
      409,
      'undefined: NothingChanged',
    ]);
  });

  test('a change that the cluster refuses is none', async () => {
    const refuse = () => Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingPolicyRefused', context: { reason: 'no' } }));
    engine.next('changeRights', refuse);
    const failed = await run(accountUpdate, named('changer', body({ produceTopics: [], consumeTopics: [] })));
    expect(failed).toMatchObject({ status: { state: 'FAILED' } });
    expect(await view('changer')).toMatchObject({ produceTopics: [{ name: 'moves' }], consumeTopics: [{ name: 'moves' }] });
    expect(await rulesOf(own('changer'))).toHaveLength(3);
    const again = await call(pipelineRerun, { params: { pipelineId: failed.pipelineId }, body: {} });
    expect(await app.ended((again.body as PipelineRun).pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await view('changer')).toMatchObject({ produceTopics: [], consumeTopics: [] });
    expect(await rulesOf(own('changer'))).toEqual([]);
    engine.next('changeRights', refuse);
    const more = body({ produceTopics: [topic('moves'), topic('orders')], consumeTopics: [topic('moves')] });
    expect(await run(accountUpdate, named('changer', more))).toMatchObject({ status: { state: 'FAILED' } });
    // No list shows the grant as approved.
    const listed = (await call(topicGrantList, { query: { side: 'asked', account: 'changer', topic: 'orders' } })).body;
    expect((listed as Page<TopicGrant>).content.filter(({ state }) => state === 'APPROVED')).toEqual([]);
    // It cannot be addressed by its id either.
    const { rows } = await app.database.pool.query<{ grant: string }>(
      `select topic_grant.id as grant from topic_grant join topic on topic.id = topic_id join account on account.id = account_id
       where account.name = 'changer' and topic.name = 'orders' and topic_grant.state = 'APPROVED'`,
    );
    expect(rows).toHaveLength(1);
    const hidden = await call(topicGrantView, { params: { grant: rows[0]?.grant ?? '' } });
    expect(errorsOf(hidden)).toEqual([404, 'undefined: TopicGrantDoesNotExist']);
  });
});

describe('accountRotate', () => {
  test('with overlap both passwords work, with the same rules, until the former ends', async () => {
    await made('rotor');
    const before = await take('rotor');
    const ended = await run(accountRotate, named('rotor', { overlapHours: 24 }));
    expect(stepsOf(ended)).toEqual([
      'ApplyAccessRules COMPLETED',
      'CreateClusterUser COMPLETED',
      'WaitForCredentialsCreation COMPLETED',
      'HandOverPassword COMPLETED',
    ]);
    const after = await take('rotor');
    expect(after.user).toBe(`${own('rotor')}~2`);
    expect([await signsIn(before.user, before.password), await signsIn(after.user, after.password)]).toEqual([true, true]);
    expect(await rulesOf(after.user)).toEqual(rights('rotor'));
    expect(await view('rotor')).toMatchObject({ user: after.user, credentials: { former: { user: before.user } } });
    expect(errorsOf(await call(accountRotate, named('rotor', {})))).toEqual([409, 'undefined: FormerPasswordValid']);
    const verify = ({ user, password }: typeof after) => verifyAccount(app.database.db, 'development', user, password);
    expect([await verify(before), await verify(after)]).toMatchObject([{ account: 'rotor' }, { account: 'rotor', app: code }]);

    expect((await call(accountFormerPasswordEnd, named('rotor'))).status).toBe(200);
    await expect.poll(() => signsIn(before.user, before.password), { timeout: PATIENCE_MS }).toBe(false);
    expect(await rulesOf(before.user)).toEqual([]);
    expect([await verify(before), await verify({ ...after, password: 'x' }), (await verify(after))?.user]).toEqual([
      undefined,
      undefined,
      after.user,
    ]);
    await expect.poll(async () => (await view('rotor')).credentials?.former, { timeout: PATIENCE_MS }).toBeNull();
    expect(errorsOf(await call(accountFormerPasswordEnd, named('rotor')))).toEqual([409, 'undefined: NoFormerPassword']);
    // The first user is current again.
    await run(accountRotate, named('rotor', { overlapHours: 1 }));
    expect(await view('rotor')).toMatchObject({ user: own('rotor'), credentials: { former: { user: after.user } } });
  });

  test('at once the same user has another password', async () => {
    await made('atonce');
    const before = await take('atonce');
    const ended = await run(accountRotate, named('atonce', { overlapHours: 0 }));
    expect([ended.pipelineType, ended.status.state]).toEqual(['ReplaceAccountPassword', 'COMPLETED']);
    const after = await take('atonce');
    expect(after.user).toBe(before.user);
    expect([await signsIn(before.user, before.password), await signsIn(after.user, after.password)]).toEqual([false, true]);
  });

  test('a group gets the new password as a new version; an account without one gets one', async () => {
    await run(accountRotate, named('writer', { overlapHours: 0 }));
    expect(await view('writer')).toMatchObject({ credentials: { secretGroup: { version: 2 }, waiting: null } });
    await run(accountRotate, named('atonce', { overlapHours: 0, secretGroup: 'atonce-kafka' }));
    expect(await view('atonce')).toMatchObject({ credentials: { secretGroup: { name: 'atonce-kafka', version: 1 } } });
    const { body } = await call(accountRotate, { ...named('atonce', { overlapHours: 1 }), query: { dryRun: true } });
    expect((body as Plan).consequences.map(planTextOf)).toEqual([
      'Makes a new password as a new version of atonce-kafka. A service uses it once it is restarted.',
      'The former password works for 1 h more.',
    ]);
  });

  test('a rotation that fails leaves the account as it was', async () => {
    await made('steady');
    const before = await take('steady');
    engine.next('canSignIn', () =>
      Promise.reject(new PortFailure('rejected', 'no', { code: 'StreamingUnsupported', context: { operation: 'x' } })),
    );
    expect(await run(accountRotate, named('steady', { overlapHours: 1 }))).toMatchObject({ status: { state: 'FAILED' } });
    expect(await signsIn(before.user, before.password)).toBe(true);
    expect([await rulesOf(`${own('steady')}~2`), await streaming().listUsers('development', `${own('steady')}~2`)]).toEqual([[], []]);
    expect(await view('steady')).toMatchObject({ user: own('steady'), credentials: { former: null, waiting: null } });
  });

  test('a password that nobody takes is forgotten', async () => {
    await made('forgotten');
    await app.database.db.updateTable('account').set({ waiting_until: new Date() }).where('name', '=', 'forgotten').execute();
    const sealed = async () =>
      (await app.database.db.selectFrom('account').select('waiting_sealed').where('name', '=', 'forgotten').executeTakeFirst())
        ?.waiting_sealed;
    await expect.poll(sealed, { timeout: PATIENCE_MS }).toBeNull();
    expect(errorsOf(await call(accountPasswordTake, named('forgotten')))).toEqual([409, 'undefined: AccountPasswordGone']);
  });
});

describe('rules and rights', () => {
  test('drift is seen, named, and repaired; what somebody else made stays', async () => {
    const { user } = await made('drifter');
    expect(statesOf(await shownRules('drifter'))).toEqual([
      `THERE write ${own('orders')}`,
      `THERE read ${own('moves')}`,
      `THERE read ${own('drifter')}.`,
    ]);
    const missing = (await streaming().listRules('development', { user })).filter(({ operation }) => operation === 'write');
    const foreign = { resource: 'topic', pattern: 'literal', name: own('moves'), operation: 'write' } as const;
    await streaming().changeRights('development', user, { added: [foreign], removed: missing });
    await expect.poll(async () => (await view('drifter')).status.drift, { timeout: PATIENCE_MS }).toBe('DRIFT');
    expect(statesOf(await shownRules('drifter'))).toEqual([
      `MISSING write ${own('orders')}`,
      `THERE read ${own('moves')}`,
      `THERE read ${own('drifter')}.`,
      `FOREIGN write ${own('moves')}`,
    ]);
    expect(await may('drifter', own('orders'), 'write')).toMatchObject({ isAllowed: false, because: 'NO_RULE', rule: null });
    expect(await run(accountRepair, named('drifter'))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(statesOf(await shownRules('drifter'))).toContain(`FOREIGN write ${own('moves')}`);
    await expect.poll(async () => (await view('drifter')).status.drift, { timeout: PATIENCE_MS }).toBe('NONE');
    expect(await may('drifter', own('orders'), 'write')).toMatchObject({
      isAllowed: true,
      because: 'ALLOWED',
      rule: { user, name: own('orders'), operation: 'write' },
    });
    expect(await run(accountDelete, named('drifter'))).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await rulesOf(user)).toEqual([`allow write topic literal ${own('moves')} *`]);
    await streaming().setRights('development', user, []);
  });

  test('a user that is gone from the cluster is drift', async () => {
    const { user } = await made('goner');
    await streaming().closeUser('development', user);
    await expect.poll(async () => (await view('goner')).status.drift, { timeout: PATIENCE_MS }).toBe('DRIFT');
    expect((await shownRules('goner')).users).toEqual([{ user, isThere: false }]);
    expect(await run(accountRotate, named('goner', { overlapHours: 0 }))).toMatchObject({ status: { state: 'COMPLETED' } });
    await expect.poll(async () => (await view('goner')).status.drift, { timeout: PATIENCE_MS }).toBe('NONE');
  });

  test('the cluster itself says what an account may do: its own topics and groups, and no others', async () => {
    expect(await may('planner', own('moves'))).toMatchObject({ isAllowed: true });
    expect(await may('planner', own('moves'), 'describe')).toMatchObject({ isAllowed: true });
    expect(await may('planner', own('moves'), 'write')).toMatchObject({ isAllowed: false, because: 'NO_RULE' });
    expect(await may('planner', `${own('planner')}.main`, 'read', 'group')).toMatchObject({
      isAllowed: true,
      rule: { pattern: 'prefixed' },
    });
    expect(await may('planner', `${own('plannerx')}.main`, 'read', 'group')).toMatchObject({ isAllowed: false });
    expect((await call(accountGroupsView, named('planner'))).body).toEqual({ groups: [] });
  });

  test('while the cluster is away, rules are shown as they should be, and nothing is claimed', async () => {
    // Covers the calls of the watcher, too.
    engine.away('listRules', 'Kafka', 1000);
    expect(await shownRules('planner')).toMatchObject({ isCompared: false, rules: [{ state: 'THERE' }, {}, {}] });
    engine.away('listRules', 'Kafka', 0);
    engine.away('listGroups', 'Kafka');
    expect((await call(accountGroupsView, named('planner'))).body).toEqual({ groups: null });
  });
});

describe('accountDelete', () => {
  test('deletes its groups, so that a new account of the name begins anew', async () => {
    const group = `${own('reader')}.main`;
    await made('reader');
    await streaming().produce('development', own('moves'), { key: null, value: Buffer.from('a') });
    await kafkaClient(await streaming().connection('development')).consume(await take('reader'), own('moves'), group, 1);
    expect(await streaming().listGroups('development', group)).toEqual([{ group, state: 'Empty' }]);
    const { consequences } = (await call(accountDelete, { ...named('reader'), query: { dryRun: true } })).body as Plan;
    expect(consequences.map(planTextOf)).toEqual([
      `Deletes the user ${own('reader')} on the Kafka cluster with its access rules. Clients that use it stop at once.`,
      `Deletes the consumer groups ${own('reader')}.* with their offsets. A new account of the name begins anew.`,
    ]);
    await run(accountDelete, named('reader'));
    expect(await streaming().listGroups('development', group)).toEqual([]);
  });

  test('takes rules, users and secret group', async () => {
    await run(accountRotate, named('writer', { overlapHours: 1 }));
    const ended = await run(accountDelete, named('writer'));
    expect(stepsOf(ended)).toEqual(
      ['RemoveAccessRules', 'DeleteSecretGroup', 'RemoveClusterUsers', 'DeleteAccount'].map((step) => `${step} COMPLETED`),
    );
    expect([await rulesOf(own('writer')), await rulesOf(`${own('writer')}~2`)]).toEqual([[], []]);
    expect(await streaming().listUsers('development', own('writer'))).toEqual([]);
    expect((await call(secretGroupView, { params: { group: `${code}-kafka` } })).status).toBe(404);
    expect((await call(accountView, named('writer'))).status).toBe(404);
  });

  test('an app with accounts stays; one that was not created gets none', async () => {
    const { db } = app.database;
    await seedApp(db, { id: 'quay' });
    const params = { app: 'quay', env: 'production' };
    const body = { name: 'lonely' };
    expect((await app.run('member', accountCreate, { params, body })).status.state).toBe('COMPLETED');
    expect(errorsOf(await app.call('owner', applicationDelete, { params: { app: 'quay' } }))).toEqual([409, 'undefined: ExistingTopics']);
    await app.run('member', accountDelete, { params: { ...params, account: 'lonely' } });
    await seedApp(db, { id: 'never', state: 'NOT_CREATED' });
    const refused = await app.call('member', accountCreate, { params: { app: 'never', env: 'production' }, body });
    expect(errorsOf(refused)).toEqual([409, 'undefined: ApplicationNotCreated']);
  });

  test('the list has those that are left', async () => {
    const { content } = (await call(accountList, { query: { query: 'rotor' } })).body as Page<Account>;
    expect(content.map(({ name }) => name)).toEqual(['rotor']);
    const stranger = await app.call('stranger', accountList, { params: place });
    expect(stranger.status).toBe(404);
  });
});
