/** Tests notifications over HTTP: what an event becomes, who is notified, trays, preferences and channels with each error code. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { noticeList, noticeReadAll, noticeUpdate, type NoticePage } from '@slipway/contract/notification/notice.ts';
import {
  mailOutboxList,
  noticePreferenceUpdate,
  noticePreferenceView,
  notificationChannelCreate,
  notificationChannelDelete,
  notificationChannelList,
  notificationChannelTest,
  notificationChannelUpdate,
  type NotificationChannel,
} from '@slipway/contract/notification/notification.ts';
import { needList, type Need } from '@slipway/contract/notification/need.ts';
import { eventStream } from '@slipway/contract/platform.ts';
import { transaction } from '#db/database.ts';
import { createLog } from '#kernel/log.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import type { Actor } from '#testing/actors.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { digestAt, expandEvents, sweepNotices } from './expand.sql.ts';
import { NotificationWorker } from './notification-worker.ts';
import { notify, type NotificationEvent } from './notify.ts';
import { watchConditions, watchSecrets } from './watches.sql.ts';

const log = createLog('silent');
const params = { team: 'cranes' };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false, outgoing: { allow: ['127.0.0.2'] } });
});
afterAll(() => app.close());
beforeEach(async () => {
  for (const table of ['notification_event', 'notice', 'notification_channel', 'notification_preference', 'lasting_condition'])
    await app.database.pool.query(`delete from ${table}`);
});

const call = async <T>(actor: Actor, route: RouteShape, request: Request = {}): Promise<T> => {
  const answer = await app.call(actor, route, request);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as T;
};
let serial = 0;
const failed = (more: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: `event-${serial++}`,
  type: 'pipeline.failed',
  entity: 'service:berth/development/berth',
  team: 'cranes',
  context: { pipeline: 'Deploy', name: 'berth', place: 'berth · development · ', step: 'Start instances' },
  path: '/app/berth/development/service/berth/pipeline/pl_1',
  ...more,
});
const say = async (...events: NotificationEvent[]): Promise<void> => {
  for (const event of events) await notify(app.database.db, event);
  await expandEvents(app.database.db, log);
};
const tray = (actor: Actor, query: Record<string, unknown> = {}): Promise<NoticePage> => call(actor, noticeList, { query });
const rows = async <T>(text: string): Promise<T[]> => (await app.database.pool.query(text)).rows as T[];
const makeChannel = (more: object = {}): Promise<NotificationChannel & { secret: string | null }> =>
  call('owner', notificationChannelCreate, { params, body: { name: 'Team mail', kind: 'EMAIL', address: 'cranes@example.test', ...more } });

test("an event of a team reaches its members' trays, and nobody else", async () => {
  await say(failed());
  const { content, unread, next } = await tray('member');
  expect({ unread, next }).toEqual({ unread: 1, next: null });
  expect(content).toMatchObject([
    {
      type: 'pipeline.failed',
      title: 'Deploy failed for berth',
      detail: 'berth · development · Stopped at Start instances',
      path: '/app/berth/development/service/berth/pipeline/pl_1',
      needsYou: false,
      tone: 'bad',
      count: 1,
      isRead: false,
    },
  ]);
  expect((await tray('owner')).content).toHaveLength(1);
  for (const actor of ['stranger', 'administrator', 'serviceAccount'] as const) expect((await tray(actor)).content).toEqual([]);
});

test('members who left the company get nothing, neither in the tray nor by mail', async () => {
  await call('member', noticePreferenceUpdate, { body: { topics: [{ topic: 'pipeline.failed', tray: true, email: 'AT_ONCE' }] } });
  const leave = (left: Date | null) => app.database.db.updateTable('identity').set({ left_at: left }).where('id', '=', 'mats').execute();
  await leave(new Date());
  await say(failed());
  await leave(null);
  expect((await tray('owner')).content).toHaveLength(1);
  expect((await tray('member')).content).toEqual([]);
  expect(await rows(`select from notification_channel where identity_id = 'mats'`)).toEqual([]);
});

test('a live hint about a tray reaches its owner alone', async () => {
  const listen = async (actor: Actor) => {
    const headers = { authorization: `Bearer ${await app.signIn.token(actor)}` };
    const { body } = await fetch(`${app.url}${eventStream.path}`, { headers });
    const seen: string[] = [];
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    void (async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) seen.push(part.value);
    })();
    return { seen: () => seen.join('').match(/"identity":"\w+"/g) ?? [], end: () => reader?.cancel() };
  };
  const streams = [await listen('member'), await listen('stranger'), await listen('administrator')];
  await say(failed());
  await expect.poll(() => streams[0]?.seen(), { timeout: PATIENCE_MS }).toEqual(['"identity":"mats"']);
  expect(streams.slice(1).map(({ seen }) => seen())).toEqual([[], []]);
  for (const { end } of streams) await end();
});

test('an event with the same id is written once, and none comes from a transaction that failed', async () => {
  const event = failed();
  await say(event, event);
  await say(event);
  expect((await tray('member')).content).toMatchObject([{ count: 1 }]);
  const undone = transaction(app.database.db, async (trx) => {
    await notify(trx, failed({ entity: 'service:berth/development/other' }));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await say();
  expect((await tray('member')).content).toHaveLength(1);
});

test('events of one entity within ten minutes are one notice with a count, unread again; later ones are another', async () => {
  await makeChannel();
  await say(failed());
  const [first] = (await tray('member')).content;
  await call('member', noticeUpdate, { params: { notice: first?.id ?? '' }, body: { state: 'DONE' } });
  await say(failed(), failed());
  expect((await tray('member')).content).toMatchObject([
    { id: first?.id, count: 3, isRead: false, title: 'Deploy failed for berth (3 times)' },
  ]);
  expect(await rows('select from notification_delivery')).toHaveLength(1);
  await say(failed({ entity: 'service:berth/development/other' }));
  await app.database.pool.query(`update notice set first_at = first_at - interval '10 minutes 1 second'`);
  await say(failed());
  expect((await tray('member')).content.map(({ count }) => count).toSorted()).toEqual([1, 1, 3]);
});

test('a joined event is mailed to its new recipients alone', async () => {
  const request = { type: 'request.raised', team: null, entity: 'REQ-1', path: '/requests' } as const;
  const context = { title: 'Berth gets an owner', by: 'Olga', request: 'REQ-1' };
  // A person without a tray counts as reached, too.
  await call('member', noticePreferenceUpdate, { body: { topics: [{ topic: 'request.decide', tray: false, email: 'AT_ONCE' }] } });
  const mailed = () =>
    rows<{ who: string }>(
      'select identity_id as who from notification_delivery join notification_channel c on c.id = channel_id order by 1',
    );
  await say(failed({ ...request, context, people: ['mats'] }));
  await say(failed({ ...request, context, people: ['mats', 'stig'] }));
  expect(await mailed()).toEqual([{ who: 'mats' }, { who: 'stig' }]);
  await say(failed({ ...request, context, people: ['mats', 'stig'] }));
  expect(await mailed()).toHaveLength(2);
  expect(await rows('select count from notice')).toEqual([{ count: 3 }]);
});

test('nobody is notified of what they did, and people who turned it off get nothing', async () => {
  await call('owner', noticePreferenceUpdate, { body: { topics: [{ topic: 'request.decide', tray: false, email: 'OFF' }] } });
  const request = { type: 'request.raised', team: null, context: { title: 'Berth gets an owner', by: 'Mats', request: 'REQ-1' } } as const;
  await say(failed({ ...request, entity: 'REQ-1', people: ['olga', 'mats', 'stig'], actor: 'mats', path: '/catalogue/requests' }));
  expect((await tray('owner')).content).toEqual([]);
  expect((await tray('member')).content).toEqual([]);
  expect((await tray('stranger')).content).toMatchObject([{ title: 'Berth gets an owner', detail: 'Mats asks · REQ-1', needsYou: true }]);
  expect(await rows('select identity_id, event from notification_delivery join notification_channel c on c.id = channel_id')).toEqual([
    { identity_id: 'stig', event: 'request.raised' },
  ]);
});

test('a notice is read, unread, all read and done; only by its owner', async () => {
  await say(failed(), failed({ entity: 'app:berth' }));
  const { content } = await tray('member');
  const notice = content[0]?.id ?? '';
  const set = (actor: Actor, state: string, id = notice) => app.call(actor, noticeUpdate, { params: { notice: id }, body: { state } });
  expect((await set('member', 'READ')).status).toBe(204);
  expect((await tray('member')).unread).toBe(1);
  await set('member', 'UNREAD');
  expect((await tray('member')).unread).toBe(2);
  await call('member', noticeReadAll);
  expect((await tray('member')).unread).toBe(0);
  expect((await tray('owner')).unread).toBe(2);
  await set('member', 'DONE');
  expect((await tray('member')).content.map(({ id }) => id)).toEqual([content[1]?.id]);
  expect(errorsOf(await set('stranger', 'READ'))).toEqual([404, 'undefined: NotificationDoesNotExist']);
  expect(errorsOf(await set('member', 'GONE'))).toEqual([400, 'state: InvalidValue']);
});

test('pages follow a cursor, and what is older than 90 days is gone', async () => {
  await say(...['a', 'b', 'c'].map((entity) => failed({ entity })));
  const first = await tray('member', { size: 2 });
  const second = await tray('member', { size: 2, after: first.next });
  expect([first.content.length, second.content.length, second.next]).toEqual([2, 1, null]);
  expect(new Set([...first.content, ...second.content].map(({ id }) => id)).size).toBe(3);
  await app.database.pool.query(`update notice set at = now() - interval '91 days' where entity = 'a'`);
  await sweepNotices(app.database.db, 90);
  expect((await tray('member')).content).toHaveLength(2);
});

test('old events are swept however many they are', { timeout: PATIENCE_MS }, async () => {
  await app.database.pool.query(`insert into notification_event (id, type, entity, identity_ids, context, path, at, expanded_at)
    select n::text, 'pipeline.failed', 'x', '{}', '{}', '/', now() - interval '91 days', now() from generate_series(1, 2500) n`);
  const worker = new NotificationWorker({ db: app.database.db, log, onExpanded: () => {} });
  worker.start();
  await expect.poll(() => rows('select from notification_event'), { timeout: PATIENCE_MS }).toEqual([]);
  await worker.stop();
});

test('preferences start with the defaults; a topic that is left out stays', async () => {
  const view = () => call<{ email: string; topics: { topic: string }[] }>('member', noticePreferenceView);
  const { email, topics } = await view();
  expect(email).toBe('mats@example.test');
  expect(topics).toContainEqual({ topic: 'pipeline.failed', tray: true, email: 'OFF' });
  expect(topics).toContainEqual({ topic: 'entry.attest', tray: true, email: 'WEEKLY' });
  expect(topics).toContainEqual({ topic: 'summary', tray: false, email: 'AT_ONCE' });
  await call('member', noticePreferenceUpdate, { body: { topics: [{ topic: 'pipeline.failed', tray: false, email: 'DAILY' }] } });
  expect((await view()).topics).toEqual([
    { topic: 'pipeline.failed', tray: false, email: 'DAILY' },
    ...topics.filter(({ topic }) => topic !== 'pipeline.failed'),
  ]);
  const wrong = { topics: [{ topic: 'nothing', tray: true, email: 'OFF' }] };
  expect(errorsOf(await app.call('member', noticePreferenceUpdate, { body: wrong }))).toEqual([400, 'topics.0.topic: InvalidValue']);
});

test('a digest collects notices until 08:00, and there is none without notices', async () => {
  const { id } = await makeChannel();
  await call('owner', notificationChannelUpdate, {
    params: { ...params, channel: id },
    body: { cadences: { 'pipeline.failed': 'DAILY' } },
  });
  await say(failed(), failed({ entity: 'app:berth' }));
  const due = digestAt('DAILY', new Date());
  expect(due.getUTCHours()).toBe(8);
  expect(
    await rows(
      'select event, due_at, next_try_at, (select count(*)::int from notification_delivery_notice) as notices from notification_delivery',
    ),
  ).toEqual([{ event: 'DAILY', due_at: due, next_try_at: due, notices: 2 }]);
});
test.each([
  ['DAILY', '2026-11-24T07:59:59Z', '2026-11-24T08:00:00.000Z'],
  ['DAILY', '2026-11-24T08:00:00Z', '2026-11-25T08:00:00.000Z'],
  ['WEEKLY', '2026-11-24T07:00:00Z', '2026-11-30T08:00:00.000Z'],
  ['WEEKLY', '2026-11-30T08:00:00Z', '2026-12-07T08:00:00.000Z'],
] as const)('the %s digest after %s is sent at %s', (cadence, now, at) => {
  expect(digestAt(cadence, new Date(now)).toISOString()).toBe(at);
});

test('two replicas expand an event once, and one that cannot be expanded holds up no other', async () => {
  await makeChannel();
  await notify(app.database.db, failed({ entity: 'x', people: [], context: {} }));
  await app.database.pool.query(`insert into notification_event (id, type, entity, identity_ids, context, path) values
    ('of-later', 'moon.rises', 'x', '{}', '{}', '/'), ('broken', 'pipeline.failed', 'y', '{}', '{}', '/')`);
  // A channel without its team's row: the insert of the delivery fails.
  await app.database.pool.query(`alter table notice add constraint broken check (entity <> 'y')`);
  await Promise.all([expandEvents(app.database.db, log), expandEvents(app.database.db, log)]);
  await app.database.pool.query(`alter table notice drop constraint broken`);
  expect(await rows('select from notification_delivery')).toHaveLength(1);
  expect(
    await rows(`select id, expanded_at is null as waits from notification_event where id in ('of-later', 'broken') order by id`),
  ).toEqual([
    { id: 'broken', waits: true },
    { id: 'of-later', waits: false },
  ]);
});

test('channels are created, shown without their secrets, changed and deleted; members read them', async () => {
  const hook = await makeChannel({ name: 'Chat', kind: 'WEBHOOK', address: 'http://127.0.0.2:8080/hooks/T000/secret4f2c' });
  expect(hook).toMatchObject({
    kind: 'WEBHOOK',
    address: '127.0.0.2:8080/••••4f2c',
    secret: expect.stringMatching(/^whsec_/),
    failingSince: null,
    waiting: 0,
  });
  expect(hook.cadences).toMatchObject({ 'pipeline.failed': 'AT_ONCE', expiry: 'DAILY', 'request.decide': 'OFF' });
  expect(hook.cadences).not.toHaveProperty('summary');
  const mail = await makeChannel();
  expect(mail.secret).toBeNull();
  const one = { ...params, channel: mail.id };
  const changed = await call<NotificationChannel>('owner', notificationChannelUpdate, {
    params: one,
    body: { cadences: { drift: 'OFF' }, name: 'Mail' },
  });
  expect(changed).toMatchObject({ name: 'Mail', address: 'cranes@example.test', cadences: { drift: 'OFF', 'pipeline.failed': 'AT_ONCE' } });
  const seen = await call<NotificationChannel[]>('member', notificationChannelList, { params });
  expect(seen.map(({ name, can }) => [name, can['update']])).toEqual([
    ['Chat', 'NotAnOwner'],
    ['Mail', 'NotAnOwner'],
  ]);
  const stored = JSON.stringify([await rows('select * from notification_channel'), await rows('select * from activity'), seen]);
  for (const secret of ['secret4f2c', hook.secret ?? '-']) expect(stored).not.toContain(secret);
  await call('owner', notificationChannelDelete, { params: one });
  expect(await call<NotificationChannel[]>('member', notificationChannelList, { params })).toHaveLength(1);
});

test.each([
  [{ name: '' }, 'name: Required'],
  [{ kind: 'PIGEON' }, 'kind: InvalidValue'],
  [{ address: '' }, 'address: Required'],
  [{ address: 'no address' }, 'address: NotAnEmailAddress'],
  [{ address: 'a@b.test\r\nbcc: c@d.test' }, 'address: NotAnEmailAddress'],
  [{ kind: 'SLACK', address: 'ftp://example.test' }, 'address: WebhookTargetInvalid'],
  [{ kind: 'TEAMS', address: 'http://127.0.0.1:4000/' }, 'address: WebhookTargetInside'],
  [{ address: `${'a'.repeat(2001)}@b.test` }, 'address: ExceedsMaximumLength'],
])('%j is refused', async (change, error) => {
  const body = { name: 'Wrong', kind: 'EMAIL', address: 'a@b.test', ...change };
  expect(errorsOf(await app.call('owner', notificationChannelCreate, { params, body }))).toEqual([400, error]);
});

test('names are unique in a team, which has twenty channels at most; another team sees none of them', async () => {
  const { id } = await makeChannel();
  const again = { params, body: { name: 'Team mail', kind: 'EMAIL', address: 'a@b.test' } };
  expect(errorsOf(await app.call('owner', notificationChannelCreate, again))).toEqual([409, 'name: ChannelAlreadyExists']);
  const other = await makeChannel({ name: 'Other' });
  const renamed = { params: { ...params, channel: other.id }, body: { name: 'Team mail' } };
  expect(errorsOf(await app.call('owner', notificationChannelUpdate, renamed))).toEqual([409, 'name: ChannelAlreadyExists']);
  for (let count = 2; count < 20; count += 1) await makeChannel({ name: `More ${count}` });
  const beyond = { params, body: { name: 'Beyond', kind: 'EMAIL', address: 'a@b.test' } };
  expect(errorsOf(await app.call('owner', notificationChannelCreate, beyond))).toEqual([409, 'undefined: TooManyChannels']);
  const theirs = { params: { team: 'customs', channel: id } };
  for (const route of [notificationChannelDelete, notificationChannelTest])
    expect(errorsOf(await app.call('stranger', route, theirs))).toEqual([404, 'undefined: ChannelDoesNotExist']);
});

test('a test is mailed to the outbox, once a minute, which administrators read', async () => {
  const { id } = await makeChannel();
  const one = { params: { ...params, channel: id } };
  expect(await call('owner', notificationChannelTest, one)).toEqual({ status: null, failure: null, durationMs: expect.any(Number) });
  expect(errorsOf(await app.call('owner', notificationChannelTest, one))).toEqual([429, 'undefined: WebhookTestTooSoon']);
  expect(await call('administrator', mailOutboxList)).toMatchObject({
    mailer: 'embedded',
    next: null,
    content: [{ to: 'cranes@example.test', subject: '[Test] Slipway: Test', body: expect.stringContaining('This is a test from Slipway') }],
  });
});

test('a service that fails for two minutes is announced once, and once when it is healthy again', async () => {
  const { pool } = app.database;
  await pool.query(`
    insert into app (id, display_name, team_id, state, created_by) values ('berth', 'Berth', 'cranes', 'ACTIVE', 'olga') on conflict do nothing;
    insert into service (id, app_id, environment, name, spec, created_by, serving) values ('svc_1', 'berth', 'development', 'berth-api', '{}', 'olga', '{berth-api-1}');
    insert into revision (id, service_id, number, name, image_tag, image_repository, image_digest, spec, reason, replicas_wanted, status, created_by, created_by_name)
      values ('rev_1', 'svc_1', 1, 'berth-api-1', '1', 'berth/berth-api', 'sha256:1', '{}', '{}', 1, 'FAILING', 'olga', 'Olga')`);
  const titles = async (): Promise<string[]> => {
    await watchConditions(app.database.db);
    await watchConditions(app.database.db);
    await say();
    return (await tray('member')).content.map(({ title }) => title);
  };
  expect(await titles()).toEqual([]);
  await pool.query(`update lasting_condition set since = now() - interval '3 minutes'`);
  expect(await titles()).toEqual(['berth-api is failing in development']);
  await pool.query(`update revision set status = 'PENDING' where id = 'rev_1'`);
  expect(await titles()).toHaveLength(1);
  await pool.query(`update revision set status = 'HEALTHY' where id = 'rev_1'`);
  expect(await titles()).toEqual(['berth-api is healthy again in development', 'berth-api is failing in development']);
  expect((await tray('member')).content[0]).toMatchObject({
    detail: 'berth · it was failing for 3 minutes',
    path: '/app/berth/development/service/berth-api',
  });
});

test('a secret is announced 14, 3 and 1 days before its last day, each once', async () => {
  const { pool } = app.database;
  await pool.query(`
    insert into app (id, display_name, team_id, state, created_by) values ('berth', 'Berth', 'cranes', 'ACTIVE', 'olga') on conflict do nothing;
    insert into secret_group (id, app_id, environment, name, created_by, created_by_name) values ('sg_1', 'berth', 'production', 'database', 'olga', 'Olga');
    insert into secret_key_expiry (group_id, key, expires_at) values ('sg_1', 'PASSWORD', '2026-12-31')`);
  const found: number[] = [];
  for (const day of ['17', '18', '19', '28', '29', '30', '31']) {
    for (const hour of ['00', '23']) await watchSecrets(app.database.db, new Date(`2026-12-${day}T${hour}:00:00Z`));
    found.push((await rows('select from notification_event')).length);
  }
  await watchSecrets(app.database.db, new Date('2027-01-01T00:00:00Z'));
  expect(found).toEqual([0, 1, 1, 1, 2, 2, 3]);
  await say();
  expect((await tray('member')).content).toMatchObject([
    { type: 'secret.expiring', count: 3, title: 'The secret PASSWORD expires after 2026-12-31 (3 times)' },
  ]);
});

describe('what needs a person', () => {
  const needs = async (actor: Actor) =>
    (await call<{ content: Need[]; total: number }>(actor, needList)).content.map(({ type, name }) => `${type} ${name}`);
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

  beforeAll(async () => {
    const { pool } = app.database;
    await pool.query(`update revision set status = 'FAILING' where id = 'rev_1'; delete from secret_key_expiry`);
    await pool.query(`
      insert into app (id, display_name, team_id, state, created_by) values ('tolls', 'Tolls', 'customs', 'ACTIVE', 'stig');
      insert into secret_group (id, app_id, environment, name, created_by, created_by_name) values
        ('sg_near', 'berth', 'development', 'near', 'olga', 'Olga'), ('sg_tolls', 'tolls', 'production', 'tolls', 'stig', 'Stig')`);
    await pool.query(
      `insert into secret_key_expiry (group_id, key, expires_at)
        select id, key, at::date from (values ('sg_near', 'LATER', $1), ('sg_near', 'SOON', $2), ('sg_near', 'OVER', $3), ('sg_tolls', 'OTHER', $2)) as row (id, key, at)`,
      [day(20), day(13), day(-1)],
    );
  });

  test('failing services come first, then secrets by their last day; others of other teams never', async () => {
    expect(await needs('member')).toEqual(['service.failing berth-api', 'secret.expiring OVER', 'secret.expiring SOON']);
    expect(await needs('stranger')).toEqual(['secret.expiring OTHER']);
    expect(await needs('administrator')).toEqual([]);
  });

  test('names the page, and since when the condition is known', async () => {
    await watchConditions(app.database.db);
    const { content, total } = await call<{ content: Need[]; total: number }>('owner', needList);
    expect(total).toBe(3);
    expect(content[0]).toEqual({
      type: 'service.failing',
      app: 'berth',
      env: 'development',
      name: 'berth-api',
      detail: 'berth-api-1',
      since: expect.any(String),
      endsOn: null,
      path: '/app/berth/development/service/berth-api',
    });
    expect(content[1]).toMatchObject({ detail: 'near', endsOn: day(-1), path: '/app/berth/development/secret-group/near' });
  });

  test('an item disappears with its cause', async () => {
    await app.database.pool.query(
      `update revision set status = 'HEALTHY' where id = 'rev_1'; delete from secret_key_expiry where key = 'OVER'`,
    );
    expect(await needs('member')).toEqual(['secret.expiring SOON']);
  });
});
