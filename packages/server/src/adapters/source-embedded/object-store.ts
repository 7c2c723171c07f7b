/**
 * Reads the objects of one repository, loose or packed, as git lays them out on disk. One store serves one request:
 * it keeps packs open, so `close` it.
 */
import { access, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync, constants } from 'node:zlib';
import { hasCode } from '#kernel/caught.ts';
import { MalformedObject } from './git-object.ts';
import type { GitObject, ObjectType } from './git-object.ts';
import { ObjectCache } from './object-cache.ts';
import { ObjectTooLarge, applyDelta, deltaResultSize, inflateExactly } from './pack-entry.ts';
import { PackFile } from './pack-file.ts';
import type { PackEntry } from './pack-file.ts';

/** No object and no base of one is ever built beyond this. */
const hardMaxBytes = 512 * 1024 * 1024;
/** Git's own chains end at 4095 links; longer ones are made to hurt. */
const maxChain = 4096;

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');

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
  readonly #cache = new ObjectCache();
  readonly #packs = new Map<string, PackFile>();
  #scan: Promise<void> | undefined;

  constructor(gitDir: string) {
    this.#objects = join(gitDir, 'objects');
  }

  /** Undefined when the repository lacks the object; rejected with ObjectTooLarge above `maxBytes`. */
  async read(oid: string, maxBytes = hardMaxBytes): Promise<GitObject | undefined> {
    const found = (await this.#packed(oid, maxBytes)) ?? (await this.#loose(oid, maxBytes));
    if (found !== undefined) return found;
    // A push may have brought a pack since they were listed.
    this.#scan = this.#scanPacks();
    return this.#packed(oid, maxBytes);
  }

  async has(oid: string): Promise<boolean> {
    if ((await this.#find(oid)) !== undefined) return true;
    return access(this.#loosePath(oid)).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await this.#scan;
    for (const pack of this.#packs.values()) await pack.close();
    this.#packs.clear();
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

  async #find(oid: string): Promise<{ pack: PackFile; offset: number } | undefined> {
    this.#scan ??= this.#scanPacks();
    await this.#scan;
    for (const pack of this.#packs.values()) {
      const offset = pack.offsetOf(oid);
      if (offset !== undefined) return { pack, offset };
    }
    return undefined;
  }

  async #packed(oid: string, maxBytes: number): Promise<GitObject | undefined> {
    const found = await this.#find(oid);
    return found === undefined ? undefined : this.#resolve(found.pack, found.offset, maxBytes);
  }

  /** Walks from a delta to its base, then applies the deltas on the way back. `maxBytes` is for the object, not for its bases. */
  async #resolve(pack: PackFile, offset: number, maxBytes: number): Promise<GitObject> {
    const deltas: { offset: number; delta: Buffer }[] = [];
    let deltaBytes = 0;
    let at: number | undefined = offset;
    let base: GitObject | undefined;
    while (base === undefined && at !== undefined) {
      const isWanted = deltas.length === 0;
      base = this.#cache.get(pack.keyOf(at));
      const entry: PackEntry | undefined = base === undefined ? await pack.entry(at) : undefined;
      if (entry === undefined) break;
      deltaBytes += entry.size;
      if (deltaBytes > hardMaxBytes || deltas.length > maxChain) throw new ObjectTooLarge();
      if (entry.type !== undefined) {
        if (isWanted && entry.size > maxBytes) throw new ObjectTooLarge();
        base = { type: entry.type, content: await pack.body(entry) };
        this.#cache.set(pack.keyOf(at), base);
        break;
      }
      const delta = await pack.body(entry);
      if (isWanted && deltaResultSize(delta) > maxBytes) throw new ObjectTooLarge();
      deltas.push({ offset: at, delta });
      at = entry.baseDistance === undefined ? pack.offsetOf(entry.baseOid ?? '') : at - entry.baseDistance;
    }
    if (base === undefined) throw new MalformedObject('delta without its base');
    for (const { offset: built, delta } of deltas.reverse()) {
      base = { type: base.type, content: applyDelta(base.content, delta, hardMaxBytes) };
      this.#cache.set(pack.keyOf(built), base);
    }
    if (base.content.length > maxBytes) throw new ObjectTooLarge();
    return base;
  }

  /** Opens the packs that are not open yet; those that are stay, as others may be reading from them. */
  async #scanPacks(): Promise<void> {
    await this.#scan;
    const folder = join(this.#objects, 'pack');
    for (const file of await readdir(folder).catch(() => [])) {
      const path = join(folder, file.slice(0, -'.idx'.length));
      if (/^pack-[0-9a-f]{40}\.idx$/.test(file) && !this.#packs.has(path)) this.#packs.set(path, await PackFile.open(path));
    }
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
