/** Taking packs apart, compared with what git makes of the same bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitFiles, git, importCommits } from './git-client.fixture.ts';
import { MalformedObject } from './git-object.ts';
import { readIncomingPack } from './incoming-pack.ts';
import { ObjectTooLarge } from './pack-entry.ts';
import { encodePackIndex } from './pack-index.ts';

const limits = { maxObjectBytes: 10_000_000, maxExpandedBytes: 50_000_000 };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-pack-'));
  await git(folder, 'init', '--quiet');
  await commitFiles(folder, { 'random.bin': randomBytes(400_000), empty: '' });
  const lines = Array.from({ length: 400 }, (_, number) => `line ${number}\n`);
  await importCommits(
    folder,
    Array.from({ length: 30 }, (_, number) => ({ 'long.txt': lines.slice(number).join(''), [`a/b${number}`]: `${number}` })),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A pack of the whole history, as git writes it. */
function packOf(...flags: string[]): Buffer {
  return execFileSync('git', ['pack-objects', '--revs', '--stdout', '--quiet', ...flags], {
    cwd: folder,
    input: 'main\n',
    maxBuffer: 1 << 26,
  });
}

function assemble(count: number, ...entries: Buffer[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const body = Buffer.concat([header, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** A blob's entry; only sizes below 2048 fit the two bytes written here. */
const blob = (content: Buffer, size = content.length): Buffer =>
  Buffer.concat([Buffer.of(0x80 | (3 << 4) | (size & 15), size >> 4), deflateSync(content)]);

test.each([[['--delta-base-offset']], [[]], [['--window=0']]])('the index of a pack made with %j is byte for byte git’s', async (flags) => {
  const pack = packOf(...flags);
  const indexed = execFileSync('git', ['index-pack', '--stdin'], { cwd: folder, input: pack }).toString();
  const name = indexed.trim().split('\t')[1] ?? '';
  const incoming = await readIncomingPack(pack, limits);
  expect(encodePackIndex(incoming).equals(await readFile(join(folder, '.git/objects/pack', `pack-${name}.idx`)))).toBe(true);
  expect(incoming.checksum).toBe(name);
  const names = new Set(incoming.objects.map((object) => object.oid));
  expect([...incoming.references].filter((oid) => !names.has(oid))).toEqual([]);
});

test('a changed byte anywhere is found', async () => {
  const pack = packOf();
  for (let step = 0; step < 50; step++) {
    const damaged = Buffer.from(pack);
    const at = Math.floor((step / 50) * damaged.length);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await expect(readIncomingPack(damaged, limits)).rejects.toThrow(MalformedObject);
  }
});

test('entries that lie about themselves are refused', async () => {
  const text = Buffer.from('a file of some length');
  expect((await readIncomingPack(assemble(1, blob(text)), limits)).objects).toHaveLength(1);
  await expect(readIncomingPack(assemble(1, blob(text, text.length + 1)), limits)).rejects.toThrow(MalformedObject);
  await expect(readIncomingPack(assemble(1, blob(text, text.length - 1)), limits)).rejects.toThrow();
  await expect(readIncomingPack(assemble(1, blob(text), blob(text)), limits)).rejects.toThrow(MalformedObject);
  await expect(readIncomingPack(assemble(2, blob(text)), limits)).rejects.toThrow();
});

test('a pack that grows beyond the limits is refused', async () => {
  const zeros = Buffer.alloc(2000);
  const pack = assemble(3, blob(zeros), blob(Buffer.alloc(1999)), blob(Buffer.alloc(1998)));
  expect((await readIncomingPack(pack, limits)).expandedBytes).toBe(5997);
  await expect(readIncomingPack(pack, { ...limits, maxObjectBytes: 1999 })).rejects.toThrow(ObjectTooLarge);
  await expect(readIncomingPack(pack, { ...limits, maxExpandedBytes: 5996 })).rejects.toThrow(ObjectTooLarge);
});

test('a thin pack, whose bases are elsewhere, is refused', async () => {
  const input = `${await git(folder, 'rev-parse', 'HEAD')}\n^${await git(folder, 'rev-parse', 'HEAD~1')}\n`;
  const thin = execFileSync('git', ['pack-objects', '--revs', '--thin', '--stdout', '--quiet'], { cwd: folder, input });
  await expect(readIncomingPack(thin, limits)).rejects.toThrow('does not hold');
});
