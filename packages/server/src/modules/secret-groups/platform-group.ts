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
import { StepFailure } from '#modules/pipelines/index.ts';
import type { RowStep } from '#modules/resources/index.ts';
import { groupRow, lockGroup, type GroupKey } from './groups.sql.ts';
import type { SecretValues } from './seal.ts';
import { hintGroup, sealPlace, type SecretDeps } from './secret-groups.ts';
import { isInUseSql, pinnedVersions } from './usage.sql.ts';
import type { SealedRows } from './vault.ts';
import { insertVersion, type Author } from './versions.sql.ts';

/** A repeat when somebody was faster. */
const TRIES = 5;

const platform: Author = { id: 'platform', displayName: 'Slipway' };

/** Never overwrites values of a person. */
const ownGroup = async (db: Db, key: GroupKey) => {
  const row = await groupRow(db, key);
  if (row && row.kind !== 'PLATFORM') throw new StepFailure('SecretGroupAlreadyExists', { group: key.group });
  return row;
};

const insertGroup = (trx: Db, { app, environment, group }: GroupKey) =>
  trx
    .insertInto('secret_group')
    .values({
      id: newId('sg'),
      app_id: app,
      environment,
      name: group,
      kind: 'PLATFORM',
      created_by: platform.id,
      created_by_name: platform.displayName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'last_version'])
    .executeTakeFirst();

/**
 * Writes a new version with these values, and creates the group if it is missing. `within` runs in the same transaction. Fails the step with
 * SecretGroupAlreadyExists if a person created a group with this name.
 */
export const writePlatformVersion = async (
  deps: SecretDeps,
  key: GroupKey,
  values: SecretValues,
  within: (trx: Transaction<DB>, version: number) => Promise<void>,
): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const last = (await ownGroup(deps.db, key))?.last_version ?? 0;
    const version = last + 1;
    const sealed: SealedRows = await deps.vault.seal(sealPlace(key, version), values);
    const isDone = await transaction(deps.db, async (trx) => {
      const known = await ownGroup(trx, key);
      const group = known ? await lockGroup(trx, known.id) : await insertGroup(trx, key);
      if (group?.last_version !== last) return false;
      await insertVersion(trx, group.id, sealed, platform, { origin: 'CREATED', from: null });
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

/** Deletes the platform's group, not a person's group with this name. Fails the step if a service uses the group. */
export const dropPlatformGroup = async (trx: Transaction<DB>, key: GroupKey): Promise<void> => {
  const group = await groupRow(trx, key);
  if (group?.kind !== 'PLATFORM' || !(await lockGroup(trx, group.id))) return;
  const verdict = secretGroupDeleteRule({ isInUse: await isGroupInUse(trx, key) });
  if (verdict !== true) throw new StepFailure(verdict);
  await trx.deleteFrom('secret_group').where('id', '=', group.id).execute();
  await hintGroup(trx, key);
};

/** Last step before a deletion that cannot be undone: deletes secret groups of the row. */
export const dropGroupsStep = <Row, I>(db: Db, code: string, groupsOf: (row: Row) => readonly GroupKey[]): RowStep<Row, I> => ({
  code,
  isPointOfNoReturn: true,
  run: async ({ row }) => {
    const groups = groupsOf(row);
    await transaction(db, async (trx) => {
      for (const group of groups) await dropPlatformGroup(trx, group);
    });
    return { skipped: groups.length === 0 };
  },
  // The step is a single transaction, so there is nothing to undo.
  undo: async () => {},
});

/** Removes a version unless a revision reads it, and an empty group. Returns the newest version that is left: not always the one before. */
export const withdrawPlatformVersion = async (trx: Transaction<DB>, key: GroupKey, version: number): Promise<number | null> => {
  const group = await groupRow(trx, key);
  if (group?.kind !== 'PLATFORM' || !(await lockGroup(trx, group.id))) return null;
  if ((await pinnedVersions(trx, key)).get(group.name)?.has(version)) return version;
  await trx.deleteFrom('secret_version').where('group_id', '=', group.id).where('version', '=', version).execute();
  const versions = trx.selectFrom('secret_version').select('version').where('group_id', '=', group.id);
  const left = await versions.orderBy('version', 'desc').limit(1).executeTakeFirst();
  if (!left) await trx.deleteFrom('secret_group').where('id', '=', group.id).execute();
  await hintGroup(trx, key);
  return left?.version ?? null;
};
