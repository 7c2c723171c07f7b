/**
 * Tokens with which instances send traces. A token contains the id of a revision and its MAC, so it can only write traces of that revision's
 * service. No table stores tokens.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { platformKey } from '#kernel/platform-keys.ts';
import type { Keys } from '#ports/keys.ts';

const KEY_BYTES = 32;

export class TraceTokens {
  readonly #pool: Pool;
  readonly #keys: Keys;
  #key: Promise<Uint8Array> | undefined;

  constructor(pool: Pool, keys: Keys) {
    this.#pool = pool;
    this.#keys = keys;
  }

  async tokenOf(revisionId: string): Promise<string> {
    return `${revisionId}.${(await this.#mac(revisionId)).toString('base64url')}`;
  }

  /** Returns the id of the token's revision, or undefined if the platform did not issue the token. */
  async revisionOf(token: string): Promise<string | undefined> {
    const [revisionId = '', mac = '', ...rest] = token.split('.');
    if (rest.length > 0) return undefined;
    const [given, own] = [Buffer.from(mac, 'base64url'), await this.#mac(revisionId)];
    return given.length === own.length && timingSafeEqual(given, own) ? revisionId : undefined;
  }

  async #mac(revisionId: string): Promise<Buffer> {
    this.#key ??= platformKey(this.#pool, this.#keys, 'trace-tokens', () => randomBytes(KEY_BYTES)).catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return createHmac('sha256', await this.#key)
      .update(revisionId)
      .digest();
  }
}
