/** Secrets of delivery targets, sealed for the row and column that store them: signing secrets, authorization headers, addresses. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { platformKey } from '#kernel/platform-keys.ts';
import { openText, sealText } from '#kernel/sealed-text.ts';
import type { Keys } from '#ports/keys.ts';

const KEY_BYTES = 32;

export interface Seals {
  seal(id: string, what: string, text: string): Promise<Buffer>;
  open(id: string, what: string, sealed: Uint8Array): Promise<string>;
}

/** `table` is part of every seal, so that a sealed text of one table cannot be opened in another. */
export const createSeals = (pool: Pool, keys: Keys, table: 'webhook' | 'channel' | 'monitor'): Seals => {
  let made: Promise<Uint8Array> | undefined;
  const key = (): Promise<Uint8Array> => {
    made ??= platformKey(pool, keys, `${table}-seals`, () => randomBytes(KEY_BYTES)).catch((error: unknown) => {
      // Retried by the next caller: the engine of the keys may be back by then.
      made = undefined;
      throw error;
    });
    return made;
  };
  const place = (id: string, what: string): string => `${table}:${id}/${what}`;
  return {
    seal: async (id, what, text) => sealText(await key(), place(id, what), text),
    open: async (id, what, sealed) => openText(await key(), place(id, what), sealed),
  };
};
