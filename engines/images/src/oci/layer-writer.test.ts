import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { extract } from 'tar-stream';

import { sha256 } from './digest.ts';
import { writeLayer } from './layer-writer.ts';
import type { LayerSource } from './layer-writer.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layer-writer-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = (path: string, text: string): LayerSource => ({ kind: 'file', path, isExecutable: false, content: Buffer.from(text) });
const headersOf = async (bytes: Uint8Array) => {
  const headers = [];
  const archive = extract();
  archive.end(bytes);
  for await (const item of archive) {
    headers.push(item.header);
    item.resume();
  }
  return headers;
};

test('the same content gives the same layer, whatever its order', async () => {
  const sources = [file('app/b.js', 'b'), file('app/lib/a.js', 'a'), { kind: 'symlink', path: 'app/c', target: 'b.js' } as const];
  const options = { compression: 'gzip', comment: 'app' } as const;
  const first = await writeLayer(sources, join(folder, 'first'), options);
  const second = await writeLayer(sources.toReversed(), join(folder, 'second'), options);
  expect(second).toEqual(first);
  const stored = await readFile(join(folder, 'first'));
  expect(sha256(stored)).toBe(first.digest);
  expect(stored.length).toBe(first.size);
  expect(sha256(gunzipSync(stored))).toBe(first.diffId);
});

test('entries are sorted, carry no time and no owner, and have their parents', async () => {
  const path = join(folder, 'plain');
  const script: LayerSource = { kind: 'file', path: 'app/bin/run', isExecutable: true, content: Buffer.from('#!') };
  const layer = await writeLayer([file('app/ü.txt', ''), script], path, { compression: 'none', comment: 'app' });
  expect(layer.digest).toBe(layer.diffId);
  const epoch = new Date(0);
  expect(await headersOf(await readFile(path))).toMatchObject([
    { name: 'app/', type: 'directory', mode: 0o755, mtime: epoch, uid: 0, gid: 0 },
    { name: 'app/bin/', type: 'directory', mode: 0o755 },
    { name: 'app/bin/run', type: 'file', mode: 0o755, size: 2 },
    { name: 'app/ü.txt', type: 'file', mode: 0o644, size: 0 },
  ]);
});

test('files on disk are packed, links in their place are not followed', async () => {
  const source = join(folder, 'source.txt');
  await writeFile(source, 'from disk');
  const fromDisk: LayerSource = { kind: 'file', path: 'app/x', isExecutable: false, content: { file: source } };
  const layer = await writeLayer([fromDisk], join(folder, 'disk'), { compression: 'none', comment: 'app' });
  const inMemory = await writeLayer([file('app/x', 'from disk')], join(folder, 'memory'), { compression: 'none', comment: 'app' });
  expect(layer).toEqual(inMemory);

  await symlink('/etc/hostname', join(folder, 'link'));
  const throughLink: LayerSource = { kind: 'file', path: 'app/x', isExecutable: false, content: { file: join(folder, 'link') } };
  await expect(writeLayer([throughLink], join(folder, 'refused'), { compression: 'none', comment: 'app' })).rejects.toThrow(/ELOOP/);
});
