/** Tests for every adapter of the keys port. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Keys, WrappedKey } from './keys.ts';

export interface KeysUnderTest {
  readonly keys: Keys;
  close(): Promise<void>;
}

const DATA_KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const REJECTED = { name: 'PortFailure', kind: 'rejected' };

export function keysSuite(name: string, open: () => Promise<KeysUnderTest>): void {
  describe(`keys: ${name}`, () => {
    let under: KeysUnderTest;
    let keys: Keys;
    beforeAll(async () => {
      under = await open();
      keys = under.keys;
    });
    afterAll(() => under.close());

    test('what was wrapped opens again', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.string(), async (key, purpose) => {
          const opened = await keys.unwrap(await keys.wrap(key, purpose), purpose);
          expect(Buffer.from(opened)).toEqual(Buffer.from(key));
        }),
        { numRuns: 30 },
      );
    });

    test('a wrapped key carries the current kid and not the key', async () => {
      const wrapped = await keys.wrap(DATA_KEY, 'secret');
      expect(wrapped.kid).toBe(await keys.currentKid());
      expect(Buffer.from(wrapped.blob).includes(Buffer.from(DATA_KEY))).toBe(false);
    });

    test('the same key wraps differently each time', async () => {
      const [one, two] = await Promise.all([keys.wrap(DATA_KEY, 'secret'), keys.wrap(DATA_KEY, 'secret')]);
      expect(Buffer.from(one.blob)).not.toEqual(Buffer.from(two.blob));
    });

    test('another purpose is rejected', async () => {
      const wrapped = await keys.wrap(DATA_KEY, 'secret:1');
      await expect(keys.unwrap(wrapped, 'secret:2')).rejects.toMatchObject(REJECTED);
    });

    test('a change of any byte is rejected', async () => {
      const { kid, blob } = await keys.wrap(DATA_KEY, 'secret');
      for (let index = 0; index < blob.length; index++) {
        const changed = Uint8Array.from(blob);
        changed[index] = (changed[index] ?? 0) ^ 1;
        await expect(keys.unwrap({ kid, blob: changed }, 'secret')).rejects.toMatchObject(REJECTED);
      }
    });

    test.each([0, 1, 12, 28, 40])('a blob cut to %i bytes is rejected', async (length) => {
      const { kid, blob } = await keys.wrap(DATA_KEY, 'secret');
      await expect(keys.unwrap({ kid, blob: blob.subarray(0, length) }, 'secret')).rejects.toMatchObject(REJECTED);
    });

    test('an unknown key is rejected', async () => {
      const wrapped = await keys.wrap(DATA_KEY, 'secret');
      await expect(keys.unwrap({ ...wrapped, kid: 'nobody-knows' }, 'secret')).rejects.toMatchObject(REJECTED);
    });

    test('after a rotation new keys wrap and old blobs still open', async () => {
      const before: WrappedKey = await keys.wrap(DATA_KEY, 'secret');
      const kid = await keys.rotate();
      expect(await keys.currentKid()).toBe(kid);
      const after = await keys.wrap(DATA_KEY, 'secret');
      expect(after.kid).not.toBe(before.kid);
      expect(Buffer.from(await keys.unwrap(before, 'secret'))).toEqual(Buffer.from(DATA_KEY));
      expect(Buffer.from(await keys.unwrap(after, 'secret'))).toEqual(Buffer.from(DATA_KEY));
    });
  });
}
