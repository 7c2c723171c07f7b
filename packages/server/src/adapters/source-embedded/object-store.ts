/**
 * Reads the objects of one repository, loose or packed, as git lays them out on disk. One store serves one request:
 * it keeps packs open, so `close` it.
 */
import { access, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync, constants } from 'node:zlib';
import { MalformedObject } from './git-object.ts';
import type { GitObject, ObjectType } from './git-object.ts';
import { ObjectTooLarge, applyDelta, deltaResultSize, inflateExactly } from './pack-entry.ts';
import { PackFile } from './pack-file.ts';

const defaultMaxBytes = 512 * 1024 * 1024;
/** Git's own chains end at 4095 links; longer ones are made to hurt. */
const maxChain = 4096;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The type and size that a loose object states in front of its content. */
function looseHeader(bytes: Buffer): { type: ObjectType; size: number; contentAt: number } {
  const start = inflateSync(bytes.subarray(0, 128), { finishFlush: constants.Z_SYNC_FLUSH });
  const end = start.indexOf(0);
  const match = /^(commit|tree|blob|tag) (\d{1,15})$/.exec(start.toString('latin1', 0, Math.max(end, 0)));
  if (match === null) throw new MalformedObject('loose object without a header');
  return { type: match[1] as ObjectType, size: Number(match[2]), contentAt: end + 1 };
}

export class ObjectStore {
  readonly #objects: string;
  #packs: Promise<Map<string, PackFile>> | undefined;

  constructor(gitDir: string) {
    this.#objects = join(gitDir, 'objects');
  }

  /** Undefined when the repository lacks the object; rejected with ObjectTooLarge above `maxBytes`. */
  async read(oid: string, maxBytes = defaultMaxBytes): Promise<GitObject | undefined> {
    const found = (await this.#loose(oid, maxBytes)) ?? (await this.#packed(oid, maxBytes));
    if (found !== undefined) return found;
    // A push may have brought a pack since the list was read.
    await this.close();
    return this.#packed(oid, maxBytes);
  }

  async has(oid: string): Promise<boolean> {
    for (const pack of (await this.#openPacks()).values()) if (pack.offsetOf(oid) !== undefined) return true;
    return access(this.#loosePath(oid)).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    const packs = this.#packs;
    this.#packs = undefined;
    if (packs !== undefined) for (const pack of (await packs).values()) await pack.close();
  }

  #loosePath(oid: string): string {
    return join(this.#objects, oid.slice(0, 2), oid.slice(2));
  }

  async #loose(oid: string, maxBytes: number): Promise<GitObject | undefined> {
    const bytes = await readFile(this.#loosePath(oid)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (bytes === undefined) return undefined;
    const header = looseHeader(bytes);
    if (header.size > maxBytes) throw new ObjectTooLarge();
    const whole = await inflateExactly(bytes, header.contentAt + header.size);
    return { type: header.type, content: whole.subarray(header.contentAt) };
  }

  async #packed(oid: string, maxBytes: number): Promise<GitObject | undefined> {
    for (const pack of (await this.#openPacks()).values()) {
      const offset = pack.offsetOf(oid);
      if (offset !== undefined) return this.#resolve(pack, offset, maxBytes);
    }
    return undefined;
  }

  /** Walks from a delta to its base, then applies the deltas on the way back. */
  async #resolve(pack: PackFile, offset: number, maxBytes: number): Promise<GitObject> {
    const deltas: Buffer[] = [];
    let entry = await pack.entry(offset);
    let base: GitObject | undefined;
    while (entry.type === undefined) {
      if (deltas.length >= maxChain || entry.size > maxBytes) throw new ObjectTooLarge();
      const delta = await pack.body(entry);
      if (deltaResultSize(delta) > maxBytes) throw new ObjectTooLarge();
      deltas.push(delta);
      const baseAt = entry.baseDistance === undefined ? pack.offsetOf(entry.baseOid ?? '') : entry.offset - entry.baseDistance;
      if (baseAt === undefined) {
        base = await this.#loose(entry.baseOid ?? '', maxBytes);
        break;
      }
      entry = await pack.entry(baseAt);
    }
    if (entry.type !== undefined) {
      if (entry.size > maxBytes) throw new ObjectTooLarge();
      base = { type: entry.type, content: await pack.body(entry) };
    }
    if (base === undefined) throw new MalformedObject('delta without its base');
    let content = base.content;
    for (const delta of deltas.reverse()) content = applyDelta(content, delta, maxBytes);
    return { type: base.type, content };
  }

  #openPacks(): Promise<Map<string, PackFile>> {
    this.#packs ??= this.#scanPacks();
    return this.#packs;
  }

  async #scanPacks(): Promise<Map<string, PackFile>> {
    const folder = join(this.#objects, 'pack');
    const packs = new Map<string, PackFile>();
    for (const file of await readdir(folder).catch(() => [])) {
      if (!/^pack-[0-9a-f]{40}\.idx$/.test(file)) continue;
      const path = join(folder, file.slice(0, -4));
      packs.set(path, await PackFile.open(path));
    }
    return packs;
  }
}

/** Runs `work` with a store of its own and closes it after. */
export async function withObjects<Answer>(gitDir: string, work: (objects: ObjectStore) => Promise<Answer>): Promise<Answer> {
  const objects = new ObjectStore(gitDir);
  try {
    return await work(objects);
  } finally {
    await objects.close();
  }
}
