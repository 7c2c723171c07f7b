// Local users: real passwords, no disclosure of existing user names, and the first administrator.
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import { isPassword } from '@slipway/foundation/sign-in/password.ts';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from './tables.ts';
import { authorizationOf, browse, Cookies, requestTokens, signIn, targetOf } from './browser.fixture.ts';
import { memoryKeys, runIdentity, type Running } from './identity.fixture.ts';
import { setPassword, signInQueue } from './passwords/local-users.ts';

let database: EngineDatabase;
let server: Running;
const platformKey = memoryKeys();
const clock = { now: 0 };
const attempts = new AttemptLimit({ now: () => clock.now });
const password = 'correct horse battery stäple';

beforeAll(async () => {
  database = await engineDatabase(tables);
  // Two replicas start at the same time on an empty database.
  const replicas = await Promise.all([0, 1].map(() => runIdentity(database, { isDemo: false, platformKey })));
  const made = replicas.map(({ identity }) => identity.firstAdministrator()).filter((found) => found !== undefined);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({ username: 'admin', password: expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/) });
  const tokens = await signIn(replicas[0]?.baseUrl ?? '', 'admin', { password: made[0]?.password ?? '' });
  expect(decodeJwt(tokens.accessToken).sub).toBe('admin');
  for (const replica of replicas) await replica.close();

  server = await runIdentity(database, { isDemo: true, hasLocalUsers: true, platformKey, attempts });
  await setPassword(database.pool, 'ingrid.solheim', password);
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
afterEach(() => {
  clock.now += 60_000;
});

const openSignIn = async (): Promise<{ login: URL; cookies: Cookies }> => {
  const cookies = new Cookies();
  return { login: await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies)), cookies };
};

test('passwords are demanded although the demo is on; there is no code and no door', async () => {
  expect(server.identity.demoCode()).toBeUndefined();
  expect(server.identity.demoLink()).toBeUndefined();
  expect(server.identity.firstAdministrator()).toBeUndefined();
  const { login, cookies } = await openSignIn();
  expect(await (await browse(login, cookies)).text()).not.toContain('Ingrid');
  expect((await browse(login, cookies, { identity: 'kwame.boateng' })).status).toBe(422);
  expect((await browse(new URL('/oidc/slipway/demo', server.baseUrl), cookies)).status).toBe(404);
});

test('the right password signs in, by name or e-mail, however the letters were composed', async () => {
  for (const [name, given] of [
    ['ingrid.solheim', password],
    ['Ingrid.Solheim@norrland-line.example', password.normalize('NFD')],
  ] as const) {
    expect(decodeJwt((await signIn(server.baseUrl, name, { password: given })).idToken).sub).toBe('ingrid.solheim');
  }
});

test('a wrong password, an unknown name and a person without a password get the same answer', async () => {
  const { login, cookies } = await openSignIn();
  const answer = async (username: string) => {
    const response = await browse(login, cookies, { username, password: 'wrong' });
    return { status: response.status, text: (await response.text()).replaceAll(username, '{name}') };
  };
  const known = await answer('ingrid.solheim');
  expect(known).toMatchObject({ status: 403, text: expect.stringContaining('The user name or the password is not right.') });
  expect(await answer('nobody.at.all')).toEqual(known);
  expect(await answer('kwame.boateng')).toEqual(known);
});

test('in a flood of guesses known and unknown names alike are turned away: each takes a hash, and the same time', async () => {
  const { login, cookies } = await openSignIn();
  const blocked = Promise.withResolvers<void>();
  const flood = Array.from({ length: 6 }, () => signInQueue.inTurn('127.0.0.1', () => blocked.promise));
  for (const username of ['ingrid.solheim', 'nobody.at.all', 'kwame.boateng']) {
    const response = await browse(login, cookies, { username, password });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.text()).toContain('Too many people are signing in at this moment.');
  }
  blocked.resolve();
  await Promise.all(flood);
  expect((await browse(login, cookies, { username: 'ingrid.solheim', password })).status).toBe(303);
});

test('what was typed is shown again as text, never as HTML, and never the password', async () => {
  const { login, cookies } = await openSignIn();
  const response = await browse(login, cookies, { username: '"><script>alert(1)</script>', password: 'my-secret-word' });
  const page = await response.text();
  expect(page).toContain('&quot;&gt;&lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(page).not.toContain('my-secret-word');
  expect(JSON.stringify(server.lines)).not.toContain('my-secret-word');
});

test('ten tries a minute for each name and address: then even the right password waits', async () => {
  const { login, cookies } = await openSignIn();
  const guess = (username: string, given: string) => browse(login, cookies, { username, password: given });
  expect((await guess('INGRID.solheim', 'wrong')).status).toBe(403);
  // Recorded directly, since nine more hashes would only cost time.
  for (let tries = 0; tries < 8; tries += 1) attempts.take('password of ingrid.solheim', '127.0.0.1');
  expect((await guess('ingrid.solheim', 'wrong')).status).toBe(403);
  const refused = await guess('ingrid.solheim', password);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.text()).toMatch(/Too many tries with this user name\. Try again in \d+ seconds?\./);
  expect((await guess('admin', 'wrong')).status).toBe(403);
  clock.now += 60_000;
  expect((await guess('ingrid.solheim', password)).status).toBe(303);
});

test('a new password ends the sessions that the old one began', async () => {
  await setPassword(database.pool, 'sofia.marin', 'first password');
  const { refreshToken } = await signIn(server.baseUrl, 'sofia.marin', { password: 'first password' });
  await setPassword(database.pool, 'sofia.marin', 'second password');
  const response = await requestTokens(server.baseUrl, { grant_type: 'refresh_token', refresh_token: refreshToken });
  expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
  await expect(signIn(server.baseUrl, 'sofia.marin', { password: 'first password' })).rejects.toThrow('403');
  await expect(setPassword(database.pool, 'nobody', 'x')).rejects.toThrow('There is no person nobody');
});

test('passwords are stored as scrypt with their own salt', async () => {
  await setPassword(database.pool, 'rahul.deshmukh', password);
  const { rows } = await database.pool.query<{ password_hash: string }>(
    `select password_hash from identity where id in ('ingrid.solheim', 'rahul.deshmukh')`,
  );
  for (const row of rows) expect(row.password_hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
  expect(new Set(rows.map((row) => row.password_hash)).size).toBe(2);
  expect(await isPassword(password, rows[0]?.password_hash)).toBe(true);
  expect(await isPassword(password, 'not a hash')).toBe(false);
});
