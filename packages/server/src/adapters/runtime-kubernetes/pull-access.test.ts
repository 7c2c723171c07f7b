/** Tests that the nodes' credentials open the images of one app only. */
import { expect, test } from 'vitest';
import { PullAccess } from './pull-access.ts';

const access = new PullAccess(Buffer.alloc(32, 1));
const credential = access.credential('shop');

test('a credential belongs to its app, and every replica knows it', () => {
  expect(access.appOf(credential)).toBe('shop');
  expect(new PullAccess(Buffer.alloc(32, 1)).credential('shop')).toEqual(credential);
});

test.each([
  ['another app', { ...credential, username: 'node-agent.bank' }],
  ['another password', { ...credential, password: `${credential.password.slice(0, -1)}-` }],
  ['no password', { ...credential, password: '' }],
  ['another kind of user', { ...credential, username: 'shop' }],
])('rejects %s', (_name, given) => {
  expect(access.appOf(given)).toBeUndefined();
});

test('another platform has other credentials', () => {
  expect(new PullAccess(Buffer.alloc(32, 2)).appOf(credential)).toBeUndefined();
});
