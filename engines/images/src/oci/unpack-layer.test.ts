import { mkdir, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { pack as createPack } from 'tar-stream';
import type { Header } from 'tar-stream';

import { sha256 } from './digest.ts';
import type { Compression } from './media-types.ts';
import { readEntryList } from './entry-list.ts';
import { unpackLayer } from './unpack-layer.ts';

type Item = Partial<Header> & { name: string; text?: string };
let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unpack-'));
});
afterAll(() => rm(folder, { recursive: true }));

const archive = async (items: readonly Item[]): Promise<Buffer> => {
  const pack = createPack();
  for (const { text, ...header } of items) pack.entry(header, text ?? '');
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};
async function* chunked(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}
interface Given {
  readonly compression?: Compression;
  readonly limit?: number;
  readonly entries?: number;
  readonly listBytes?: number;
}
const unpack = async (bytes: Buffer, { compression = 'none', limit = 1 << 20, entries = 100, listBytes = 1 << 20 }: Given = {}) => {
  count += 1;
  const target = join(folder, String(count));
  await mkdir(target);
  const left = { bytes: limit, entries, listBytes };
  const list = `${target}.list`;
  const layer = await unpackLayer(chunked(bytes), { compression, contents: target, list, left, limits: left });
  return { ...layer, target, entries: await readEntryList(list, layer.taken.listBytes) };
};
const rejected = (code: string) => expect.objectContaining({ name: 'PortFailure', kind: 'rejected', code });

test.each([
  ['none', (tar: Buffer) => tar],
  ['gzip', (tar: Buffer) => gzipSync(tar)],
  ['zstd', (tar: Buffer) => zstdCompressSync(tar)],
] as const)('a layer stored as %s gives its contents and its list', async (compression, compress) => {
  const tar = await archive([
    { name: './app/', type: 'directory' },
    { name: './app/main.js', text: 'console.log(1)', mode: 0o644 },
    { name: 'app/run', text: '#!', mode: 0o4755 },
    { name: 'app/link', type: 'symlink', linkname: 'main.js' },
    { name: 'app/again', type: 'link', linkname: './app/main.js' },
    { name: 'app/.wh.old.js' },
    { name: 'lib/.wh..wh..opq' },
    { name: '.wh..wh.plnk' },
  ]);
  const stored = compress(tar);
  const layer = await unpack(stored, { compression });
  expect(layer).toMatchObject({ diffId: sha256(tar), taken: { bytes: tar.length, entries: 7 } });
  expect(layer.entries).toEqual([
    { kind: 'directory', path: 'app' },
    { kind: 'file', path: 'app/main.js', content: '1', size: 14, isExecutable: false },
    { kind: 'file', path: 'app/run', content: '2', size: 2, isExecutable: true },
    { kind: 'symlink', path: 'app/link', target: 'main.js' },
    { kind: 'hardlink', path: 'app/again', target: 'app/main.js' },
    { kind: 'whiteout', path: 'app/old.js' },
    { kind: 'opaque', path: 'lib' },
  ]);
  expect(await readFile(join(layer.target, '1'), 'utf8')).toBe('console.log(1)');
  // The setuid bit of `run` is gone, and nobody may write.
  expect((await stat(join(layer.target, '2'))).mode & 0o7777).toBe(0o555);
  expect(await readdir(layer.target)).toEqual(['1', '2']);
});

test.each<[string, Item]>([
  ['an absolute path', { name: '/etc/cron.d/x', text: 'x' }],
  ['a path that leads out', { name: 'app/../../x', text: 'x' }],
  ['a hard link that leads out', { name: 'app/x', type: 'link', linkname: '../../etc/shadow' }],
  ['an absolute hard link', { name: 'app/x', type: 'link', linkname: '/etc/shadow' }],
  ['a device', { name: 'dev/sda', type: 'block-device', devmajor: 8, devminor: 0 }],
  ['a character device', { name: 'dev/mem', type: 'character-device', devmajor: 1, devminor: 1 }],
  ['a pipe', { name: 'run/pipe', type: 'fifo' }],
  ['a whiteout of the parent', { name: 'app/.wh...' }],
  ['a path longer than the limit', { name: `${'d/'.repeat(512)}x`, text: 'x' }],
  ['a path deeper than the limit', { name: `${'d/'.repeat(200)}x`, text: 'x' }],
  ['a name longer than any file system takes', { name: 'n'.repeat(256), text: 'x' }],
  ['a sparse file', { name: 'GNUSparseFile.0/disk', text: 'x', pax: { 'GNU.sparse.major': '1', 'GNU.sparse.name': 'disk' } }],
  ['an extended header without end', { name: 'x', pax: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, 'v'])) }],
  ['a link longer than any path', { name: 'app/x', type: 'symlink', linkname: 'a/'.repeat(3000) }],
])('%s is refused', async (_, item) => {
  await expect(unpack(await archive([{ name: 'ok', text: 'ok' }, item]))).rejects.toEqual(rejected('ImageContentInvalid'));
});

test('limits hold for size, number and names', async () => {
  const bomb = gzipSync(await archive([{ name: 'zeros', text: '0'.repeat(100_000) }]));
  expect(bomb.length).toBeLessThan(1000);
  await expect(unpack(bomb, { compression: 'gzip', limit: 50_000 })).rejects.toEqual(rejected('ImageTooLarge'));
  const many = await archive(Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })));
  await expect(unpack(many, { entries: 19 })).rejects.toEqual(rejected('ImageTooLarge'));
  await expect(unpack(many, { limit: 5000 })).rejects.toEqual(rejected('ImageTooLarge'));
  await expect(unpack(many, { listBytes: 500 })).rejects.toEqual(rejected('ImageTooLarge'));
  expect((await unpack(many)).entries).toHaveLength(20);
});

test('what is not an archive, or only half of one, is refused', async () => {
  const tar = await archive([{ name: 'f', text: 'x'.repeat(3000) }]);
  await expect(unpack(Buffer.from('no archive at all '.repeat(100)))).rejects.toEqual(rejected('ImageContentInvalid'));
  await expect(unpack(tar, { compression: 'gzip' })).rejects.toEqual(rejected('ImageContentInvalid'));
  await expect(unpack(tar.subarray(0, 2000))).rejects.toEqual(rejected('ImageContentInvalid'));
  await expect(unpack(gzipSync(tar).subarray(0, 40), { compression: 'gzip' })).rejects.toEqual(rejected('ImageContentInvalid'));
});

test('names that end lines elsewhere come back from the list as they were', async () => {
  const name = 'a\u2028b\rc\nd';
  expect((await unpack(await archive([{ name, text: 'x' }]))).entries).toMatchObject([{ path: name }]);
});
