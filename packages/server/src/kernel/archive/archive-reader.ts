/** Reads an archive from start to end without trusting it: the bytes of each part are counted, hashed and compared with `contents.json`. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { extract as createExtract } from 'tar-stream';
import type * as z from 'zod/mini';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { StartError } from '#kernel/start-error.ts';
import { CONTENTS, Contents, MANIFEST, type Part } from './archive-parts.ts';

/** Distinguishes one kind of archive from another. */
export interface ArchiveFormat<M> {
  readonly manifest: z.ZodMiniType<M>;
  readonly product: string;
  /** Incremented when older programs cannot restore archives of a newer version. */
  readonly format: number;
  /** Command that creates such archives, for error messages about other files: `slipway backup`. */
  readonly madeBy: string;
}
export interface ReadPart {
  readonly part: Omit<Part, 'sha256'>;
  readonly bytes: AsyncIterable<Uint8Array>;
}
export interface ArchiveVisitor<M> {
  /** Called before any part is read. */
  readonly onManifest?: (manifest: M) => void | Promise<void>;
  /** May leave bytes unread. */
  readonly onPart?: (part: ReadPart) => Promise<void>;
}
export interface ReadArchive<M> {
  readonly manifest: M;
  readonly contents: Contents;
}

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const MANIFEST_BYTES = 16 << 20;
const CONTENTS_BYTES = 1 << 30;

const damaged = (file: string, what: string, cause?: unknown): StartError =>
  new StartError(`${file} is damaged: ${what}. Take another backup, or copy this one again from where it was made.`, { cause });

/** Throws a StartError for the first problem found. */
export async function readParts<M>(file: string, format: ArchiveFormat<M>, visitor: ArchiveVisitor<M> = {}): Promise<ReadArchive<M>> {
  checkMagic(file, format);
  const extract = createExtract();
  const stopping = new AbortController();
  const flow = pipeline(fs.createReadStream(file), createZstdDecompress(), extract, { signal: stopping.signal });
  let reason: unknown;
  flow.catch((error: unknown) => (reason ??= error));
  const walk = new ArchiveWalk(file, format, visitor);
  try {
    const entries = extract[Symbol.asyncIterator]();
    for (let found = await broken(entries.next()); !found.done; found = await broken(entries.next())) {
      const { name, size, type } = found.value.header;
      if (type !== 'file') throw damaged(file, `${name} is no file`);
      await walk.next(name, size, found.value as AsyncIterable<Uint8Array>);
    }
    await broken(flow);
    return walk.end();
  } catch (error) {
    stopping.abort();
    await flow.catch(() => undefined);
    if (error instanceof BrokenStream) throw damaged(file, streamFailure(reason ?? error.cause), error.cause);
    throw error;
  }
}

/** Marks errors of the archive's own bytes, as opposed to errors of a visitor. */
class BrokenStream extends Error {}

const broken = <Value>(reading: Promise<Value>): Promise<Value> =>
  reading.catch((cause: unknown) => {
    throw new BrokenStream('The archive cannot be read on', { cause });
  });

class ArchiveWalk<M> {
  readonly #file: string;
  readonly #format: ArchiveFormat<M>;
  readonly #visitor: ArchiveVisitor<M>;
  readonly #parts: Part[] = [];
  #manifest: M | undefined;
  #contents: Contents | undefined;

  constructor(file: string, format: ArchiveFormat<M>, visitor: ArchiveVisitor<M>) {
    this.#file = file;
    this.#format = format;
    this.#visitor = visitor;
  }

  async next(name: string, size: number, entry: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.#contents) throw damaged(this.#file, `${name} stands behind the end`);
    if (!this.#manifest && name !== MANIFEST) throw notOurs(this.#file, this.#format);
    const hash = createHash('sha256');
    const bytes = metered(entry, hash);
    if (name === CONTENTS) this.#contents = parse(this.#file, CONTENTS, Contents, await readWhole(bytes, size, CONTENTS_BYTES));
    else if (name === MANIFEST && !this.#manifest) {
      this.#manifest = readManifest(this.#file, this.#format, await readWhole(bytes, size, MANIFEST_BYTES));
      await this.#visitor.onManifest?.(this.#manifest);
    } else await this.#visitor.onPart?.({ part: { name, size }, bytes });
    for await (const _ of bytes);
    if (name !== CONTENTS) this.#parts.push({ name, size, sha256: hash.digest('hex') });
  }

  end(): ReadArchive<M> {
    if (!this.#manifest) throw notOurs(this.#file, this.#format);
    if (!this.#contents) throw damaged(this.#file, 'it ends in the middle');
    const { parts } = this.#contents;
    for (const [index, part] of this.#parts.entries()) {
      const listed = parts[index];
      if (listed?.name !== part.name || listed.size !== part.size || listed.sha256 !== part.sha256)
        throw damaged(this.#file, `${part.name} is not what was written`);
    }
    if (parts.length !== this.#parts.length) throw damaged(this.#file, `${parts.length - this.#parts.length} parts are missing`);
    return { manifest: this.#manifest, contents: this.#contents };
  }
}

/** Wraps an entry in a generator that can be abandoned and resumed: the next reader gets the bytes that the previous reader left. */
function metered(entry: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }): AsyncIterable<Uint8Array> {
  const source = entry[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const result = await broken(source.next());
    if (result.done) return { done: true, value: undefined };
    hash.update(result.value);
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

export async function readWhole(bytes: AsyncIterable<Uint8Array>, size: number, most: number): Promise<Buffer> {
  if (size > most) throw new StartError('The archive holds a part that is larger than any backup makes it. Take another archive.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function checkMagic(file: string, format: Pick<ArchiveFormat<unknown>, 'madeBy'>): void {
  const head = Buffer.alloc(MAGIC.length);
  try {
    const descriptor = fs.openSync(file, 'r');
    fs.readSync(descriptor, head);
    fs.closeSync(descriptor);
  } catch (cause) {
    throw new StartError(`${file} cannot be read: ${errorMessage(cause)}`, { cause });
  }
  if (!head.equals(MAGIC)) throw notOurs(file, format);
}

const notOurs = (file: string, { madeBy }: Pick<ArchiveFormat<unknown>, 'madeBy'>): StartError =>
  new StartError(`${file} is no backup that ${madeBy} made`);

function readManifest<M>(file: string, known: ArchiveFormat<M>, bytes: Buffer): M {
  const read = json(bytes);
  const { product, format, version }: Record<string, unknown> = isRecord(read) ? read : {};
  if (product !== known.product) throw notOurs(file, known);
  if (typeof format === 'number' && format > known.format)
    throw new StartError(`${file} was made by a newer version of Slipway (${String(version)}): restore it with that version`);
  return parse(file, MANIFEST, known.manifest, bytes);
}

function parse<Value>(file: string, name: string, schema: z.ZodMiniType<Value>, bytes: Buffer): Value {
  const result = schema.safeParse(json(bytes));
  if (!result.success) throw damaged(file, `${name} cannot be read`, result.error);
  return result.data;
}

function json(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const streamFailure = (error: unknown): string => {
  if (/unexpected end|Z_BUF_ERROR|src size|incomplete/i.test(`${errorMessage(error)} ${errorCode(error)}`)) return 'it ends in the middle';
  return 'its bytes were changed';
};
