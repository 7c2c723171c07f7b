/** New versions, restored ones, and the one way to read a value. */
import type * as z from 'zod/mini';
import { maxSecretKeys, maxSecretVersionBytes, utf8Bytes } from '@slipway/contract/secret/secret-entry.ts';
import type { SecretReveal, SecretVersionCreate } from '@slipway/contract/secret/secret-group.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { holdAccountsAt } from '#modules/requests/index.ts';
import { canReveal, currentVersion, lockGroup, type GroupKey, type Viewer } from './groups.sql.ts';
import { recordSecret } from './record.ts';
import type { SecretValues } from './seal.ts';
import { addVersion, hintGroup, openValues, requireGroup, requireManaged, type SecretDeps } from './secret-groups.ts';

const checkSize = (values: SecretValues): void => {
  if (values.size === 0) throw new Problem('Required', { field: 'entries', context: { label: 'Entries' } });
  if (values.size > maxSecretKeys) throw new Problem('TooManySecretKeys', { field: 'entries' });
  const bytes = [...values.values()].reduce((sum, value) => sum + utf8Bytes(value), 0);
  if (bytes > maxSecretVersionBytes) throw new Problem('SecretVersionTooLarge', { field: 'entries' });
};

/** Sets and removes keys on top of the newest version; the others are carried over, opened and sealed anew. */
export const createVersion = async (
  deps: SecretDeps,
  viewer: Viewer,
  key: GroupKey,
  wanted: z.output<typeof SecretVersionCreate>,
): Promise<void> => {
  const group = await requireManaged(deps.db, key, viewer);
  const before = await currentVersion(deps.db, group.id);
  if (before !== wanted.basedOn) throw new Problem('SecretVersionConflict', { context: { version: String(before) } });
  const values = new Map(wanted.isReplacement ? [] : await openValues(deps, key, group.id, before));
  for (const name of wanted.remove) values.delete(name);
  for (const entry of wanted.entries) values.set(entry.key, entry.value);
  checkSize(values);
  await addVersion(deps, viewer, key, {
    group,
    before,
    values,
    origin: { origin: 'CREATED', from: null },
    type: 'secretVersionCreate',
    message: `changed ${key.group}`,
    changed: { set: wanted.entries.map((entry) => entry.key), removed: wanted.remove },
  });
};

const TRIES = 5;

/** Repeats a change when somebody else saved a version meanwhile. What it sets or restores does not depend on the newest version. */
const onNewest = async <Value>(change: () => Promise<Value>): Promise<Value> => {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      if (tries >= TRIES || !(error instanceof Problem && error.code === 'SecretVersionConflict')) throw error;
    }
  }
};

/** Throws what setting a key in this group would throw before anything is made. */
export const requireSettableKey = async (deps: SecretDeps, viewer: Viewer, key: GroupKey): Promise<void> => {
  const group = await requireManaged(deps.db, key, viewer);
  await openValues(deps, key, group.id, await currentVersion(deps.db, group.id));
};

/** Sets one key on top of the newest version. Returns the new version. */
export const setSecretKey = (
  deps: SecretDeps,
  viewer: Viewer,
  key: GroupKey,
  entry: { readonly key: string; readonly value: string },
): Promise<number> =>
  onNewest(async () => {
    const { id, last_version } = await requireManaged(deps.db, key, viewer);
    const basedOn = await currentVersion(deps.db, id);
    await createVersion(deps, viewer, key, { basedOn, entries: [entry], remove: [], isReplacement: false });
    return last_version + 1;
  });

export const restoreVersion = (deps: SecretDeps, viewer: Viewer, key: GroupKey, version: number): Promise<void> =>
  onNewest(async () => {
    const group = await requireManaged(deps.db, key, viewer);
    const values = await openValues(deps, key, group.id, version);
    const before = await currentVersion(deps.db, group.id);
    const origin = { origin: 'RESTORED', from: String(version) } as const;
    const message = `restored version ${version} of ${key.group}`;
    await addVersion(deps, viewer, key, { group, before, values, origin, type: 'secretVersionRestore', message });
  });

/** The activity entry is committed before the value leaves: what was read without a trace was not read. */
export const revealValue = async (
  deps: SecretDeps,
  viewer: Viewer,
  key: GroupKey,
  wanted: z.output<typeof SecretReveal>,
): Promise<{ key: string; version: number; value: string }> => {
  const verdict = canReveal(viewer.caller, viewer.app.teamId);
  if (verdict !== true) throw new Problem(verdict, { context: { team: viewer.app.teamName } });
  const group = await requireGroup(deps.db, key);
  const value = (await openValues(deps, key, group.id, wanted.version)).get(wanted.key);
  if (value === undefined) throw new Problem('SecretKeyDoesNotExist');
  await transaction(deps.db, async (trx) => {
    await recordSecret(trx, viewer, key, {
      type: 'secretReveal',
      reason: 'Revealed',
      level: 'WARNING',
      message: `${viewer.caller.displayName} read ${wanted.key} of ${key.group}, version ${wanted.version}: ${wanted.reason}`,
      after: { version: wanted.version, key: wanted.key, reason: wanted.reason },
    });
    await holdAccountsAt(trx, viewer.caller.id, { ...key, key: wanted.key });
  });
  return { key: wanted.key, version: wanted.version, value };
};

export const setExpiry = (deps: SecretDeps, viewer: Viewer, key: GroupKey, name: string, expiresAt: string | null): Promise<void> =>
  transaction(deps.db, async (trx) => {
    const group = await requireManaged(trx, key, viewer);
    if (!(await lockGroup(trx, group.id))) throw new Problem('SecretGroupDoesNotExist');
    const known = await trx
      .selectFrom('secret_value')
      .select('key')
      .where('group_id', '=', group.id)
      .where('version', '=', await currentVersion(trx, group.id))
      .where('key', '=', name)
      .executeTakeFirst();
    if (!known) throw new Problem('SecretKeyDoesNotExist');
    if (expiresAt === null) await trx.deleteFrom('secret_key_expiry').where('group_id', '=', group.id).where('key', '=', name).execute();
    else
      await trx
        .insertInto('secret_key_expiry')
        .values({ group_id: group.id, key: name, expires_at: expiresAt })
        .onConflict((conflict) => conflict.columns(['group_id', 'key']).doUpdateSet({ expires_at: expiresAt }))
        .execute();
    await recordSecret(trx, viewer, key, {
      type: 'secretKeyExpiry',
      reason: expiresAt ? 'ExpirySet' : 'ExpiryRemoved',
      message: `${viewer.caller.displayName} set the end of ${name} of ${key.group} to ${expiresAt ?? 'never'}`,
      after: { key: name, expiresAt },
    });
    await hintGroup(trx, key);
  });
