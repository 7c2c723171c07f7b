/** Calls to services with edge authentication: passwords and tokens, end to end on the embedded runtime. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { appActivityList, type Activity } from '@slipway/contract/activity.ts';
import { meView } from '@slipway/contract/identity.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { revisionActivation, revisionDelete } from '@slipway/contract/service/revision.ts';
import { secretGroupView, secretReveal, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { serviceAccessTokenCreate, serviceBasicAuthRotate } from '@slipway/contract/service/service-access.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { serviceDelete, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { createVault, ensureEdgeCredential } from '#modules/secret-groups/index.ts';
import { call, until, type CallOptions } from '#ports/runtime.suite-runtime.ts';
import { errorsOf, testApp, type TestApp } from '#testing/app.ts';
import { seedApp, seedService } from '#testing/fixtures.ts';
import { good, goodMain } from '#testing/programs.ts';

const params = { app: 'berth', env: 'development', service: 'berth' };
const key = { app: 'berth', environment: 'development', service: 'berth' } as const;
const audience = 'service:berth/development/berth';
const { externalTraffic } = newServiceSpec('localhost/berth/berth');

let app: TestApp;
let url: string;
beforeAll(async () => {
  const main = goodMain('one').replace("request.url === '/env'", "request.url === '/headers'").replace('process.env)', 'request.headers)');
  const files = good('one').map((file) => (file.path === 'main.js' ? { ...file, content: Buffer.from(main) } : file));
  app = await testApp({ templates: async () => files });
  const body = { id: 'berth', teamId: 'cranes', template: 'node-http-api' };
  expect(await app.run('member', quickstartApplicationCreate, { body })).toMatchObject({ status: { state: 'COMPLETED' } });
  url = ((await app.call('member', serviceView, { params })).body as Service).status.url ?? '';
});
afterAll(() => app?.close());

const request = (options: CallOptions = {}, path = 'headers') => call(new URL(path, url), options);
const status = async (options: CallOptions = {}) => (await request(options)).status;
const basic = (credentials: string): CallOptions => ({
  headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
});
const bearer = (token: string): CallOptions => ({ headers: { authorization: `Bearer ${token}` } });
const headers = async (options: CallOptions) => JSON.parse((await request(options)).body) as Record<string, string>;

/** Stores edge settings as a pipeline would. */
const apply = async (edge: Partial<Pick<ServiceSpec, 'externalTraffic' | 'externalTrafficAuthentication'>>): Promise<void> => {
  const applied = { externalTraffic, externalTrafficAuthentication: 'NO_AUTH', exposedPort: 8080, ...edge };
  await app.database.pool.query('update service set edge = $1', [JSON.stringify(applied)]);
  await app.database.pool.query(`select pg_notify('slipway_change', '{"kind": "service"}')`);
};
const ensure = () => {
  const { pool, db } = app.database;
  return ensureEdgeCredential({ db, vault: createVault(pool, app.adapters.keys) }, key);
};
const reveal = async (version: number) => {
  const place = { app: 'berth', env: 'development', group: 'berth-basic-auth' };
  const one = async (name: string) => {
    const body = { key: name, version, reason: 'To call it from a test' };
    return ((await app.call('member', secretReveal, { params: place, body })).body as { value: string }).value;
  };
  return { username: await one('username'), password: await one('password') };
};
const activities = async (type: string) => {
  const { body } = await app.call('member', appActivityList, { params, query: { type } });
  return (body as { content: Activity[] }).content;
};

describe('basic authentication', () => {
  beforeAll(() => apply({ externalTrafficAuthentication: 'BASIC_AUTH' }));

  test('a service without a password is closed, and says why', async () => {
    await expect.poll(() => status()).toBe(503);
    expect((await request()).body).toContain('none have been made for it yet');
    expect(await status(basic('berth:'))).toBe(503);
  });

  test('the platform makes user name and password; 401 without, 200 with', async () => {
    await ensure();
    await expect.poll(() => status()).toBe(401);
    const { username, password } = await reveal(1);
    expect(password).toHaveLength(43);
    expect(await status(basic(`${username}:wrong`))).toBe(401);
    expect(await status(basic(`${username}:${password}`))).toBe(200);
    const seen = await headers({
      headers: { ...basic(`${username}:${password}`).headers, 'x-forwarded-user': 'root', 'x-slipway-claims': 'x' },
    });
    expect(seen).toMatchObject({ 'x-forwarded-user': 'berth' });
    expect(seen).not.toHaveProperty('authorization');
    expect(seen).not.toHaveProperty('x-slipway-claims');
  });

  test('a new password ends the former one', async () => {
    const former = await reveal(1);
    expect(await app.call('member', serviceBasicAuthRotate, { params })).toMatchObject({
      status: 200,
      body: { secretGroup: 'berth-basic-auth', version: 2 },
    });
    await expect.poll(() => status(basic(`berth:${former.password}`))).toBe(401);
    const { password } = await reveal(2);
    expect(await status(basic(`berth:${password}`))).toBe(200);
    expect(await activities('serviceBasicAuthRotate')).toMatchObject([{ actor: { id: 'mats' }, service: 'berth', level: 'INFO' }]);
    expect(JSON.stringify(await activities('serviceBasicAuthRotate'))).not.toContain(password);
  });
});

describe('tokens', () => {
  beforeAll(async () => {
    await apply({ externalTrafficAuthentication: 'AZURE_AUTH', externalTraffic: { ...externalTraffic, type: 'API_PROXY' } });
    await until('the edge to ask for tokens', async () => (await request()).headers['www-authenticate']?.startsWith('Bearer'));
  });
  const create = async () => {
    const { body } = await app.call('serviceAccount', serviceAccessTokenCreate, { params });
    return body as { token: string; audience: string; expiresAt: string };
  };

  test('a member makes a token of an hour, and the service learns who calls, verifiably', async () => {
    const made = await create();
    expect(made.audience).toBe(audience);
    expect(Date.parse(made.expiresAt) - Date.now()).toBeGreaterThan(3_590_000);
    expect(decodeJwt(made.token)).toMatchObject({ sub: 'robot-1', aud: audience });
    const seen = await headers(bearer(made.token));
    expect(seen).toMatchObject({ 'x-forwarded-user': 'robot-1' });
    expect(seen).not.toHaveProperty('authorization');
    const keys = createRemoteJWKSet(new URL('/.well-known/slipway-edge.json', app.url));
    const { payload } = await jwtVerify(seen['x-slipway-claims'] ?? '', keys, { issuer: app.url, audience });
    expect(payload).toMatchObject({ sub: 'robot-1', name: 'CI of cranes' });
    expect(await activities('serviceAccessTokenCreate')).toMatchObject([{ actor: { id: 'robot-1' }, service: 'berth' }]);
  });

  test('the platform refuses what is for a service, also where it names the platform besides', async () => {
    const { token } = await create();
    for (const refused of [token, await app.signIn.token('member', { audience: [audience, 'urn:slipway:api'] })])
      expect(errorsOf(await app.call(undefined, meView, { token: refused }))).toEqual([401, 'undefined: TokenInvalid']);
    // The token that the edge passes to the service is valid nowhere else.
    const claims = (await headers(bearer(token)))['x-slipway-claims'] ?? '';
    expect(errorsOf(await app.call(undefined, meView, { token: claims }))).toEqual([401, 'undefined: TokenInvalid']);
    expect(await status(bearer(claims))).toBe(401);
  });

  test('the edge refuses what is for the platform', async () => {
    for (const refused of [
      await app.signIn.token('member'),
      await app.signIn.token('member', { audience: [audience, 'urn:slipway:api'] }),
      await app.signIn.token('member', { audience: 'service:berth/production/berth' }),
      await app.signIn.token('member', { audience, expiresAt: '1 minute ago' }),
      await app.apiToken('member', ['read', 'write']),
    ]) {
      const answer = await request(bearer(refused));
      expect(answer).toMatchObject({ status: 401, headers: { 'content-type': 'application/problem+json' } });
      expect(answer.headers['www-authenticate']).toContain('Bearer error="invalid_token"');
    }
    expect(await status(bearer(await app.signIn.token('member', { audience })))).toBe(200);
  });

  test('passwords are for basic authentication alone', async () => {
    expect(errorsOf(await app.call('member', serviceBasicAuthRotate, { params }))).toEqual([409, 'undefined: BasicAuthNotInUse']);
    const group = (await app.call('member', secretGroupView, { params: { ...params, group: 'berth-basic-auth' } })).body as SecretGroup;
    expect(group).toMatchObject({ kind: 'PLATFORM', version: 2, services: [], keys: [{ key: 'password' }, { key: 'username' }] });
  });
});

describe('the running route', () => {
  beforeEach(() => apply({}));

  test('a domain serves beside the own host name', async () => {
    await expect.poll(() => status()).toBe(200);
    await apply({ externalTraffic: { ...externalTraffic, domain: 'berth.example', basePath: '/planner' } });
    await expect.poll(async () => (await request({ host: 'berth.example' }, '/planner/')).status).toBe(200);
    expect((await request({ host: 'berth.example' }, '/planners')).status).toBe(404);
    expect((await request({}, '/planner/')).status).toBe(200);
    expect((await request({ host: 'other.example' }, '/planner/')).status).toBe(421);
  });

  test('traffic of type NONE ends the service at the edge', async () => {
    await expect.poll(() => status()).toBe(200);
    await apply({ externalTraffic: { ...externalTraffic, type: 'NONE' } });
    await expect.poll(() => status()).toBe(404);
  });
});

test('with the service goes the group of its password', async () => {
  const { serving } = await app.database.db.selectFrom('service').select('serving').executeTakeFirstOrThrow();
  const revision = { ...params, revision: serving[0] ?? '' };
  await app.run('member', revisionActivation, { params: revision, body: { enabled: false } });
  await app.run('member', revisionDelete, { params: revision });
  expect(await app.run('member', serviceDelete, { params })).toMatchObject({ status: { state: 'COMPLETED' } });
  expect((await app.call('member', secretGroupView, { params: { ...params, group: 'berth-basic-auth' } })).status).toBe(404);
});

test('with a foreign authority the platform makes no tokens', async () => {
  const foreign = await testApp({
    isWorker: false,
    adapt: ({ signIn: { serviceTokens: _none, ...signIn }, ...adapters }) => ({ ...adapters, signIn }),
  });
  try {
    await seedApp(foreign.database.db, { id: 'berth' });
    await seedService(foreign.database.db, { app: 'berth' });
    const answer = await foreign.call('member', serviceAccessTokenCreate, { params });
    expect(errorsOf(answer)).toEqual([409, 'undefined: AccessTokenNotOffered']);
    expect(JSON.stringify(answer.body)).toContain(audience);
  } finally {
    await foreign.close();
  }
});
