/** Names the file of a pushed pack that is too large to be taken: its bytes are hashed as they go by, and the pack's trees say where it lies. */
import { createHash } from 'node:crypto';
import { createInflate } from 'node:zlib';
import { MalformedObject, nameOf, parseTree } from './git-object.ts';
import type { GitObject } from './git-object.ts';

/** Beyond this nobody waits for a file's name. */
export const maxNamedBytes = 2 * 1024 ** 3;
const chunkSize = 1024 * 1024;

/** The blob's name, and how many compressed bytes it took; it is never in memory whole. */
export async function hashBlob(compressed: Buffer, size: number): Promise<{ oid: string; taken: number }> {
  const hash = createHash('sha1').update(`blob ${size}\0`);
  const inflate = createInflate({ chunkSize });
  inflate.end(compressed);
  let bytes = 0;
  for await (const chunk of inflate as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > size) break;
    hash.update(chunk);
  }
  if (bytes !== size) throw new MalformedObject('pack entry whose size does not match');
  return { oid: hash.digest('hex'), taken: inflate.bytesWritten };
}

/** Which tree names an object, and how. */
export class TreeNames {
  readonly #places = new Map<string, { readonly tree: string; readonly name: string }>();

  add(object: GitObject, oid: string): void {
    if (object.type !== 'tree') return;
    for (const entry of parseTree(object.content)) this.#places.set(entry.oid, { tree: oid, name: nameOf(entry) });
  }

  /** Undefined when no tree that was seen names it. */
  pathOf(oid: string): string | undefined {
    const parts: string[] = [];
    const seen = new Set<string>();
    for (let place = this.#places.get(oid); place !== undefined && !seen.has(place.tree); place = this.#places.get(place.tree)) {
      seen.add(place.tree);
      parts.unshift(place.name);
    }
    return parts.length === 0 ? undefined : parts.join('/');
  }
}
