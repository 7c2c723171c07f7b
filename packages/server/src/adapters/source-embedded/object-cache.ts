/**
 * The objects read last, up to a number of bytes. Neighbours in a pack are built from each other, so that without
 * a cache reading a history would take apart the same chain of deltas for every one of its versions.
 */
import type { GitObject } from './git-object.ts';

const maxCachedBytes = 24 * 1024 * 1024;
/** One large file must not push everything else out. */
const maxEntryBytes = 1024 * 1024;

export class ObjectCache {
  readonly #objects = new Map<string, GitObject>();
  #bytes = 0;

  get(key: string): GitObject | undefined {
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    // A Map keeps the order of insertion: what is used moves to its end.
    this.#objects.delete(key);
    this.#objects.set(key, object);
    return object;
  }

  set(key: string, object: GitObject): void {
    if (object.content.length > maxEntryBytes || this.#objects.has(key)) return;
    this.#objects.set(key, object);
    this.#bytes += object.content.length;
    for (const [oldest, { content }] of this.#objects) {
      if (this.#bytes <= maxCachedBytes) return;
      this.#objects.delete(oldest);
      this.#bytes -= content.length;
    }
  }
}
