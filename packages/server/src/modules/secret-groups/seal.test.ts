/** The seals without a database: what opens, and everything that must not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Keys } from '#ports/keys.ts';
import { compareHash, openVersion, sealVersion, type SealedVersion } from './seal.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-seal-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const keys = new FileKeys(join(directory, 'keys'));
const place = { app: 'berth', environment: 'development', group: 'database', version: 3 };
const values = new Map([
  ['PASSWORD', 'hunter2'],
  ['USER', 'berth'],
]);
const refused = { code: 'SecretUnreadable', status: 500 };

test('what was sealed opens, whatever it is', async () => {
  const dictionary = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,9}$/), fc.string({ unit: 'grapheme', maxLength: 300 }));
  await fc.assert(
    fc.asyncProperty(dictionary, async (given) => {
      const sealed = await sealVersion(keys, place, new Map(Object.entries(given)));
      expect(Object.fromEntries(await openVersion(keys, place, sealed))).toEqual({ ...given });
    }),
    { numRuns: 30 },
  );
});

test('no value shows in what is stored, and equal values are sealed differently', async () => {
  const sealed = await sealVersion(keys, place, new Map([...values, ['AGAIN', 'hunter2']]));
  expect(Buffer.concat(sealed.values.map((value) => value.sealed)).includes('hunter2')).toBe(false);
  const [one, , again] = sealed.values;
  expect(Buffer.from(one!.sealed).subarray(28)).not.toEqual(Buffer.from(again!.sealed).subarray(28));
});

const change: Record<string, (sealed: SealedVersion) => SealedVersion> = {
  'two values exchanged': ({ values: [a, b], ...rest }) => ({
    ...rest,
    values: [
      { key: a!.key, sealed: b!.sealed },
      { key: b!.key, sealed: a!.sealed },
    ],
  }),
  'a value cut': ({ values: [a, ...others], ...rest }) => ({ ...rest, values: [{ ...a!, sealed: a!.sealed.subarray(0, -1) }, ...others] }),
  'a value emptied': ({ values: [a, ...others], ...rest }) => ({ ...rest, values: [{ ...a!, sealed: new Uint8Array() }, ...others] }),
  'a value taken out': ({ values: [, ...others], ...rest }) => ({ ...rest, values: others }),
  'a value put in': ({ values: all, ...rest }) => ({ ...rest, values: [...all, { ...all[0]!, key: 'MORE' }] }),
  'a bit of the MAC changed': ({ seal, ...rest }) => ({ ...rest, seal: Uint8Array.from(seal, (byte, at) => (at === 0 ? byte ^ 1 : byte)) }),
  'the MAC cut': ({ seal, ...rest }) => ({ ...rest, seal: seal.subarray(1) }),
  'an unknown key': ({ wrapped, ...rest }) => ({ ...rest, wrapped: { ...wrapped, kid: 'file-1-000000000000' } }),
};
test.each(Object.entries(change))('%s: refused', async (_name, make) => {
  const sealed = await sealVersion(keys, place, values);
  await expect(openVersion(keys, place, make(sealed))).rejects.toMatchObject(refused);
});

test('every single bit counts', async () => {
  const sealed = await sealVersion(keys, place, new Map([['A', 'x']]));
  const [only] = sealed.values;
  for (let at = 0; at < only!.sealed.length; at++) {
    const turned = Uint8Array.from(only!.sealed, (byte, index) => (index === at ? byte ^ 128 : byte));
    await expect(openVersion(keys, place, { ...sealed, values: [{ key: 'A', sealed: turned }] })).rejects.toMatchObject(refused);
  }
});

test.each([
  { ...place, app: 'quay' },
  { ...place, environment: 'production' },
  { ...place, group: 'mail' },
  { ...place, version: 4 },
])('moved to %o: refused', async (elsewhere) => {
  await expect(openVersion(keys, elsewhere, await sealVersion(keys, place, values))).rejects.toMatchObject(refused);
});

test('with another key of the same machine: refused', async () => {
  const other = new FileKeys(join(directory, 'other'));
  await expect(openVersion(other, place, await sealVersion(keys, place, values))).rejects.toMatchObject(refused);
});

test('an engine that does not answer is no damage', async () => {
  const sealed = await sealVersion(keys, place, values);
  const away: Keys = Object.assign(new FileKeys(join(directory, 'keys')), {
    unwrap: () => Promise.reject(new PortFailure('unavailable', 'Away')),
  });
  await expect(openVersion(away, place, sealed)).rejects.toMatchObject({ name: 'PortFailure', kind: 'unavailable' });
});

test('the hash to compare by is of one app, group and key', () => {
  const platformKey = new Uint8Array(32).fill(7);
  const hash = (app: string, group: string, key: string, value: string) =>
    compareHash(platformKey, { app, group }, key, value).toString('hex');
  const hashes = [
    hash('a', 'b', 'c', 'd'),
    hash('x', 'b', 'c', 'd'),
    hash('a', 'x', 'c', 'd'),
    hash('a', 'b', 'x', 'd'),
    hash('a', 'b', 'c', 'x'),
    compareHash(new Uint8Array(32).fill(8), { app: 'a', group: 'b' }, 'c', 'd').toString('hex'),
    hash('a', 'b"c', '', 'd'),
    hash('a', 'b', '"c', 'd'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hash('a', 'b', 'c', 'd')).toBe(hashes[0]);
});
