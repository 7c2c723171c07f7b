/**
 * Reads refs in the format of git's files backend: loose files override `packed-refs`. Sweeps read every repository repeatedly, and reading
 * a file is a hundred times faster than starting a process. Only git writes refs.
 */
import { link, readFile, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@slipway/foundation/caught.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { isOid } from './read-objects.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what git forbids
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$/;

/** In bytes. Longer names with `.lock` exceed the limit for file names. */
const maxSegment = 240;

/** Returns whether a push may use the name: git's check-ref-format, only for branches and tags. */
export const isPushableRef = (name: string): boolean =>
  /^refs\/(heads|tags)\/[^./]/.test(name) &&
  !forbidden.test(name) &&
  name.split('/').every((part) => Buffer.byteLength(part) <= maxSegment) &&
  Buffer.byteLength(name) <= 1024;

export const branchOf = (ref: string): string | undefined => (ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined);

const absent = (error: unknown): undefined => {
  // ENOTDIR and EISDIR: `refs/heads/a` was requested but `refs/heads/a/b` exists, or vice versa.
  if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return undefined;
  throw error;
};

async function looseRef(gitDir: string, name: string): Promise<string | undefined> {
  const text = (await readFile(join(gitDir, name), 'latin1').catch(absent))?.trim();
  return text !== undefined && isOid(text) ? text : undefined;
}

async function looseNames(gitDir: string, folder: string): Promise<string[]> {
  const entries = (await readdir(join(gitDir, folder), { withFileTypes: true }).catch(absent)) ?? [];
  const names: string[] = [];
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await looseNames(gitDir, name)));
    else if (entry.isFile() && !name.endsWith('.lock')) names.push(name);
  }
  return names;
}

async function packedRefs(gitDir: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  const text = (await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(absent)) ?? '';
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{40}) (refs\/.+)$/.exec(line);
    if (match !== null) refs.set(match[2] ?? '', match[1] ?? '');
  }
  return refs;
}

/** Returns all branches and tags as name → object, sorted by the bytes of their names. */
export async function readRefs(gitDir: string): Promise<Map<string, string>> {
  const names = [...(await looseNames(gitDir, 'refs/heads')), ...(await looseNames(gitDir, 'refs/tags'))];
  const loose = await mapLimited(names, async (name) => [name, await looseRef(gitDir, name)] as const);
  // The packed file is read last: packing writes it first and then removes the loose file.
  const refs = new Map([...(await packedRefs(gitDir))].filter(([name]) => /^refs\/(heads|tags)\//.test(name)));
  for (const [name, oid] of loose) if (oid !== undefined) refs.set(name, oid);
  return new Map([...refs].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

export const readRef = async (gitDir: string, name: string): Promise<string | undefined> =>
  (await looseRef(gitDir, name)) ?? (await packedRefs(gitDir)).get(name);

/** Returns the ref that HEAD names, e.g. `refs/heads/main`, or undefined if there is no repository. */
export async function headRef(gitDir: string): Promise<string | undefined> {
  const text = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(absent);
  return /^ref: (refs\/heads\/\S+)\s*$/.exec(text ?? '')?.[1];
}

/** The holder of a lock writes a few bytes and renames, so a lock this old belongs to a killed server. */
const staleLockMs = 5 * 60_000;

/** Removes the stale lock of a dead process. Renaming it first ensures that only one remover acts on it. */
export async function breakStaleLock(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < staleLockMs) return;
  const aside = `${lock}-stale-${process.pid}-${Date.now()}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await stat(aside).catch(() => undefined);
  // A live process may have taken the lock between the check and the rename. Then it is restored.
  if (moved !== undefined && moved.ino !== found.ino) await link(aside, lock).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}
