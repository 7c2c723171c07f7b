/** Keys shared by all replicas (token signing, cookies): created once, stored in the database, wrapped by the keys port. */
import type { Pool } from 'pg';
import type { Keys } from '#ports/keys.ts';

/** The blob opens only for this purpose, so a row cannot be moved to replace another key. */
export const wrapPurpose = (purpose: string): string => `platform-key:${purpose}`;

const readKey = async (pool: Pool, keys: Keys, purpose: string): Promise<Uint8Array | undefined> => {
  const { rows } = await pool.query<{ kid: string; wrapped: Buffer }>('select kid, wrapped from platform_key where purpose = $1', [
    purpose,
  ]);
  return rows[0] && keys.unwrap({ kid: rows[0].kid, blob: rows[0].wrapped }, wrapPurpose(purpose));
};

/**
 * Returns the key for a purpose, and calls `make` if there is none yet. If replicas start at the same time, one wins and all return its
 * key. Rejects like `Keys.unwrap` if the row was wrapped with a lost key.
 */
export const platformKey = async (pool: Pool, keys: Keys, purpose: string, make: () => Uint8Array): Promise<Uint8Array> => {
  const known = await readKey(pool, keys, purpose);
  if (known) return known;
  const { kid, blob } = await keys.wrap(make(), wrapPurpose(purpose));
  await pool.query('insert into platform_key (purpose, kid, wrapped) values ($1, $2, $3) on conflict (purpose) do nothing', [
    purpose,
    kid,
    blob,
  ]);
  const kept = await readKey(pool, keys, purpose);
  if (!kept) throw new Error(`The platform key ${purpose} was removed while it was made`);
  return kept;
};
