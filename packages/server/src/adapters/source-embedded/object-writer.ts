/**
 * Puts a checked push into a repository: a few objects as loose files, more of them as a pack with its index.
 * Everything is written aside and renamed, so that a reader or a crash never meets half an object.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { MalformedObject } from './git-object.ts';
import type { GitObject } from './git-object.ts';
import { readIncomingPack } from './incoming-pack.ts';
import type { IncomingPack, PackLimits } from './incoming-pack.ts';
import type { ObjectStore } from './object-store.ts';
import { encodePackIndex } from './pack-index.ts';

const deflateLater = promisify(deflate);
/** Git's own threshold (receive.unpackLimit): thousands of tiny packs would make every later read slow. */
const looseObjects = 100;
const looseBytes = 32 * 1024 * 1024;

async function writeAside(path: string, content: Buffer, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.tmp-${randomUUID()}`;
  const file = await open(aside, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path).catch(async (error: unknown) => {
    await unlink(aside).catch(() => undefined);
    throw error;
  });
}

/** Every object a push refers to must be there when it is done, or a later clone would break. */
async function checkConnected(pack: IncomingPack, stored: ObjectStore): Promise<void> {
  const pushed = new Set(pack.objects.map((object) => object.oid));
  for (const oid of pack.references) {
    if (!pushed.has(oid) && !(await stored.has(oid))) throw new MalformedObject(`missing object ${oid}`);
  }
}

async function writeLoose(gitDir: string, stored: ObjectStore, objects: ReadonlyMap<string, GitObject>): Promise<void> {
  for (const [oid, object] of objects) {
    // An object that is there stays: what a name stands for must never change.
    if (await stored.has(oid)) continue;
    const header = Buffer.from(`${object.type} ${object.content.length}\0`);
    const bytes = await deflateLater(Buffer.concat([header, object.content]), { level: 1 });
    await writeAside(join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2)), bytes, 0o444);
  }
}

async function writePack(gitDir: string, pack: IncomingPack, received: string): Promise<void> {
  const path = join(gitDir, 'objects', 'pack', `pack-${pack.checksum}`);
  const index = encodePackIndex(pack);
  await rename(received, `${path}.pack`);
  // The index last: with it the pack becomes visible.
  await writeAside(`${path}.idx`, index, 0o444);
}

/**
 * Stores the pack in the file `received`, which is gone afterwards. Rejected, with nothing stored, with MalformedObject,
 * ObjectTooLarge or zlib's errors when the pack is not whole and well formed.
 */
export async function storePack(gitDir: string, received: string, stored: ObjectStore, limits: PackLimits): Promise<void> {
  try {
    const bytes = await readFile(received);
    const few = bytes.length >= 12 && bytes.readUInt32BE(8) < looseObjects;
    const kept = new Map<string, GitObject>();
    let keptBytes = 0;
    const pack = await readIncomingPack(bytes, limits, (object, oid) => {
      keptBytes += object.content.length;
      if (few && keptBytes <= looseBytes) kept.set(oid, object);
      else kept.clear();
    });
    await checkConnected(pack, stored);
    if (few && keptBytes <= looseBytes) await writeLoose(gitDir, stored, kept);
    else await writePack(gitDir, pack, received);
  } finally {
    await rm(received, { force: true });
  }
}
