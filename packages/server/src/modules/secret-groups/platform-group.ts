/**
 * A group that the platform makes for something of its own, a database say: read-only for people, changed and removed by the module that
 * owns what it is about.
 */
import { sql, type Transaction } from 'kysely';
import { secretGroupDeleteRule } from '@slipway/contract/secret/secret-group.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { groupRow, lockGroup, type GroupKey } from './groups.sql.ts';
import type { SecretValues } from './seal.ts';
import { hintGroup, sealPlace, type SecretDeps } from './secret-groups.ts';
import { isInUseSql, pinnedVersions } from './usage.sql.ts';
import type { SealedRows } from './vault.ts';
import { insertVersion, type Author } from './versions.sql.ts';

/** A repeat when somebody was faster. */
const TRIES = 5;

/** Somebody's own values are not written over. */
const ownGroup = async (db: Db, key: GroupKey) => {
  const row = await groupRow(db, key);
  if (row && row.kind !== 'PLATFORM') throw new Problem('SecretGroupAlreadyExists', { field: 'secretGroup' });
  return row;
};

const insertGroup = (trx: Db, { app, environment, group }: GroupKey, by: Author) =>
  trx
    .insertInto('secret_group')
    .values({
      id: newId('sg'),
      app_id: app,
      environment,
      name: group,
      kind: 'PLATFORM',
      created_by: by.id,
      created_by_name: by.displayName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'last_version'])
    .executeTakeFirst();

/**
 * A new version with these values, and the group where there is none. `within` runs in the same transaction. Throws
 * SecretGroupAlreadyExists where the group of that name is a person's.
 */
export const writePlatformVersion = async (
  deps: SecretDeps,
  key: GroupKey,
  values: SecretValues,
  by: Author,
  within: (trx: Transaction<DB>, version: number) => Promise<void>,
): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const last = (await ownGroup(deps.db, key))?.last_version ?? 0;
    const version = last + 1;
    const sealed: SealedRows = await deps.vault.seal(sealPlace(key, version), values);
    const isDone = await transaction(deps.db, async (trx) => {
      const known = await ownGroup(trx, key);
      const group = known ? await lockGroup(trx, known.id) : await insertGroup(trx, key, by);
      if (group?.last_version !== last) return false;
      await insertVersion(trx, group.id, sealed, by, { origin: 'CREATED', from: null });
      await within(trx, version);
      await hintGroup(trx, key);
      return true;
    });
    if (isDone) return version;
  }
  throw new Problem('SecretVersionConflict', { context: { version: 'newest' } });
};

const isGroupInUse = async (db: Db, { app, environment, group }: GroupKey): Promise<boolean> => {
  const isInUse = isInUseSql(sql`${app}::text`, sql`${environment}::text`, sql`${group}::text`);
  const { rows } = await sql<{ isInUse: boolean }>`select ${isInUse} as "isInUse"`.execute(db);
  return rows[0]?.isInUse === true;
};

/** Removes the platform's group; a person's of that name stays. Throws SecretIsReferencedInAtLeastOneStack. */
export const dropPlatformGroup = async (trx: Transaction<DB>, key: GroupKey): Promise<void> => {
  const group = await groupRow(trx, key);
  if (group?.kind !== 'PLATFORM' || !(await lockGroup(trx, group.id))) return;
  const verdict = secretGroupDeleteRule({ isInUse: await isGroupInUse(trx, key) });
  if (verdict !== true) throw new Problem(verdict);
  await trx.deleteFrom('secret_group').where('id', '=', group.id).execute();
  await hintGroup(trx, key);
};

/** Takes a version back that nothing reads; the group goes with its only one. */
export const withdrawPlatformVersion = async (trx: Transaction<DB>, key: GroupKey, version: number): Promise<void> => {
  const group = await groupRow(trx, key);
  if (group?.kind !== 'PLATFORM' || !(await lockGroup(trx, group.id))) return;
  if ((await pinnedVersions(trx, key)).get(group.name)?.has(version)) return;
  await trx.deleteFrom('secret_version').where('group_id', '=', group.id).where('version', '=', version).execute();
  const left = await trx.selectFrom('secret_version').select('version').where('group_id', '=', group.id).executeTakeFirst();
  if (!left) await trx.deleteFrom('secret_group').where('id', '=', group.id).execute();
  await hintGroup(trx, key);
};
