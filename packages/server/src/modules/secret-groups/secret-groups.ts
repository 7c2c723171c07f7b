/**
 * Shared functions of the use cases for secret groups, and the use cases of their versions. Sealing and opening happen before the
 * transaction, because the keys are outside the database.
 */
import { secretVersionDeleteRule } from '@slipway/contract/secret/secret-group.ts';
import { transaction, type Db } from '#db/database.ts';
import { notifyChange } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { canManage, currentVersion, groupRow, lockGroup, type GroupKey, type Viewer } from './groups.sql.ts';
import { recordSecret } from './record.ts';
import type { SealPlace, SecretValues } from './seal.ts';
import { pinnedVersions, type Place } from './usage.sql.ts';
import type { SealedRows, Vault } from './vault.ts';
import { insertVersion, sealedVersion, type VersionOrigin } from './versions.sql.ts';

export interface SecretDeps {
  readonly db: Db;
  readonly vault: Vault;
}
type GroupRow = NonNullable<Awaited<ReturnType<typeof groupRow>>>;

export const sealPlace = (key: GroupKey, version: number): SealPlace => ({ ...key, version });

export const requireGroup = async (db: Db, key: GroupKey): Promise<GroupRow> => {
  const row = await groupRow(db, key);
  if (!row) throw new Problem('SecretGroupDoesNotExist');
  return row;
};
export const requireManaged = async (db: Db, key: GroupKey, viewer: Viewer): Promise<GroupRow> => {
  const row = await requireGroup(db, key);
  const verdict = canManage(row.kind, viewer.caller);
  if (verdict !== true) throw new Problem(verdict);
  return row;
};

export const hintGroup = (trx: Db, { app, environment }: Place): Promise<void> =>
  notifyChange(trx, { kind: 'secretGroup', app, env: environment });

/** Returns all values of a version in clear. */
export const openValues = async ({ db, vault }: SecretDeps, key: GroupKey, groupId: string, version: number): Promise<SecretValues> => {
  const sealed = await sealedVersion(db, groupId, version);
  if (!sealed) throw new Problem('SecretVersionDoesNotExist');
  return vault.open(sealPlace(key, version), sealed);
};

interface Addition {
  readonly group: GroupRow;
  /** Newest version when the values were assembled. */
  readonly before: number;
  readonly values: SecretValues;
  readonly origin: VersionOrigin;
  readonly type: string;
  readonly message: string;
  readonly changed?: { readonly set: readonly string[]; readonly removed: readonly string[] };
}
/** Adds a version, sealed for its expected number. Throws SecretVersionConflict if another version was added meanwhile. */
export const addVersion = async (deps: SecretDeps, viewer: Viewer, key: GroupKey, wanted: Addition): Promise<void> => {
  const version = wanted.group.last_version + 1;
  const sealed: SealedRows = await deps.vault.seal(sealPlace(key, version), wanted.values);
  await transaction(deps.db, async (trx) => {
    const row = await lockGroup(trx, wanted.group.id);
    if (!row) throw new Problem('SecretGroupDoesNotExist');
    const newest = await currentVersion(trx, row.id);
    if (row.last_version !== wanted.group.last_version || newest !== wanted.before)
      throw new Problem('SecretVersionConflict', { context: { version: String(newest) } });
    await insertVersion(trx, row.id, sealed, viewer.caller, wanted.origin);
    // A new value has a new lifetime, and a removed key needs no reminder.
    const ended = [...(wanted.changed?.set ?? []), ...(wanted.changed?.removed ?? [])];
    if (ended.length > 0) await trx.deleteFrom('secret_key_expiry').where('group_id', '=', row.id).where('key', 'in', ended).execute();
    await recordSecret(trx, viewer, key, {
      type: wanted.type,
      reason: 'Versioned',
      message: `${viewer.caller.displayName} ${wanted.message} as version ${version}`,
      before: { version: wanted.before },
      after: { version, keys: [...wanted.values.keys()], ...wanted.changed },
    });
    await hintGroup(trx, key);
  });
};

export const deleteVersion = (deps: SecretDeps, viewer: Viewer, key: GroupKey, version: number): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const { id } = await requireManaged(trx, key, viewer);
    if (!(await lockGroup(trx, id))) throw new Problem('SecretGroupDoesNotExist');
    const versions = await trx.selectFrom('secret_version').select('version').where('group_id', '=', id).execute();
    if (!versions.some((row) => row.version === version)) throw new Problem('SecretVersionDoesNotExist');
    const revisions = (await pinnedVersions(trx, key)).get(key.group)?.get(version) ?? [];
    const verdict = secretVersionDeleteRule({ versionCount: versions.length, revisions });
    if (verdict !== true) throw new Problem(verdict);
    await trx.deleteFrom('secret_version').where('group_id', '=', id).where('version', '=', version).execute();
    await recordSecret(trx, viewer, key, {
      type: 'secretVersionDelete',
      reason: 'Deleted',
      message: `${viewer.caller.displayName} deleted version ${version} of ${key.group}`,
      before: { version },
    });
    await hintGroup(trx, key);
  });
