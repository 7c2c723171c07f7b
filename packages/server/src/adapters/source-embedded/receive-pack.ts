/** Push without host git: takes the pack, checks it whole, and moves the refs. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#kernel/caught.ts';
import { aboveFloor, type Floor } from '#kernel/disk-floor.ts';
import type { Gate } from './gate.ts';
import { MalformedObject } from './git-object.ts';
import type { PackLimits } from './incoming-pack.ts';
import { withObjects } from './object-store.ts';
import type { ObjectStore } from './object-store.ts';
import { storePack } from './object-writer.ts';
import { ObjectTooLarge } from './pack-entry.ts';
import { zeroOid } from './pkt-line.ts';
import type { ByteReader } from './pkt-line.ts';
import type { PushReport } from './push-report.ts';
import type { PushRequest } from './push-request.ts';
import { isPushableRef } from './ref-name.ts';
import { RefRefused, changeRefs } from './ref-transaction.ts';
import type { RefChange } from './ref-transaction.ts';
import { headRef } from './refs.ts';

export interface PushLimits extends PackLimits {
  /** The pack as it comes, bytes. */
  readonly maxPackBytes: number;
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`;

/** Writes the pack to a file. Answers its path, or undefined when it is too large; it is read to its end all the same, or git would not hear why. */
async function spool(gitDir: string, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const folder = join(gitDir, 'objects', 'pack');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `tmp_pack_${randomUUID()}`);
  const file = await open(path, 'wx', 0o444);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes <= maxBytes) await file.write(chunk);
    }
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  if (bytes <= maxBytes) return path;
  await rm(path, { force: true });
  return undefined;
}

/** Why a pack was refused, in words for the person who pushed; undefined for a fault that is not theirs. */
function refusalOf(error: unknown, limits: PushLimits): string | undefined {
  if (error instanceof MalformedObject) return error.message;
  if (error instanceof ObjectTooLarge) {
    const limit = megabytes(limits.maxObjectBytes);
    if (error.file) return `${error.file.path} has ${megabytes(error.file.size)}. A file may have up to ${limit}.`;
    return `the push holds more than ${limit} in one file, or too much in all`;
  }
  const code = errorCode(error) ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE' || code.startsWith('Z_')) return 'the pack is damaged';
  return undefined;
}

export interface UnpackRules {
  readonly limits: PushLimits;
  /** Entered while a pack is being taken apart. */
  readonly gate: Gate;
  readonly floor: Floor;
}

async function unpack(gitDir: string, reader: ByteReader, objects: ObjectStore, { limits, gate, floor }: UnpackRules): Promise<string> {
  const received = await spool(gitDir, aboveFloor(reader.rest(), floor), limits.maxPackBytes);
  if (received === undefined) return `the push is larger than ${megabytes(limits.maxPackBytes)}`;
  const leave = await gate.enter();
  try {
    await storePack(gitDir, received, objects, limits);
    return 'ok';
  } catch (error) {
    const refusal = refusalOf(error, limits);
    if (refusal === undefined) throw error;
    return refusal;
  } finally {
    leave?.();
  }
}

async function checkChange(change: RefChange, head: string | undefined, objects: ObjectStore): Promise<void> {
  if (!isPushableRef(change.ref)) throw new RefRefused('only branches and tags with valid names can be pushed');
  if (change.to === zeroOid) {
    if (change.ref === head) throw new RefRefused('the default branch cannot be deleted');
    return;
  }
  const target = await objects.read(change.to);
  if (target === undefined) throw new RefRefused('the pushed object is missing');
  if (change.ref.startsWith('refs/heads/') && target.type !== 'commit') throw new RefRefused('a branch must point to a commit');
}

const refusedRef = (error: unknown): string => {
  if (error instanceof RefRefused) return error.message;
  throw error;
};

async function moveRefs(gitDir: string, request: PushRequest, objects: ObjectStore): Promise<Map<string, string | undefined>> {
  const head = await headRef(gitDir);
  const results = new Map<string, string | undefined>();
  for (const change of request.changes) {
    const isTwice = results.has(change.ref);
    results.set(change.ref, isTwice ? 'named twice' : await checkChange(change, head, objects).then(() => undefined, refusedRef));
  }
  if (!request.capabilities.has('atomic')) {
    for (const change of request.changes) {
      if (results.get(change.ref) === undefined)
        results.set(change.ref, await changeRefs(gitDir, [change]).then(() => undefined, refusedRef));
    }
    return results;
  }
  const isRefused = [...results.values()].some((refusal) => refusal !== undefined);
  const refusal = isRefused
    ? 'another ref of this atomic push was refused'
    : await changeRefs(gitDir, request.changes).then(() => undefined, refusedRef);
  return new Map([...results].map(([ref, own]) => [ref, own ?? refusal]));
}

/** Rejected only for faults of the server; what is wrong with the push stands in the report. */
export async function receivePack(gitDir: string, request: PushRequest, reader: ByteReader, rules: UnpackRules): Promise<PushReport> {
  return withObjects(gitDir, async (objects) => {
    const unpacked = request.hasPack ? await unpack(gitDir, reader, objects, rules) : 'ok';
    if (unpacked === 'ok') return { unpack: unpacked, refs: await moveRefs(gitDir, request, objects) };
    return { unpack: unpacked, refs: new Map(request.changes.map((change) => [change.ref, 'the objects were refused'])) };
  });
}
