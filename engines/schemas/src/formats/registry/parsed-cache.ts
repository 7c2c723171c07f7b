/** An LRU cache of parsed schemas, by environment and id, since messages use the same few again and again. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { ParsedSchema } from '@slipway/foundation/ports/schema.ts';

const MOST = 500;
/** Total size of the cached texts. A parsed schema takes about ten times as much memory. */
const MOST_CHARACTERS = 8 << 20;

export class ParsedCache {
  readonly #schemas = new Map<string, ParsedSchema>();
  #characters = 0;

  get(environment: Environment, id: number): ParsedSchema | undefined {
    const key = `${environment} ${id}`;
    const found = this.#schemas.get(key);
    if (!found) return undefined;
    // Moved to the end: the least recently used schema is evicted first.
    this.#schemas.delete(key);
    this.#schemas.set(key, found);
    return found;
  }

  keep(environment: Environment, id: number, schema: ParsedSchema): void {
    const key = `${environment} ${id}`;
    if (this.#schemas.has(key)) return;
    this.#schemas.set(key, schema);
    this.#characters += schema.content.length;
    for (const [oldest, { content }] of this.#schemas) {
      if (this.#schemas.size <= MOST && this.#characters <= MOST_CHARACTERS) return;
      this.#schemas.delete(oldest);
      this.#characters -= content.length;
    }
  }
}
