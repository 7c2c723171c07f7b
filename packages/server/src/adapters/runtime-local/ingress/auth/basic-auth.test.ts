/** Passwords at the edge: checked once and remembered, guessed slowly, and never at the cost of those who know them. */
import type { IncomingMessage } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { hashEdgePassword, verifyEdgePassword } from '#kernel/auth/edge-password.ts';
import { BasicAuth } from './basic-auth.ts';
import { clientOf } from '#kernel/attempt-limit.ts';
import { GuessLimit } from './guess-limit.ts';
import { PasswordQueue } from './password-queue.ts';
import type { Refusal } from '../problem.ts';

let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashEdgePassword('geheim');
});
const authOf = (passwords = new PasswordQueue()) => new BasicAuth({ type: 'BASIC_AUTH', username: 'anna', passwordHash }, passwords);
const requestOf = (authorization: string | undefined, remoteAddress = '192.0.2.1') =>
  ({ headers: { authorization }, socket: { remoteAddress } }) as unknown as IncomingMessage;
const as = (credentials: string, address?: string) => requestOf(`Basic ${Buffer.from(credentials).toString('base64')}`, address);
const right = { user: 'anna', claims: undefined };

test('a right password is worked out once, then answered at once', async () => {
  const auth = authOf();
  const first = auth.check(as('anna:geheim'));
  expect(first).toBeInstanceOf(Promise);
  // A page asks for many things at once: one of them does the work.
  expect(auth.check(as('anna:geheim'))).toBe(first);
  expect(await first).toEqual(right);
  expect(auth.check(as('anna:geheim'))).toEqual(right);
  const minuteLater = performance.now() + 61_000;
  expect(auth.check(as('anna:geheim'), minuteLater)).toBeInstanceOf(Promise);
});

test.each([undefined, 'Bearer x', 'Basic', 'Basic !', `Basic ${Buffer.from('anna').toString('base64')}`])(
  '%s asks for user name and password',
  (authorization) => {
    expect(authOf().check(requestOf(authorization))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('Basic') as string },
    });
  },
);

test.each(['anna:falsch', 'berta:geheim', 'anna:', ':geheim', 'anna:geheim '])('%s is wrong', async (credentials) => {
  expect(await authOf().check(as(credentials))).toMatchObject({ status: 401 });
});

test('whoever guesses must wait; the others behind the address and elsewhere need not', async () => {
  const auth = authOf();
  expect(await auth.check(as('anna:geheim'))).toEqual(right);
  // A program with an old password repeats itself: that is one guess.
  for (let index = 0; index < 50; index++) expect(await auth.check(as('anna:old'))).toMatchObject({ status: 401 });
  const guesses = await Promise.all(Array.from({ length: 12 }, (_, index) => auth.check(as(`anna:${index}`))));
  expect(guesses.map((verdict) => 'status' in verdict && verdict.status)).toEqual([...Array(9).fill(401), 429, 429, 429]);
  const refused = guesses[11] as Refusal;
  expect(refused.headers?.['retry-after']).toBeGreaterThan(50);
  expect(auth.check(as('anna:geheim'))).toEqual(right);
  expect(await auth.check(as('anna:x', '192.0.2.2'))).toMatchObject({ status: 401 });
  expect(await auth.check(as('anna:12'), performance.now() + 61_000)).toMatchObject({ status: 401 });
});

test('a flood of passwords is held back without counting as guesses', async () => {
  const passwords = new PasswordQueue();
  const flood = Array.from({ length: 34 }, (_, index) => passwords.verify(String(index), passwordHash));
  const auth = authOf(passwords);
  for (let index = 0; index < 20; index++)
    expect(await auth.check(as(`anna:${index}`))).toMatchObject({ status: 429, headers: { 'retry-after': 1 } });
  expect(await Promise.all(flood)).toEqual(Array(34).fill(false));
  expect(await auth.check(as('anna:geheim'))).toEqual(right);
});

test('a flood at one service leaves room for the others', async () => {
  const passwords = new PasswordQueue();
  const [flooded, other] = [authOf(passwords), authOf(passwords)];
  const flood = Array.from({ length: 40 }, (_, index) => flooded.check(as(`anna:${index}`, `192.0.2.${index}`)));
  expect(flood.filter((verdict) => !(verdict instanceof Promise))).toHaveLength(24);
  expect(await other.check(as('anna:geheim'))).toEqual(right);
  await Promise.all(flood);
});

test('hashes that are none', async () => {
  expect(await verifyEdgePassword('geheim', passwordHash)).toBe(true);
  expect(await verifyEdgePassword('geheim', 'plain')).toBe(false);
  expect(await verifyEdgePassword('geheim', 'scrypt$0$0$0$aa$bb')).toBe(false);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, ''],
])('%s counts as %s', (address, client) => expect(clientOf(address)).toBe(client));

test('guesses of many addresses do not fill the memory, and are forgiven one by one', () => {
  const limit = new GuessLimit();
  for (let index = 0; index < 10; index++) expect(limit.take('first', 0)).toBe(0);
  expect(limit.take('first', 1)).toBe(60);
  limit.forgive('first');
  expect(limit.take('first', 1)).toBe(0);
  for (let index = 0; index < 10_000; index++) limit.take(`other ${index}`, 1);
  // The oldest was forgotten.
  expect(limit.take('first', 2)).toBe(0);
});
