/** Seals and opens versions with the platform's keys; the one place of the server where values are in clear. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import { platformKey } from '#kernel/platform-keys.ts';
import type { Keys } from '#ports/keys.ts';
import { compareHash, openVersion, sealVersion, type SealedVersion, type SealPlace, type SecretValues } from './seal.ts';

/** Rows to be written, but for what names the group. */
export interface SealedRows {
  readonly version: { readonly version: number; readonly kid: string; readonly wrapped: Uint8Array; readonly seal: Uint8Array };
  readonly values: readonly { readonly key: string; readonly sealed: Uint8Array; readonly hash: Uint8Array; readonly size_bytes: number }[];
}

export interface Vault {
  /** Not inside a transaction: the keys are outside the database. */
  seal(place: SealPlace, values: SecretValues): Promise<SealedRows>;
  /** Throws SecretUnreadable for anything that is not as it was sealed. */
  open(place: SealPlace, version: SealedVersion): Promise<SecretValues>;
}

const COMPARE_KEY_BYTES = 32;

export const createVault = (pool: Pool, keys: Keys): Vault => {
  let made: Promise<Uint8Array> | undefined;
  const compareKey = (): Promise<Uint8Array> => {
    made ??= platformKey(pool, keys, 'secret-compare', () => randomBytes(COMPARE_KEY_BYTES)).catch((error: unknown) => {
      // Asked again by the next: the engine of the keys may be back by then.
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    async seal(place, values) {
      const hashKey = await compareKey();
      const { wrapped, seal, values: sealed } = await sealVersion(keys, place, values);
      return {
        version: { version: place.version, kid: wrapped.kid, wrapped: wrapped.blob, seal },
        values: sealed.map((item) => {
          const value = values.get(item.key) ?? '';
          return { ...item, hash: compareHash(hashKey, place, item.key, value), size_bytes: utf8Bytes(value) };
        }),
      };
    },
    open: (place, version) => openVersion(keys, place, version),
  };
};
