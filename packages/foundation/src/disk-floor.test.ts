import { buffer } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { PortFailure } from './ports/failure.ts';
import { DiskFloor, aboveFloor, usualFloorBytes, watchFloor } from './disk-floor.ts';
import { isNoSpace, noSpace } from './no-space.ts';

const GIB = 2 ** 30;
const floorOf = (freeBytes: () => number, floorBytes?: number): DiskFloor =>
  new DiskFloor({ directory: '/', floorBytes, space: async () => ({ freeBytes: freeBytes(), totalBytes: 100 * GIB }), keptMs: 0 });

test('a gibibyte stays free, of large disks a twentieth, of small ones a tenth', () => {
  expect([1, 8, 15, 80, 500].map((gibibytes) => usualFloorBytes(gibibytes * GIB) / GIB)).toEqual([0.1, 0.8, 1, 4, 5]);
});

test('what would leave too little is refused, as something that passes by itself', async () => {
  await expect(floorOf(() => 5 * GIB).require()).resolves.toBeUndefined();
  await expect(floorOf(() => 5 * GIB).require(1)).rejects.toMatchObject({ kind: 'unavailable', code: 'PlatformDiskFull' });
  await expect(floorOf(() => 0, 0).require()).resolves.toBeUndefined();
  await expect(floorOf(() => 10, 11).require()).rejects.toBeInstanceOf(PortFailure);
});

test('the disk itself is asked, and not more often than said', async () => {
  await expect(new DiskFloor({ directory: tmpdir(), floorBytes: 0 }).isShort()).resolves.toBe(false);
  let asked = 0;
  const space = async () => ({ freeBytes: (asked += 1), totalBytes: 10 });
  const floor = new DiskFloor({ directory: '/', space, keptMs: 3_600_000 });
  await Promise.all([floor.isShort(), floor.isShort()]);
  await floor.isShort();
  expect(asked).toBe(1);
});

test('a stream is cut off where the disk gets short while it is stored', async () => {
  let free = 6 * GIB;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let megabytes = 0; megabytes < 64; megabytes++) {
      free -= GIB / 16;
      yield Buffer.alloc(1 << 20);
    }
  }
  await expect(
    buffer(
      aboveFloor(
        chunks(),
        floorOf(() => free),
      ),
    ),
  ).rejects.toSatisfy(isNoSpace);
  expect(free).toBeGreaterThan(4.5 * GIB);
});

test('what runs is ended when the disk gets short', async () => {
  let free = 6 * GIB;
  const reported = Promise.withResolvers<unknown>();
  const stop = watchFloor(
    floorOf(() => (free -= GIB)),
    reported.resolve,
    1,
  );
  expect(await reported.promise).toSatisfy(isNoSpace);
  stop();
});

test('a full disk is known by whoever met it, also as a cause', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    const error = Object.assign(new Error('x'), { code });
    expect([isNoSpace(error), isNoSpace(new Error('y', { cause: error }))]).toEqual([true, true]);
  }
  expect([isNoSpace(noSpace()), isNoSpace(new Error('ENOSPC')), isNoSpace(undefined)]).toEqual([true, false, false]);
});
