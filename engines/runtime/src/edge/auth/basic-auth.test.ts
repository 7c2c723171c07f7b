/** Passwords at the edge: verified once and cached, with limits on guessing that don't affect users with the right password. */
import type { IncomingMessage } from 'node:http';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { PasswordQueue } from '@slipway/foundation/sign-in/password-queue.ts';
import { hashPassword, isPassword, RANDOM } from '@slipway/foundation/sign-in/password.ts';
import { BasicAuth } from './basic-auth.ts';
import { PASSWORDS } from '../limits.ts';
import type { Refusal } from '../problem.ts';

let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword('geheim', RANDOM);
});
let lateMs = 0;
beforeEach(() => {
  lateMs = 0;
});
const queue = () => new PasswordQueue(PASSWORDS);
const authOf = (passwords = queue()) =>
  new BasicAuth({ type: 'BASIC_AUTH', username: 'anna', passwordHash }, passwords, () => performance.now() + lateMs);
const requestOf = (authorization: string | undefined, remoteAddress = '192.0.2.1') =>
  ({ headers: { authorization }, socket: { remoteAddress } }) as unknown as IncomingMessage;
const as = (credentials: string, address?: string) => requestOf(`Basic ${Buffer.from(credentials).toString('base64')}`, address);
const right = { user: 'anna', claims: undefined };

test('a right password is worked out once, then answered at once', async () => {
  const auth = authOf();
  const first = auth.check(as('anna:geheim'));
  expect(first).toBeInstanceOf(Promise);
  // A page sends many requests in parallel. One of them does the work.
  expect(auth.check(as('anna:geheim'))).toBe(first);
  expect(await first).toEqual(right);
  expect(auth.check(as('anna:geheim'))).toEqual(right);
  lateMs = 61_000;
  expect(auth.check(as('anna:geheim'))).toBeInstanceOf(Promise);
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
  // A program that repeats an old password counts as one guess.
  for (let index = 0; index < 50; index++) expect(await auth.check(as('anna:old'))).toMatchObject({ status: 401 });
  const guesses = await Promise.all(Array.from({ length: 12 }, (_, index) => auth.check(as(`anna:${index}`))));
  expect(guesses.map((verdict) => 'status' in verdict && verdict.status)).toEqual([...Array(9).fill(401), 429, 429, 429]);
  const refused = guesses[11] as Refusal;
  expect(refused.headers?.['retry-after']).toBeGreaterThan(50);
  expect(auth.check(as('anna:geheim'))).toEqual(right);
  expect(await auth.check(as('anna:x', '192.0.2.2'))).toMatchObject({ status: 401 });
  lateMs = 61_000;
  expect(await auth.check(as('anna:12'))).toMatchObject({ status: 401 });
});

test('a flood of passwords is held back without counting as guesses', async () => {
  const passwords = queue();
  const flood = Array.from({ length: 34 }, (_, index) => passwords.inTurn('', () => isPassword(String(index), passwordHash)));
  const auth = authOf(passwords);
  for (let index = 0; index < 20; index++)
    expect(await auth.check(as(`anna:${index}`))).toMatchObject({ status: 429, headers: { 'retry-after': 1 } });
  expect(await Promise.all(flood)).toEqual(Array(34).fill(false));
  expect(await auth.check(as('anna:geheim'))).toEqual(right);
});

test('a flood at one service leaves room for the others', async () => {
  const passwords = queue();
  const [flooded, other] = [authOf(passwords), authOf(passwords)];
  const flood = Array.from({ length: 40 }, (_, index) => flooded.check(as(`anna:${index}`, `192.0.2.${index}`)));
  expect(flood.filter((verdict) => !(verdict instanceof Promise))).toHaveLength(24);
  expect(await other.check(as('anna:geheim'))).toEqual(right);
  await Promise.all(flood);
});
