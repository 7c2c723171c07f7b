// Demo sign-in: the people offered, the code that protects them, and the remembered browser.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import { engineDatabase, type EngineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables } from '../tables.ts';
import { authorizationOf, browse, Cookies, newBrowserKey, signIn, targetOf } from '../browser.fixture.ts';
import { cookieShape } from '../cookies.ts';
import { DemoDoor } from './demo-guard.ts';
import { demoPeople, seedDemoPeople, type TeamRole } from './demo-people.ts';
import { runIdentity, type Running } from '../identity.fixture.ts';

let database: EngineDatabase;
let server: Running;
let code: string;
const teams: TeamRole[] = [];
const clock = { now: 0 };
const attempts = new AttemptLimit({ now: () => clock.now });
const shape = cookieShape('demo', false);

beforeAll(async () => {
  database = await engineDatabase(tables);
  server = await runIdentity(database, { attempts, teamsOf: async () => teams });
  code = server.identity.demoCode() ?? '';
});
afterAll(async () => {
  await server.close();
  await database.drop();
});
afterEach(() => {
  clock.now += 60_000;
});

const WRONG = 'WRNG-0000';
const openSignIn = async (cookies = new Cookies()): Promise<{ login: URL; cookies: Cookies }> => ({
  login: await targetOf(await browse(authorizationOf(server.baseUrl).url, cookies)),
  cookies,
});

describe('the people', () => {
  test('are made once, and what was changed about them stays', async () => {
    await database.pool.query(`update identity set display_name = 'Rahul D.' where id = 'rahul.deshmukh'`);
    await Promise.all([seedDemoPeople(database.pool), seedDemoPeople(database.pool)]);
    const { rows } = await database.pool.query<{ id: string; display_name: string; is_administrator: boolean }>(
      'select id, display_name, is_administrator from identity order by id',
    );
    expect(rows.map(({ id }) => id)).toEqual(demoPeople.map(({ id }) => id).sort());
    expect(rows.filter((row) => row.is_administrator).map(({ id }) => id)).toEqual(['kwame.boateng']);
    expect(rows.find(({ id }) => id === 'rahul.deshmukh')?.display_name).toBe('Rahul D.');
  });

  test('are shown with the teams that they have at this moment', async () => {
    teams.push({ identityId: 'ingrid.solheim', team: 'Cranes & <Gantries>', role: 'OWNER' });
    const { login, cookies } = await openSignIn();
    await browse(login, cookies, { code });
    const page = await (await browse(login, cookies)).text();
    expect(page).toContain('<small>Owner, Cranes &amp; &lt;Gantries&gt;</small>');
    expect(page).toContain('<small>Platform administrator</small>');
    expect(page).toContain('<small>No team yet</small>');
  });

  test('are the only ones who can be chosen: nobody else signs in without a password', async () => {
    await database.pool.query(`insert into identity (id, display_name, is_administrator) values ('real.admin', 'Real', true)`);
    await expect(signIn(server.baseUrl, 'real.admin', { code })).rejects.toThrow('422 instead of a redirect');
    await expect(signIn(server.baseUrl, 'nobody', { code })).rejects.toThrow('Choose one of these people');
  });
});

describe('the code', () => {
  test('is demanded before anybody is shown or chosen', async () => {
    const { login, cookies } = await openSignIn();
    const page = await (await browse(login, cookies)).text();
    expect(page).toContain('Enter the demo code');
    expect(page).not.toContain('Ingrid');
    expect((await browse(login, cookies, { identity: 'ingrid.solheim' })).status).toBe(403);
  });

  test('is forgiven small letters, spaces and letters that look like digits', () => {
    const door = new DemoDoor(Buffer.alloc(32, 7), shape);
    expect(door.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    const sloppy = door.code.toLowerCase().replace('-', ' ').replace(/0/g, 'o').replace(/1/g, 'l');
    expect(door.isRight(` ${sloppy} `)).toBe(true);
    expect(door.isRight('')).toBe(false);
    expect(door.isRight(`${door.code}0`)).toBe(false);
  });

  test('stands in the printed link where browsers keep it to themselves, and is filled in from the hint', async () => {
    expect(server.identity.demoLink()).toBe(`${server.baseUrl.replace('127.0.0.1', 'localhost')}/#code=${code}`);
    const cookies = new Cookies();
    const login = await targetOf(await browse(authorizationOf(server.baseUrl, { login_hint: code }).url, cookies));
    const answer = await browse(login, cookies);
    expect(await answer.text()).toContain(`value="${code}"`);
    // A code that is only filled in does not count until it is submitted.
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await (await browse(login, cookies)).text()).toContain('Enter the demo code');
  });

  test('is remembered with the key of the browser that gave it, and asked for again with any other or none', async () => {
    const { login, cookies } = await openSignIn();
    const given = await browse(login, cookies, { code });
    expect(given.headers.getSetCookie()[0]).toMatch(/; Path=\/oidc\/; Max-Age=\d{8}; HttpOnly; SameSite=Lax$/);
    const pageFor = async (key?: string) => {
      const at = await targetOf(await browse(authorizationOf(server.baseUrl, key === undefined ? {} : { dpop_jkt: key }).url, cookies));
      return (await browse(at, cookies)).text();
    };
    expect(await pageFor()).toContain('Sign in as');
    expect(await pageFor((await newBrowserKey()).thumbprint)).toContain('Enter the demo code');
    expect(await pageFor('')).toContain('Enter the demo code');
  });

  test('refuses a wrong one, and a cookie that it did not give', async () => {
    const { login, cookies } = await openSignIn();
    const response = await browse(login, cookies, { code: WRONG });
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.text()).toContain('This is not the code of this installation.');
    const secure = cookieShape('demo', true);
    const [other, own] = [new DemoDoor(Buffer.alloc(32, 1), secure), new DemoDoor(Buffer.alloc(32, 2), secure)];
    const asked = (cookie: string) => ({ headers: { cookie: cookie.split(';')[0] } }) as Parameters<DemoDoor['isOpenTo']>[0];
    expect(own.remember('key')).toMatch(/^__Host-demo=.*; Path=\/; .*; Secure$/);
    expect(own.isOpenTo(asked(own.remember('key')), 'key')).toBe(true);
    expect(own.isOpenTo(asked(own.remember('key')), 'other key')).toBe(false);
    expect(own.isOpenTo(asked(other.remember('key')), 'key')).toBe(false);
    expect(own.isOpenTo(asked('__Host-demo=.'), 'key')).toBe(false);
    const aYearAgo = new Date(Date.now() - 365 * 24 * 3_600_000);
    expect(own.isOpenTo(asked(own.remember('key', aYearAgo)), 'key')).toBe(false);
    const younger = own.remember('key', aYearAgo).replace(/=\d+/, `=${Math.floor(Date.now() / 1000)}`);
    expect(own.isOpenTo(asked(younger), 'key')).toBe(false);
  });

  test('after ten wrong ones in a minute refuses even the right one from this address, and says for how long', async () => {
    const { login, cookies } = await openSignIn();
    const tries = await Promise.all(Array.from({ length: 12 }, () => browse(login, cookies, { code: WRONG })));
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
    const response = await browse(login, cookies, { code });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toMatch(/Too many wrong codes\. Try again in \d+ seconds?\./);
    clock.now += 60_000;
    expect((await browse(login, cookies, { code })).status).toBe(303);
  });
});
