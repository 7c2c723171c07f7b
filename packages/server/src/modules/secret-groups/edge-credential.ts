/**
 * User name and password of services with basic authentication: made by the platform, sealed in a group that members may reveal like
 * any other, and kept as a hash for the edge.
 */
import { randomBytes } from 'node:crypto';
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import { transaction, type Db } from '#db/database.ts';
import { hashPassword, RANDOM } from '#kernel/auth/password.ts';
import { notifyChange } from '#kernel/changes.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordPlatformActivity } from '#modules/activity/index.ts';
import { placeSql } from '#modules/resources/index.ts';
import { currentVersion, groupRow, lockGroup, type GroupKey, type Viewer } from './groups.sql.ts';
import { groupSubject, recordSecret } from './record.ts';
import { hintGroup, openValues, sealPlace, type SecretDeps } from './secret-groups.ts';
import { attachments, pinnedVersions, type Place } from './usage.sql.ts';
import type { SealedRows } from './vault.ts';
import { insertVersion, type Author } from './versions.sql.ts';

export interface ServiceKey extends Place {
  readonly service: string;
}
const platform: Author = { id: 'platform', displayName: 'Slipway' };
const PASSWORD_BYTES = 32;
/** Number of attempts, in case a concurrent request wins. */
const TRIES = 5;

const groupOf = ({ app, environment, service }: ServiceKey): GroupKey => ({ app, environment, group: basicAuthGroupOf(service) });

const requireService = async (db: Db, key: ServiceKey) => {
  const row = await db
    .selectFrom('service')
    .innerJoin('app', 'app.id', 'service.app_id')
    .select(['service.id', 'app.team_id'])
    .where(placeSql(key, 'service', key.service))
    .executeTakeFirst();
  if (!row) throw new Problem('ServiceDoesNotExist');
  return row;
};

/**
 * Returns the platform's group for the service, or undefined. Throws SecretGroupAlreadyExists if another group has the name, so that its
 * values are not overwritten.
 */
const platformGroup = async (db: Db, key: ServiceKey) => {
  const row = await groupRow(db, groupOf(key));
  if (row && row.kind !== 'PLATFORM') throw new Problem('SecretGroupAlreadyExists', { field: 'name' });
  return row;
};

interface Made {
  readonly username: string;
  readonly passwordHash: string;
  readonly sealed: SealedRows;
}
/** Creates and seals a password. Runs outside any transaction, because hashing is slow and the keys are outside the database. */
const makePassword = async ({ vault }: SecretDeps, key: ServiceKey, version: number): Promise<Made> => {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const username = key.service;
  const values = new Map([
    ['username', username],
    ['password', password],
  ]);
  return {
    username,
    passwordHash: await hashPassword(password, RANDOM),
    sealed: await vault.seal(sealPlace(groupOf(key), version), values),
  };
};

interface Credential {
  readonly groupId: string;
  readonly version: number;
  readonly username: string;
  readonly passwordHash: string;
}
/**
 * Writes the credential and notifies the edge at once. Throws ServiceDoesNotExist if the service was deleted meanwhile, which rolls the
 * transaction back.
 */
const writeCredential = async (trx: Db, { app, environment, service }: ServiceKey, serviceId: string, made: Credential) => {
  if (!(await trx.selectFrom('service').select('id').where('id', '=', serviceId).forShare().executeTakeFirst()))
    throw new Problem('ServiceDoesNotExist');
  const row = { group_id: made.groupId, version: made.version, username: made.username, password_hash: made.passwordHash };
  await trx
    .insertInto('edge_credential')
    .values({ service_id: serviceId, ...row })
    .onConflict((conflict) => conflict.column('service_id').doUpdateSet({ ...row, updated_at: new Date() }))
    .execute();
  await hintGroup(trx, { app, environment });
  await notifyChange(trx, { kind: 'service', app, env: environment, service });
};

/** Creates the group with its first password. Returns false if a concurrent request created the group first. */
const makeGroup = async (deps: SecretDeps, key: ServiceKey, service: { id: string; team_id: string }): Promise<boolean> => {
  const { app, environment, group } = groupOf(key);
  const { sealed, ...made } = await makePassword(deps, key, 1);
  const by = { created_by: platform.id, created_by_name: platform.displayName };
  return transaction(deps.db, async (trx) => {
    const row = await trx
      .insertInto('secret_group')
      .values({ id: newId('sg'), app_id: app, environment, name: group, kind: 'PLATFORM', ...by })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!row) return false;
    await insertVersion(trx, row.id, sealed, platform, { origin: 'CREATED', from: null });
    await recordPlatformActivity(trx, {
      type: 'secretGroupCreate',
      reason: 'Created',
      message: `Slipway made user name and password for ${key.service} in the secret group ${group}`,
      subject: groupSubject({ app, environment, group }, service.team_id, key.service),
      after: { group, version: 1, keys: ['username', 'password'], kind: 'PLATFORM' },
    });
    await writeCredential(trx, key, service.id, { groupId: row.id, version: 1, ...made });
    return true;
  });
};

/**
 * Hashes the password in the group, if the row is missing or internal automation has stored another password. Returns false if the version
 * changed meanwhile.
 */
const adoptGroup = async (deps: SecretDeps, key: ServiceKey, serviceId: string, groupId: string): Promise<boolean> => {
  const version = await currentVersion(deps.db, groupId);
  const known = await deps.db
    .selectFrom('edge_credential')
    .select(['version', 'group_id'])
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (known?.version === version && known.group_id === groupId) return true;
  const values = await openValues(deps, groupOf(key), groupId, version);
  const [username, password] = [values.get('username'), values.get('password')];
  // Nobody could sign in with half a credential, and no service may be served without a credential.
  if (!username || !password) throw new Problem('SecretKeyDoesNotExist');
  const passwordHash = await hashPassword(password, RANDOM);
  return transaction(deps.db, async (trx) => {
    if (!(await lockGroup(trx, groupId)) || (await currentVersion(trx, groupId)) !== version) return false;
    await writeCredential(trx, key, serviceId, { groupId, version, username, passwordHash });
    return true;
  });
};

/**
 * Creates user name and password if they are missing, otherwise changes nothing. Throws ServiceDoesNotExist, and SecretGroupAlreadyExists
 * if another group has the name.
 */
export const ensureEdgeCredential = async (deps: SecretDeps, key: ServiceKey): Promise<void> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const service = await requireService(deps.db, key);
    const group = await platformGroup(deps.db, key);
    const isDone = group ? await adoptGroup(deps, key, service.id, group.id) : await makeGroup(deps, key, service);
    if (isDone) return;
  }
  throw new Problem('SecretVersionConflict', { context: { version: 'newest' } });
};

/**
 * Stores a new password in a new version, even if the former password is no longer readable. The former password ends with the commit.
 * Throws the same errors as `ensureEdgeCredential`.
 */
export const rotateEdgeCredential = async (
  deps: SecretDeps,
  by: Viewer,
  key: ServiceKey,
): Promise<{ secretGroup: string; version: number }> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const service = await requireService(deps.db, key);
    const group = await platformGroup(deps.db, key);
    if (!group) {
      await makeGroup(deps, key, service);
      continue;
    }
    const version = group.last_version + 1;
    const { sealed, ...made } = await makePassword(deps, key, version);
    const isDone = await transaction(deps.db, async (trx) => {
      const row = await lockGroup(trx, group.id);
      if (row?.last_version !== group.last_version) return false;
      await insertVersion(trx, row.id, sealed, by.caller, { origin: 'CREATED', from: null });
      await recordSecret(trx, by, groupOf(key), {
        type: 'serviceBasicAuthRotate',
        reason: 'Rotated',
        message: `${by.caller.displayName} made a new password for ${key.service}; the former one has ended`,
        service: key.service,
        before: { version: version - 1 },
        after: { version, keys: ['username', 'password'] },
      });
      await writeCredential(trx, key, service.id, { groupId: row.id, version, ...made });
      return true;
    });
    if (isDone) return { secretGroup: group.name, version };
  }
  throw new Problem('SecretVersionConflict', { context: { version: 'newest' } });
};

/** Returns the group and version of the current credential. Throws BasicAuthNotInUse. */
export const currentEdgeCredential = async (db: Db, key: ServiceKey): Promise<{ secretGroup: string; version: number }> => {
  const group = await platformGroup(db, key);
  if (!group) throw new Problem('BasicAuthNotInUse');
  return { secretGroup: group.name, version: await currentVersion(db, group.id) };
};

/** Deletes the group of a deleted service, unless another service reads the group. Idempotent. */
export const dropEdgeCredential = (db: Db, key: ServiceKey): Promise<void> =>
  transaction(db, async (trx) => {
    const group = await groupRow(trx, groupOf(key));
    if (group?.kind !== 'PLATFORM' || !(await lockGroup(trx, group.id))) return;
    if ((await attachments(trx, key, { groupId: group.id })).length > 0 || (await pinnedVersions(trx, key)).has(group.name)) return;
    await trx.deleteFrom('secret_group').where('id', '=', group.id).execute();
    await hintGroup(trx, key);
  });
