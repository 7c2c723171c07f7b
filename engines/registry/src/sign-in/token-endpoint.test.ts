import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_TRIES } from '@slipway/foundation/attempt-limit.ts';
import type { RobotCredentials } from '@slipway/foundation/ports/registry.ts';
import { RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { startRegistry, type RegistryFixture } from '../registry.fixture.ts';
import { parseScope } from './token-endpoint.ts';

interface TokenAnswer {
  readonly token: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly issued_at: string;
}
const MINUTE_MS = 60_000;

describe('token endpoint', () => {
  let fixture: RegistryFixture;
  let robot: RobotCredentials;
  beforeAll(async () => {
    fixture = await startRegistry();
    await (await fixture.client('shop')).pushImage('shop/hello', '1', 'one');
    robot = await fixture.registry.robotEnsure('shop', 'reader', ['pull']);
  });
  afterAll(() => fixture.stop());

  const basic = (who: { username: string; secret: string }) => `Basic ${Buffer.from(`${who.username}:${who.secret}`).toString('base64')}`;
  const get = (query: string, authorization?: string) =>
    fetch(`${fixture.registry.baseUrl}/v2/token?${query}`, authorization ? { headers: { authorization } } : {});
  const post = (form: Record<string, string>) =>
    fetch(`${fixture.registry.baseUrl}/v2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const answer = async (response: Response) => (await response.json()) as TokenAnswer;
  const claims = (token: string) =>
    (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { access: unknown[] }).access;
  const call = (token: string, path = '/v2/shop/hello/manifests/1') => new RegistryClient(fixture.registry, token).send('GET', path);

  it('challenges with realm, service and scope', async () => {
    const { baseUrl } = fixture.registry;
    const challenge = async (path: string, method = 'GET') => (await fetch(baseUrl + path, { method })).headers.get('www-authenticate');
    const realm = `Bearer realm="${baseUrl}/v2/token",service="slipway-registry"`;
    expect(await challenge('/v2/')).toBe(realm);
    expect(await challenge('/v2/shop/hello/manifests/1')).toBe(`${realm},scope="repository:shop/hello:pull"`);
    expect(await challenge('/v2/shop/hello/blobs/uploads/', 'POST')).toBe(`${realm},scope="repository:shop/hello:pull,push"`);
    expect(await challenge('/v2/shop/hello/manifests/1', 'DELETE')).toBe(`${realm},scope="repository:shop/hello:delete"`);
  });

  it('answers 200 with fewer actions where rights are missing, and the next call says insufficient scope', async () => {
    const response = await get('scope=repository:shop/hello:pull,push,delete&scope=repository:other/hello:pull', basic(robot));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = await answer(response);
    expect(body).toMatchObject({ access_token: body.token, expires_in: 300 });
    expect(claims(body.token)).toEqual([
      { type: 'repository', name: 'shop/hello', actions: ['pull'] },
      { type: 'repository', name: 'other/hello', actions: [] },
    ]);
    const refused = await new RegistryClient(fixture.registry, body.token).send('DELETE', '/v2/shop/hello/manifests/1');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('gives anybody a token that is good for nothing private', async () => {
    const { token } = await answer(await get('scope=repository:shop/hello:pull'));
    expect((await call(token, '/v2/')).status).toBe(200);
    expect((await call(token)).status).toBe(401);
  });

  it('takes the OAuth form with a password', async () => {
    const scope = 'repository:shop/hello:pull';
    const form = { grant_type: 'password', service: 'slipway-registry', client_id: 'docker', access_type: 'offline', scope };
    const { token } = await answer(await post({ ...form, username: robot.username, password: robot.secret }));
    expect((await call(token)).status).toBe(200);
    expect((await post({ ...form, username: robot.username, password: 'wrong' })).status).toBe(401);
  });

  it('gives nobody a refresh token, which docker would keep in place of the password that its neighbours need', async () => {
    const asked = await answer(await get('offline_token=true&account=x', basic(robot)));
    const form = { grant_type: 'password', access_type: 'offline', username: robot.username, password: robot.secret };
    for (const body of [asked, await answer(await post(form))]) {
      expect(body.token).not.toBe('');
      expect(body).not.toHaveProperty('refresh_token');
    }
    const kept = await post({ grant_type: 'refresh_token', refresh_token: asked.token });
    expect([kept.status, await kept.json()]).toMatchObject([
      401,
      { errors: [{ message: expect.stringContaining('log out and in again') as unknown }] },
    ]);
  });

  it('lets tokens expire, and refuses those of another key', async () => {
    const { token } = await answer(await get('scope=repository:shop/hello:pull', basic(robot)));
    const other = await startRegistry({ signingKey: new Uint8Array(32) });
    const foreign = await other.registry.accessToken('shop/hello', ['pull']);
    await other.stop();
    const refused = await call(foreign);
    expect([refused.status, refused.headers.get('www-authenticate')?.includes('error="invalid_token"')]).toEqual([401, true]);
    expect((await call(token)).status).toBe(200);
    fixture.advance(6 * MINUTE_MS);
    expect((await call(token)).status).toBe(401);
  });

  it('refuses to go on guessing a name after ten failures, even with the right secret, until the minute is over', async () => {
    const target = await fixture.registry.robotEnsure('shop', 'target', ['pull']);
    const wrong = basic({ ...target, secret: 'guess' });
    for (let failures = 0; failures < MAX_TRIES; failures += 1) expect((await get('', wrong)).status).toBe(401);
    const limited = await get('', basic(target));
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true]);
    // The other door is shut as well, and other names are not.
    const direct = await fetch(`${fixture.registry.baseUrl}/v2/`, { headers: { authorization: basic(target) } });
    expect(direct.status).toBe(429);
    expect((await get('', basic(robot))).status).toBe(200);
    fixture.advance(MINUTE_MS + 1);
    expect((await get('', basic(target))).status).toBe(200);
  });

  it('takes Basic credentials without a token, as curl sends them', async () => {
    const headers = { authorization: basic(robot) };
    const url = `${fixture.registry.baseUrl}/v2/shop/hello/manifests/1`;
    expect((await fetch(url, { headers })).status).toBe(200);
    // 403, since no token would help.
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(403);
  });

  it('answers 405 to other methods, and 413 to a form without end', async () => {
    const url = `${fixture.registry.baseUrl}/v2/token`;
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413);
  });
});

describe('parseScope', () => {
  it.each([
    ['repository:shop/hello:pull', { repository: 'shop/hello', actions: ['pull'] }],
    ['repository:shop/hello:push,pull', { repository: 'shop/hello', actions: ['pull', 'push'] }],
    ['repository:shop/hello:*', { repository: 'shop/hello', actions: ['pull', 'push', 'delete'] }],
    ['repository(plugin):shop/hello:pull', { repository: 'shop/hello', actions: ['pull'] }],
    ['repository:shop/hello:fly', { repository: 'shop/hello', actions: [] }],
    ['registry:catalog:*', undefined],
    ['repository:shop:pull', undefined],
    ['repository:../hello:pull', undefined],
    ['repository:localhost:4000/shop/hello:pull', undefined],
    ['repository', undefined],
    ['', undefined],
  ])('%s', (scope, expected) => {
    expect(parseScope(scope)).toEqual(expected);
  });
});
