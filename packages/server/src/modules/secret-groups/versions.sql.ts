/** Rows of versions and their sealed values. */
import type { Db } from '#db/database.ts';
import type { SealedVersion } from './seal.ts';
import type { SealedRows } from './vault.ts';

export interface Author {
  readonly id: string;
  readonly displayName: string;
}
export interface VersionOrigin {
  readonly origin: 'CREATED' | 'RESTORED' | 'COPIED';
  readonly from: string | null;
}

/** Values at a time: a statement takes at most 65,535 parameters. */
const AT_ONCE = 1000;

export const insertVersion = async (trx: Db, groupId: string, rows: SealedRows, by: Author, origin: VersionOrigin): Promise<void> => {
  const { version, values } = rows;
  await trx
    .insertInto('secret_version')
    .values({
      group_id: groupId,
      ...version,
      origin: origin.origin,
      origin_from: origin.from,
      created_by: by.id,
      created_by_name: by.displayName,
    })
    .execute();
  for (let at = 0; at < values.length; at += AT_ONCE) {
    const part = values.slice(at, at + AT_ONCE).map((value) => ({ group_id: groupId, version: version.version, ...value }));
    await trx.insertInto('secret_value').values(part).execute();
  }
  await trx.updateTable('secret_group').set({ last_version: version.version, updated_at: new Date() }).where('id', '=', groupId).execute();
};

/** As it was sealed; undefined where there is no such version. */
export const sealedVersion = async (db: Db, groupId: string, version: number): Promise<SealedVersion | undefined> => {
  const row = await db
    .selectFrom('secret_version')
    .select(['kid', 'wrapped', 'seal'])
    .where('group_id', '=', groupId)
    .where('version', '=', version)
    .executeTakeFirst();
  if (!row) return undefined;
  const values = await db
    .selectFrom('secret_value')
    .select(['key', 'sealed'])
    .where('group_id', '=', groupId)
    .where('version', '=', version)
    .orderBy('key')
    .execute();
  return { wrapped: { kid: row.kid, blob: row.wrapped }, seal: row.seal, values };
};

/** Key → its keyed hash, in hexadecimal. */
export const versionHashes = async (db: Db, groupId: string, version: number): Promise<Map<string, string>> => {
  const rows = await db
    .selectFrom('secret_value')
    .select(['key', 'hash'])
    .where('group_id', '=', groupId)
    .where('version', '=', version)
    .orderBy('key')
    .execute();
  return new Map(rows.map(({ key, hash }) => [key, hash.toString('hex')]));
};

export const versionExists = async (db: Db, groupId: string, version: number): Promise<boolean> =>
  (await db
    .selectFrom('secret_version')
    .select('version')
    .where('group_id', '=', groupId)
    .where('version', '=', version)
    .executeTakeFirst()) !== undefined;
