/** Password hashes: both formats ever stored verify, and nothing else does. */
import { expect, test, vi } from 'vitest';
import { CHOSEN, hashPassword, isPassword, RANDOM } from './password.ts';

// Hashing is intentionally slow, and slower on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

test.each([
  ['people', CHOSEN, /^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/],
  ['the edge', RANDOM, /^\$scrypt\$ln=14,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/],
])('a password of %s is stored with its cost and a salt of its own', async (_of, cost, form) => {
  const [first, second] = await Promise.all([hashPassword('geheim', cost), hashPassword('geheim', cost)]);
  expect(first).toMatch(form);
  expect(second).not.toBe(first);
  expect([await isPassword('geheim', first), await isPassword('Geheim', first)]).toEqual([true, false]);
});

/** Hashes by versions before 0034, of "geheim" and of "stäple" with letters that NFKC would compose. */
const EARLIER = {
  geheim: 'scrypt$16384$8$1$c2xpcHdheS1zdWl0ZQ$Mn9BidEFczVyQJdO1CeMgleUErOd2z5ZZ6Q_HFMlGsY',
  decomposed: 'scrypt$16384$8$1$c2xpcHdheS1zdWl0ZQ$aZ1aB8QVvA6rBsKNEhbabyEb2-vputaQo1bxVxLYuB8',
};
test('what earlier versions stored for the edge verifies, byte for byte', async () => {
  expect([await isPassword('geheim', EARLIER.geheim), await isPassword('geheim ', EARLIER.geheim)]).toEqual([true, false]);
  const typed = 'stäple'.normalize('NFD');
  expect([await isPassword(typed, EARLIER.decomposed), await isPassword(typed.normalize('NFC'), EARLIER.decomposed)]).toEqual([
    true,
    false,
  ]);
});

test('the letters of a password may be composed in either way', async () => {
  const stored = await hashPassword('stäple'.normalize('NFD'), RANDOM);
  expect(await isPassword('stäple'.normalize('NFC'), stored)).toBe(true);
});

test.each([
  undefined,
  '',
  'plain',
  'scrypt$0$0$0$aa$bb',
  'scrypt$16384$8$1$$',
  '$scrypt$ln=99,r=8,p=1$aaaa$bbbb',
  '$scrypt$ln=14,r=8,p=1$aaaa$b',
])('%s is no hash of any password', async (stored) => {
  expect(await isPassword('', stored)).toBe(false);
  expect(await isPassword('geheim', stored)).toBe(false);
});
