import { expect, test } from 'vitest';
import { hostUid, releaseHostUid } from './host-uid.ts';

// By chance, about a dozen of so many keys collide.
const keys = Array.from({ length: 2000 }, (_none, index) => `shop/development/shop-${index}`);

test('each key has two ids of its own, away from people and system users', () => {
  const ids = keys.map(hostUid);
  try {
    expect(keys.map(hostUid)).toEqual(ids);
    for (const id of ids) expect(id >= 20_000 && id !== 65_534).toBe(true);
    if (process.getuid?.() === 0) expect(new Set(ids.flatMap((id) => [id, id + 1])).size).toBe(2 * keys.length);
  } finally {
    for (const key of keys) releaseHostUid(key);
  }
});

test.runIf(process.getuid?.() === 0)('what was given back is used again', () => {
  const first = hostUid('test/released');
  releaseHostUid('test/released');
  expect(hostUid('test/released')).toBe(first);
  releaseHostUid('test/released');
});
