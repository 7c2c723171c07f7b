/** Seals new account passwords until they are handed over, each for its row only. Permanently stored passwords are hashes. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import { platformKey } from '#kernel/platform-keys.ts';
import { openText, sealText } from '#kernel/sealed-text.ts';
import type { Keys } from '#ports/keys.ts';

const KEY_BYTES = 32;
const PASSWORD_BYTES = 32;

export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
/** Passwords have 256 random bits, so neither salt nor a slow hash is needed, as with API tokens. */
export const hashOf = (password: string): Buffer => createHash('sha256').update(password).digest();
export const isHashOf = (password: string, hash: Uint8Array | null): boolean => {
  const given = hashOf(password);
  return hash !== null && hash.length === given.length && timingSafeEqual(given, hash);
};

export interface PasswordSeals {
  seal(accountId: string, password: string): Promise<Buffer>;
  open(accountId: string, sealed: Uint8Array): Promise<string>;
}
export const createPasswordSeals = (pool: Pool, keys: Keys): PasswordSeals => {
  let made: Promise<Uint8Array> | undefined;
  const key = (): Promise<Uint8Array> => {
    made ??= platformKey(pool, keys, 'account-passwords', () => randomBytes(KEY_BYTES)).catch((error: unknown) => {
      // The next call tries again, since the key engine may be back then.
      made = undefined;
      throw error;
    });
    return made;
  };
  const place = (accountId: string): string => `account:${accountId}/password`;
  return {
    seal: async (accountId, password) => sealText(await key(), place(accountId), password),
    open: async (accountId, sealed) => openText(await key(), place(accountId), sealed),
  };
};
