import { WebStorageStateStore } from 'oidc-client-ts';
import { expect, test } from 'vitest';
import { readUser, secondsLeft, userKey } from './stored-user.ts';

const settings = { authority: 'http://localhost:4000/oidc/slipway', clientId: 'console' };

test('the key is the one that the library writes', async () => {
  const kept = new Map<string, string>();
  const store = { setItem: (key: string, value: string) => void kept.set(key, value) } as Storage;
  await new WebStorageStateStore({ store }).set(`user:${settings.authority}:${settings.clientId}`, '{}');
  expect([...kept.keys()]).toEqual([userKey(settings)]);
});

test('reads token, refresh token, end and subject', () => {
  const json = JSON.stringify({ access_token: 'a', refresh_token: 'r', expires_at: 100, profile: { sub: 'ingrid' } });
  expect(readUser(json)).toEqual({ accessToken: 'a', refreshToken: 'r', expiresAt: 100, subject: 'ingrid' });
});

test.each([[null], [''], ['{'], ['null'], ['{"access_token":""}'], ['{"access_token":5}'], ['[]']])('%s is no user', (json) => {
  expect(readUser(json)).toBeUndefined();
});

test('a token without an end counts as ended', () => {
  const user = readUser('{"access_token":"a"}');
  expect(user && secondsLeft(user)).toBeLessThan(0);
});
