/** Login attempts for an account and address: counted together, reset after the window, with bounded memory. */
import { expect, test } from 'vitest';
import { AttemptLimit, clientOf } from './attempt-limit.ts';

const limitAt = (clock: { now: number }) => new AttemptLimit({ now: () => clock.now });
const take = (limit: AttemptLimit, times: number, account = 'olga', address = '192.0.2.1') =>
  Array.from({ length: times }, () => limit.take(account, address)).at(-1);

test('ten tries a minute; then the seconds to wait, and after them ten again', () => {
  const clock = { now: 0 };
  const limit = limitAt(clock);
  expect(take(limit, 10)?.isAllowed).toBe(true);
  clock.now = 20_000;
  expect(take(limit, 1)).toMatchObject({ isAllowed: false, secondsLeft: 40 });
  clock.now = 60_000;
  expect(take(limit, 10)?.isAllowed).toBe(true);
  expect(take(limit, 1)?.isAllowed).toBe(false);
});

test('nobody locks out another address or another account', () => {
  const limit = limitAt({ now: 0 });
  take(limit, 50);
  expect(limit.take('olga', '192.0.2.2').isAllowed).toBe(true);
  expect(limit.take('mats', '192.0.2.1').isAllowed).toBe(true);
  expect(limit.take('olga', '::ffff:192.0.2.1').isAllowed).toBe(false);
});

test('the right answer takes the tries back', () => {
  const limit = limitAt({ now: 0 });
  take(limit, 10)?.forgive();
  expect(take(limit, 10)?.isAllowed).toBe(true);
});

test('one try can be given back, others count on', () => {
  const limit = limitAt({ now: 0 });
  const last = take(limit, 10);
  expect(limit.take('olga', '192.0.2.1')).toMatchObject({ isAllowed: false, secondsLeft: 60 });
  last?.giveBack();
  expect(take(limit, 1)?.isAllowed).toBe(true);
  expect(take(limit, 1)?.isAllowed).toBe(false);
});

test('who looks first counts failures alone: any number of right answers at once, and ten wrong ones', () => {
  const limit = limitAt({ now: 0 });
  const atOnce = Array.from({ length: 50 }, () => limit.look('olga', '192.0.2.1'));
  expect(atOnce.every(({ isAllowed }) => isAllowed)).toBe(true);
  for (const attempt of atOnce.slice(0, 9)) attempt.count();
  expect(limit.look('olga', '192.0.2.1').isAllowed).toBe(true);
  atOnce.at(-1)?.count();
  expect(limit.look('olga', '192.0.2.1').isAllowed).toBe(false);
});

test('what is given back after its time changes nothing', () => {
  const clock = { now: 0 };
  const limit = limitAt(clock);
  const early = take(limit, 10);
  clock.now = 60_000;
  take(limit, 10);
  early?.giveBack();
  expect(take(limit, 1)?.isAllowed).toBe(false);
});

test('invented names take no more memory than there is for them, and the latest count on', () => {
  const limit = limitAt({ now: 0 });
  for (let index = 0; index < 25_000; index += 1) limit.take(`invented ${index}`, '192.0.2.1');
  expect(limit.size).toBe(10_000);
  take(limit, 10);
  for (let index = 0; index < 9_000; index += 1) limit.take(`more ${index}`, '192.0.2.1');
  expect(limit.take('olga', '192.0.2.1').isAllowed).toBe(false);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, ''],
])('the client of %s is %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});
