/**
 * Takes a pushed pack apart: names every object, checks each one, and notes what they refer to. Written here
 * because isomorphic-git's indexPack skips objects it cannot resolve and knows no limits; a push comes from outside.
 */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { MalformedObject, checkedReferences, oidOf } from './git-object.ts';
import type { GitObject, ObjectType } from './git-object.ts';
import { TreeNames, hashBlob, maxNamedBytes } from './oversized.ts';
import { ObjectTooLarge, applyDelta, inflateBody, maxHeaderBytes, parseEntryHeader } from './pack-entry.ts';
import type { EntryHeader } from './pack-entry.ts';

export interface PackLimits {
  /** One object when inflated, bytes. */
  readonly maxObjectBytes: number;
  /** All objects together when inflated, bytes: what keeps a small pack from becoming days of work. */
  readonly maxExpandedBytes: number;
}

export interface IndexedObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly offset: number;
  readonly crc: number;
}

export interface IncomingPack {
  readonly objects: readonly IndexedObject[];
  /** Objects that the pushed ones need, whether pushed or not. */
  readonly references: ReadonlySet<string>;
  /** The pack's own checksum, hex. */
  readonly checksum: string;
  readonly expandedBytes: number;
}

interface Entry {
  readonly offset: number;
  readonly bodyAt: number;
  readonly size: number;
  readonly crc: number;
}
type Delta = Entry & { readonly base: number | string };
/** An object whose deltas are not all built yet. */
interface Frame {
  readonly base: GitObject;
  readonly waiting: Delta[];
}

/** Bases kept at one time, bytes: a deep and bushy chain of large objects is refused rather than held. */
const maxHeldBytes = 512 * 1024 * 1024;
/** How long the event loop may be kept before other requests get a turn. */
const sliceMs = 15;

class Indexer {
  readonly objects: IndexedObject[] = [];
  readonly references = new Set<string>();
  /** Files above the limit, by their place in the pack; they are passed over until all the others are known. */
  readonly tooLarge: Map<number, { readonly oid: string; readonly size: number; readonly taken: number }>;
  expandedBytes = 0;
  readonly #pack: Buffer;
  readonly #limits: PackLimits;
  readonly #visit: ((object: GitObject, oid: string) => void) | undefined;
  readonly #roots: (Entry & { readonly type: ObjectType; readonly oid: string })[] = [];
  readonly #deltas = new Map<number | string, Delta[]>();
  #turnAt = Date.now() + sliceMs;

  constructor(
    pack: Buffer,
    limits: PackLimits,
    visit?: (object: GitObject, oid: string) => void,
    tooLarge: Indexer['tooLarge'] = new Map(),
  ) {
    this.tooLarge = tooLarge;
    this.#pack = pack;
    this.#limits = limits;
    this.#visit = visit;
  }

  async #breathe(): Promise<void> {
    if (Date.now() < this.#turnAt) return;
    await turn();
    this.#turnAt = Date.now() + sliceMs;
  }

  /** First pass: every entry, as only inflating one tells where the next starts; whole objects are done here. */
  async scan(): Promise<void> {
    const count = this.#pack.readUInt32BE(8);
    const end = this.#pack.length - 20;
    let offset = 12;
    for (let index = 0; index < count; index++) {
      await this.#breathe();
      const header = parseEntryHeader(this.#pack.subarray(offset, Math.min(offset + maxHeaderBytes, end)));
      const bodyAt = offset + header.bodyAt;
      if (header.size > this.#limits.maxObjectBytes) {
        offset = bodyAt + (await this.#passOver(offset, header, this.#pack.subarray(bodyAt, end)));
        continue;
      }
      const { content, taken } = inflateBody(this.#pack.subarray(bodyAt, end), header.size);
      const next = bodyAt + taken;
      const entry = { offset, bodyAt, size: header.size, crc: crc32(this.#pack.subarray(offset, next)) };
      if (header.type !== undefined)
        this.#roots.push({ ...entry, type: header.type, oid: this.#record(entry, { type: header.type, content }) });
      else this.#addDelta({ ...entry, base: header.baseOid ?? offset - (header.baseDistance ?? 0) });
      offset = next;
    }
    if (offset !== end) throw new MalformedObject('bytes after the last object of the pack');
  }

  /** Answers how many bytes its body takes. */
  async #passOver(offset: number, { type, size }: EntryHeader, body: Buffer): Promise<number> {
    const known = this.tooLarge.get(offset);
    if (known !== undefined) return known.taken;
    if (type !== 'blob' || size > maxNamedBytes) throw new ObjectTooLarge();
    this.expandedBytes += size;
    if (this.expandedBytes > this.#limits.maxExpandedBytes) throw new ObjectTooLarge();
    const { oid, taken } = await hashBlob(body, size);
    this.tooLarge.set(offset, { oid, size, taken });
    return taken;
  }

  #addDelta(delta: Delta): void {
    const same = this.#deltas.get(delta.base);
    if (same === undefined) this.#deltas.set(delta.base, [delta]);
    else same.push(delta);
  }

  /** Second pass: from every whole object to the deltas built on it, depth first, so that few objects are in memory. */
  async resolve(): Promise<void> {
    for (const root of this.#roots) {
      const waiting = this.#waitingFor(root.offset, root.oid);
      if (waiting.length === 0) continue;
      const { content } = inflateBody(this.#pack.subarray(root.bodyAt), root.size);
      await this.#resolveFrom({ base: { type: root.type, content }, waiting });
    }
    if (this.#deltas.size > 0) throw new MalformedObject('the pack builds on objects that it does not hold');
  }

  async #resolveFrom(root: Frame): Promise<void> {
    const frames: Frame[] = [root];
    let heldBytes = root.base.content.length;
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      await this.#breathe();
      const delta = frame.waiting.pop();
      // The last delta lets go of its base first, so that a plain chain holds two objects however long it is.
      if (frame.waiting.length === 0) heldBytes -= frames.pop()?.base.content.length ?? 0;
      if (delta === undefined) continue;
      const built = this.#built(frame.base, delta);
      const waiting = this.#waitingFor(delta.offset, this.#record(delta, built));
      if (waiting.length === 0) continue;
      frames.push({ base: built, waiting });
      heldBytes += built.content.length;
      if (heldBytes > maxHeldBytes) throw new ObjectTooLarge();
    }
  }

  #built(base: GitObject, delta: Entry): GitObject {
    const body = inflateBody(this.#pack.subarray(delta.bodyAt), delta.size).content;
    return { type: base.type, content: applyDelta(base.content, body, this.#limits.maxObjectBytes) };
  }

  /** Checks and notes one object. Answers its name. */
  #record(entry: Entry, object: GitObject): string {
    this.expandedBytes += object.content.length;
    if (this.expandedBytes > this.#limits.maxExpandedBytes) throw new ObjectTooLarge();
    const oid = oidOf(object);
    for (const reference of checkedReferences(object)) this.references.add(reference);
    this.objects.push({ oid, type: object.type, offset: entry.offset, crc: entry.crc });
    this.#visit?.(object, oid);
    return oid;
  }

  /** The deltas built on an object, by place or by name; each is handed out once. */
  #waitingFor(offset: number, oid: string): Delta[] {
    const waiting = [...(this.#deltas.get(offset) ?? []), ...(this.#deltas.get(oid) ?? [])];
    this.#deltas.delete(offset);
    this.#deltas.delete(oid);
    return waiting;
  }
}

/** The pack is refused; it is read once more to name the file. */
async function tooLargeIn(pack: Buffer, limits: PackLimits, tooLarge: Indexer['tooLarge']): Promise<ObjectTooLarge> {
  const names = new TreeNames();
  const indexer = new Indexer(pack, limits, (object, oid) => names.add(object, oid), tooLarge);
  // What is wrong with it besides does not matter any more.
  await indexer
    .scan()
    .then(() => indexer.resolve())
    .catch(() => undefined);
  const found = [...tooLarge.values()].map(({ oid, size }) => ({ path: names.pathOf(oid), size }));
  const [named] = found.flatMap(({ path, size }) => (path === undefined ? [] : [{ path, size }]));
  return new ObjectTooLarge(named);
}

/**
 * Reads the whole pack. `visit` sees every object once, so that a small push can be stored object by object.
 * Rejected with MalformedObject or ObjectTooLarge; zlib's errors say that the bytes are damaged.
 */
export async function readIncomingPack(
  pack: Buffer,
  limits: PackLimits,
  visit?: (object: GitObject, oid: string) => void,
): Promise<IncomingPack> {
  if (pack.length < 32 || pack.toString('latin1', 0, 4) !== 'PACK' || ![2, 3].includes(pack.readUInt32BE(4))) {
    throw new MalformedObject('not a pack');
  }
  const checksum = pack.toString('hex', pack.length - 20);
  if (createHash('sha1').update(pack.subarray(0, -20)).digest('hex') !== checksum) throw new MalformedObject('the pack is damaged');
  const indexer = new Indexer(pack, limits, visit);
  await indexer.scan();
  if (indexer.tooLarge.size > 0) throw await tooLargeIn(pack, limits, indexer.tooLarge);
  await indexer.resolve();
  return { objects: indexer.objects, references: indexer.references, checksum, expandedBytes: indexer.expandedBytes };
}
