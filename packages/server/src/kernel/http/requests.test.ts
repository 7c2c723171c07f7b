/** Behavior shared by all routes: authentication, error responses, and retries with an Idempotency-Key. */
import http from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appActivityExport } from '@slipway/contract/activity.ts';
import { applicationCreate, applicationList, applicationSummaryList } from '@slipway/contract/application.ts';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { ApiTokenCreate, meTokenCreate, meTokenDelete, meView, type Me } from '@slipway/contract/identity.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { metricsView } from '@slipway/contract/platform.ts';
import { routes } from '@slipway/contract/routes.ts';
import { serviceRepositorySet } from '@slipway/contract/service/service-operations.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { teamView } from '@slipway/contract/team.ts';
import { errorsOf, testApp, type Answer, type TestApp } from '#testing/app.ts';
import { noteReached } from '#testing/reached.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { permissions } from '#testing/permissions.ts';
import { adminTokenId, callerOfToken, syncAdminToken } from '../auth/api-token.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seedApp(app.database.db, { id: 'berth' });
  const id = await seedService(app.database.db, { app: 'berth' });
  await app.database.db.updateTable('service').set({ repository_name: 'berth' }).where('id', '=', id).execute();
});
afterAll(() => app?.close());

const codesOf = ({ body }: Answer): string[] => (body as ErrorObject).errors.map(({ code }) => code);
const rawCodesOf = ({ text }: { text: string }): string[] => {
  const codes = codesOf({ body: JSON.parse(text) as unknown, status: 0, headers: new Headers() });
  for (const code of codes) noteReached(code);
  return codes;
};
const withToken = (token: string, route: RouteShape = meView) => app.call(undefined, route, { token });

describe('access tokens', () => {
  test.each([
    ['of another audience', () => app.signIn.token('owner', { audience: 'service:berth/development/berth' })],
    ['of another issuer', () => app.signIn.token('owner', { issuer: 'https://elsewhere.test' })],
    ['that have expired', () => app.signIn.token('owner', { expiresAt: '1 minute ago' })],
    ['that nobody signed', async () => app.signIn.unsigned('owner')],
    ['signed with another key', () => app.signIn.forged('owner')],
    ['that are none', async () => 'a.b.c'],
    ['that are no token at all', async () => 'nonsense'],
  ])('%s are refused', async (_name, make) => {
    const answer = await withToken(await make());
    expect([answer.status, codesOf(answer)]).toEqual([401, ['TokenInvalid']]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  });

  test('make a newcomer known, once', async () => {
    const token = await app.signIn.token('owner', { subject: 'newcomer', name: 'Nora New', email: 'nora@example.test' });
    const answers = await Promise.all([withToken(token), withToken(token), withToken(token)]);
    expect(answers.map(({ body }) => (body as Me).id)).toEqual(['newcomer', 'newcomer', 'newcomer']);
  });

  test('do not make a newcomer one of the people here, whatever he calls himself', async () => {
    await syncAdminToken(app.database.pool, 'a'.repeat(40));
    const token = await app.signIn.token('owner', { subject: 'platform-automation', name: 'Mallory', email: 'OLGA@example.test' });
    const me = (await withToken(token)).body as Me;
    expect(me).toMatchObject({ displayName: 'Mallory', email: null, isAdministrator: false, teamRefs: [] });
    expect(me.id).not.toBe('platform-automation');
  });
});

describe('API tokens', () => {
  test('with the scope read only cannot write', async () => {
    const token = await app.apiToken('owner', ['read']);
    expect((await withToken(token)).status).toBe(200);
    const refused = await app.call(undefined, applicationCreate, { token, body: {} });
    expect([refused.status, codesOf(refused)]).toEqual([403, ['TokenScopeMissing']]);
  });

  test('with the scope read only cannot plan either: a dry run needs what the action needs', async () => {
    const token = await app.apiToken('owner', ['read']);
    const planned = routes.filter(({ query }) => query?.safeParse({ dryRun: 'true' }).data?.['dryRun'] === true);
    expect(planned.length).toBeGreaterThan(8);
    for (const route of planned) {
      const answer = await app.call(undefined, route, { ...permissions[route.id]?.request, query: { dryRun: true }, token });
      expect([route.id, answer.status, codesOf(answer)]).toEqual([route.id, 403, ['TokenScopeMissing']]);
    }
  });

  test('with the scope git only cannot call the API at all', async () => {
    const token = await app.apiToken('owner', ['git']);
    const signedIn = routes.filter(({ access }) => access !== 'public');
    const answers = await Promise.all(signedIn.map((route) => app.call(undefined, route, { ...permissions[route.id]?.request, token })));
    expect(new Set(answers.map((answer) => `${answer.status} ${codesOf(answer).join()}`))).toEqual(new Set(['403 TokenScopeMissing']));
  });

  test('that have expired or were revoked are refused', async () => {
    expect((await withToken(await app.apiToken('owner', ['read'], new Date(Date.now() - 1000)))).status).toBe(401);
    const body = ApiTokenCreate.parse({ name: 'for a moment', scopes: ['read'] });
    const { id, token } = (await app.call('owner', meTokenCreate, { body })).body as { id: string; token: string };
    expect((await withToken(token)).status).toBe(200);
    expect((await app.call('member', meTokenDelete, { params: { tokenId: id } })).status).toBe(404);
    expect((await app.call('owner', meTokenDelete, { params: { tokenId: id } })).status).toBe(204);
    expect((await withToken(token)).status).toBe(401);
  });

  test("the environment's administrator token is any string, and ends when it is changed or unset", async () => {
    const [first, second] = ['first-token-of-the-environment-1234567890', 'Second.token!of the environment'.replaceAll(' ', '_')];
    await syncAdminToken(app.database.pool, first);
    expect((await withToken(first)).body).toMatchObject({ isAdministrator: true });
    await syncAdminToken(app.database.pool, second);
    expect([(await withToken(first)).status, (await withToken(second)).status]).toEqual([401, 200]);
    await syncAdminToken(app.database.pool, undefined);
    expect((await withToken(second)).status).toBe(401);
    expect((await app.database.pool.query('select 1 from api_token where id = $1', [adminTokenId])).rowCount).toBe(0);
  });
});

test("tokens made with the environment's administrator token are automation's, and end with it", async () => {
  const [first, second] = ['first-token-of-the-environment-1234567890', 'second-token-of-the-environment-123456789'];
  const body = ApiTokenCreate.parse({ name: 'child', scopes: ['read'] });
  const child = async (token: string) => ((await app.call(undefined, meTokenCreate, { token, body })).body as { token: string }).token;
  await syncAdminToken(app.database.pool, first);
  const kept = await child(first);
  expect(await callerOfToken(app.database.pool, kept)).toMatchObject({ isAdministrator: true, isAutomation: true });
  await syncAdminToken(app.database.pool, first);
  expect((await withToken(kept)).status).toBe(200);
  await syncAdminToken(app.database.pool, second);
  expect((await withToken(kept)).status).toBe(401);
  const other = await child(second);
  await syncAdminToken(app.database.pool, undefined);
  expect((await withToken(other)).status).toBe(401);
});

const raw = (path: string, headers: Record<string, string> = {}, body = ''): Promise<{ status: number; text: string; type: string }> =>
  new Promise((resolve, reject) => {
    const request = http.request(`${app.url}${path}`, { headers, agent: false, method: body ? 'POST' : 'GET' }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, type: answer.headers['content-type'] ?? '' }));
    });
    request.on('error', reject).end(body);
  });

describe('a wrong request', () => {
  test.each(['evil.example', 'localhost', '127.0.0.1:1'])('to the host %s is misdirected', async (host) => {
    const answer = await raw('/healthz', { host });
    expect([answer.status, rawCodesOf(answer)]).toEqual([421, ['WrongHost']]);
  });

  test.each(['/nowhere', '/api/v1/nowhere', '/api/v1/apps/%E0%A4%A/development/services'])(
    'for %s gets a problem that says so',
    async (path) => {
      const { status, text, type } = await raw(path);
      expect([status, type]).toEqual([404, 'application/problem+json; charset=utf-8']);
      expect(JSON.parse(text)).toMatchObject({
        status: 404,
        title: 'Not Found',
        name: 'MISSING_RESOURCE',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      });
    },
  );

  test.each([
    ['no JSON', '{', 'application/json'],
    ['another type', 'id=berth', 'application/x-www-form-urlencoded'],
    ['a NUL', '{"id":"berth","displayName":"\\u0000","teamId":"cranes"}', 'application/json'],
    ['half a character', '{"id":"berth","displayName":"\\ud800","teamId":"cranes"}', 'application/json'],
  ])('whose body is %s is refused', async (_name, body, type) => {
    const headers = { authorization: `Bearer ${await app.signIn.token('owner')}`, 'content-type': type };
    const answer = await raw('/api/team-service/applications/v2', headers, body);
    expect([answer.status, rawCodesOf(answer)]).toEqual([400, ['BodyInvalid']]);
  });

  test('whose query holds a NUL is refused before an answer begins', async () => {
    const query = { query: '\0', format: 'csv' };
    const answer = await app.call('owner', appActivityExport, { params: { app: 'berth', env: 'development' }, query });
    expect([answer.status, codesOf(answer)]).toEqual([400, ['BodyInvalid']]);
  });

  const dryRuns = routes.filter(({ query }) => query?.safeParse({ dryRun: 'true' }).data?.['dryRun'] === true);
  test.each(dryRuns.map((route) => [route.id, route] as const))('%s takes no word for a dry run but true and false', async (id, route) => {
    const answer = await app.call('owner', route, { ...permissions[id]?.request, query: { dryRun: 'maybe' } });
    expect([answer.status, codesOf(answer).includes('BodyInvalid')]).toEqual([400, false]);
  });

  test('that is too large is refused', async () => {
    const answer = await app.call('owner', applicationCreate, { body: { id: 'x'.repeat(1_100_000) } });
    expect([answer.status, codesOf(answer)]).toEqual([413, ['PayloadTooLarge']]);
  });

  test('names every field that is wrong, with a label and the limit', async () => {
    const answer = await app.call('owner', applicationCreate, { body: { id: 'Berth', displayName: '', teamId: 'cranes' } });
    expect(answer.status).toBe(400);
    expect((answer.body as ErrorObject).errors).toEqual([
      { field: 'id', code: 'KebabCase', context: expect.objectContaining({ label: 'Id', value: 'Berth' }) as unknown },
      { field: 'displayName', code: 'Required', context: expect.objectContaining({ label: 'Display name' }) as unknown },
    ]);
  });

  test.each(['constructor', 'toString', '__proto__', 'prod%00'])('for the environment %s is not found', async (env) => {
    const { status } = await raw(`/api/v1/apps/berth/${env}/services`, { authorization: `Bearer ${await app.signIn.token('owner')}` });
    expect(status).toBe(404);
  });

  test.each(['dev', 'NONPROD', 'non-production', 'development'])('is none when it calls the environment %s', async (env) => {
    const answer = await app.call('stranger', serviceList, { params: { app: 'berth', env } });
    expect(answer.body).toMatchObject({ totalElements: 1 });
  });

  test.each([
    [{ page: -1 }, 'Minimum'],
    [{ page: 'x' }, 'NotANumber'],
    [{ page: 1.5 }, 'NotAnInteger'],
    [{ size: 101 }, 'Maximum'],
    [{ sort: 'a b' }, 'DoesNotMatchPattern'],
    [{ query: 'x'.repeat(201) }, 'InvalidValue'],
  ])('for the page %o is refused by every list', async (query, code) => {
    const lists = routes.filter(
      (route) => route.query && ['page', ...Object.keys(query)].every((name) => name in (route.query?.shape ?? {})),
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const route of lists) {
      const answer = await app.call('administrator', route, { ...permissions[route.id]?.request, query });
      // The catalog's lists name the values that they sort by.
      const expected = 'sort' in query && route.tag === 'Catalog' ? 'InvalidValue' : code;
      expect([route.id, answer.status, codesOf(answer)]).toEqual([route.id, 400, [expected]]);
    }
  });

  test.each(['constructor', 'valueOf', 'nothing'])('for the order %s gets the usual one', async (sort) => {
    for (const route of [applicationList, applicationSummaryList])
      expect((await app.call('owner', route, { query: { sort } })).status).toBe(200);
  });
});

test('answers are never cached, and say which request they are', async () => {
  const answer = await app.call('stranger', teamView, { params: { team: 'cranes' } });
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('a HEAD has the status and headers of its GET, and no body', async () => {
  const headers = { authorization: `Bearer ${await app.signIn.token('owner')}` };
  const ask = (method: string, path: string) => fetch(`${app.url}/api/v1${path}`, { method, headers });
  const [get, head] = [await ask('GET', '/me'), await ask('HEAD', '/me')];
  expect([head.status, head.headers.get('content-length')]).toEqual([200, get.headers.get('content-length')]);
  expect([(await get.text()).length > 2, await head.text()]).toEqual([true, '']);
  expect((await ask('HEAD', '/apps/nothing')).status).toBe(404);
  expect((await ask('HEAD', '/nothing/of/the/kind')).status).toBe(404);
});

test('a HEAD of a stream opens none', async () => {
  const authorization = `Bearer ${await app.signIn.token('owner')}`;
  const answer = await fetch(`${app.url}/api/v1/events`, { method: 'HEAD', headers: { authorization } });
  expect(answer.status).toBe(405);
  expect((await app.call(undefined, metricsView)).body).toContain('slipway_event_streams 0\n');
});

describe('an Idempotency-Key', () => {
  test('of a dry run is free for the action', async () => {
    const of = { params: { app: 'berth', env: 'development', service: 'berth' }, headers: { 'idempotency-key': 'look-then-leap' } };
    const planned = await app.call('owner', serviceRepositorySet, { ...of, query: { dryRun: true }, body: { githubRepositoryName: null } });
    const done = await app.call('owner', serviceRepositorySet, { ...of, body: { githubRepositoryName: null } });
    expect([planned.status, done.status]).toEqual([200, 202]);
  });

  const create = (id: string, key: string, displayName = 'App') =>
    app.call('owner', applicationCreate, { body: { id, displayName, teamId: 'cranes' }, headers: { 'idempotency-key': key } });
  const pipelineOf = ({ body }: Answer): string => (body as PipelineRun).pipelineId;

  test('gives a repeat the answer of the first', async () => {
    const [first, again] = [await create('repeated', 'key-1'), await create('repeated', 'key-1')];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(pipelineOf(again)).toBe(pipelineOf(first));
  });

  test('lets one of many requests at once do the work', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create('at-once', 'key-2')));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map(pipelineOf)).size).toBe(1);
  });

  test('is refused for another request', async () => {
    await create('first-use', 'key-3');
    const reused = await create('second-use', 'key-3');
    expect([reused.status, codesOf(reused)]).toEqual([409, ['IdempotencyKeyReused']]);
  });

  test('can be used again when the request failed', async () => {
    expect((await create('Wrong', 'key-4')).status).toBe(400);
    await create('taken-one', 'key-5');
    expect((await create('taken-one', 'key-6')).status).toBe(409);
    await app.database.pool.query(`delete from app where id = 'taken-one'`);
    await app.database.pool.query(`update pipeline_run set state = 'CANCELED' where subject = 'app:taken-one'`);
    expect((await create('taken-one', 'key-6')).status).toBe(202);
  });

  test("is another person's own", async () => {
    const one = await create('of-olga', 'key-7');
    const body = { id: 'of-mats', displayName: 'App', teamId: 'cranes' };
    const other = await app.call('member', applicationCreate, { body, headers: { 'idempotency-key': 'key-7' } });
    expect([one.status, other.status]).toEqual([202, 202]);
    expect(pipelineOf(other)).not.toBe(pipelineOf(one));
  });

  test('of a request whose replica died after its commit answers what that one made', async () => {
    const first = await create('abandoned', 'key-8');
    await app.database.pool.query(
      `update idempotency set status = null, response = null, seen_at = now() - interval '1 minute'
      where identity_id = 'olga' and response ->> 'pipelineId' = $1`,
      [pipelineOf(first)],
    );
    const again = await create('abandoned', 'key-8');
    expect([again.status, pipelineOf(again)]).toEqual([202, pipelineOf(first)]);
  });

  test('keeps no secret', async () => {
    const body = { name: 'secret', scopes: ['read'] };
    const headers = { 'idempotency-key': 'key-9' };
    const tokens = [await app.call('owner', meTokenCreate, { body, headers }), await app.call('owner', meTokenCreate, { body, headers })];
    expect(new Set(tokens.map((answer) => (answer.body as { token: string }).token)).size).toBe(2);
    const { rows } = await app.database.pool.query<{ kept: string }>(
      `select coalesce(string_agg(response::text, ''), '') as kept from idempotency`,
    );
    expect(rows[0]?.kept).not.toContain('slw_');
  });

  test('is forgotten after a day', async () => {
    await app.database.pool.query(`update idempotency set created_at = now() - interval '25 hours'`);
    await create('much-later', 'key-10');
    const { rows } = await app.database.pool.query<{ count: number }>('select count(*) from idempotency');
    expect(rows[0]?.count).toBeLessThanOrEqual(2);
  });
});

test('a row that somebody else holds for too long: try again, and nothing was changed', async () => {
  const holder = new pg.Client(app.database.config);
  await holder.connect();
  try {
    await holder.query('begin; lock table app in access exclusive mode');
    const answering = app.call('member', applicationSummaryList);
    // Cancels the statement like PostgreSQL does after its timeout of half a minute.
    const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await holder.query(cancel)).rowCount).toBeGreaterThan(0);
    expect(errorsOf(await answering)).toEqual([503, 'undefined: EngineUnavailable']);
  } finally {
    await holder.query('rollback');
    await holder.end();
  }
});
