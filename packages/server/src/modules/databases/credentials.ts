/** Database passwords: generated, set on the server, and stored only in the secret group. Two logins alternate. */
import { randomBytes } from 'node:crypto';
import { databaseSecretKeys } from '@slipway/contract/database/database.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { dropPlatformGroup, withdrawPlatformVersion, writePlatformVersion, type SecretDeps } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import { loginName, otherLogin, type DatabaseEndpoint, type DatabaseLogin, type Databases } from '#ports/databases.ts';
import { groupKeyOf, targetOf, type DatabaseRow } from './database-rows.ts';

export interface CredentialDeps extends SecretDeps {
  readonly databases: Databases;
}
const PASSWORD_BYTES = 32;
const HOUR_MS = 3_600_000;
const platform = { id: 'platform', displayName: 'Slipway' };

type Key = (typeof databaseSecretKeys)[number];
/** The URL needs no escaping: names consist of letters, digits and underscores, and the password is base64url. */
const valuesOf = (row: DatabaseRow, endpoint: DatabaseEndpoint, user: string, password: string): ReadonlyMap<string, string> => {
  const { host, port, sslMode } = endpoint;
  const values: Record<Key, string> = {
    DB_URL: `postgresql://${user}:${password}@${host}:${port}/${row.server_name}?sslmode=${sslMode}`,
    DB_HOST: host,
    DB_PORT: String(port),
    DB_NAME: row.server_name,
    DB_USER: user,
    DB_PASSWORD: password,
    DB_SSLMODE: sslMode,
  };
  return new Map(Object.entries(values));
};

/**
 * Sets a new password on the login that is not in use, then stores it as a new version of the secret group. If interrupted in between, the
 * next attempt sets another password, since nobody has learned the first. `by` is the pipeline's id. A second call with the same `by` does
 * nothing.
 */
export const makePassword = async (
  deps: CredentialDeps,
  row: DatabaseRow,
  { by, overlapHours }: { readonly by: string; readonly overlapHours: number },
): Promise<number> => {
  if (row.credentials_by === by && row.credentials_version !== null) return row.credentials_version;
  const login: DatabaseLogin = row.login === null ? 'a' : otherLogin(row.login);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const target = targetOf(row);
  await deps.databases.openLogin(target, login, password);
  const endpoint = await deps.databases.endpoint(row.region);
  const values = valuesOf(row, endpoint, loginName(target, login), password);
  try {
    return await writePlatformVersion(deps, groupKeyOf(row), values, platform, async (trx, version) => {
      const made = { login, credentials_version: version, credentials_at: new Date(), credentials_by: by };
      const former = row.login === null ? null : new Date(Date.now() + overlapHours * HOUR_MS);
      const reached = { host: endpoint.host, port: endpoint.port, ssl_mode: endpoint.sslMode };
      await trx
        .updateTable('database')
        .set({ ...made, ...reached, former_ends_at: former })
        .where('id', '=', row.id)
        .execute();
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'SecretGroupAlreadyExists')
      throw new StepFailure(error.code, { group: row.secret_group });
    throw error;
  }
};

/** Ignores logins that no longer exist. */
const unlessGone = (error: unknown): void => {
  if (!isPortFailure(error, 'notFound')) throw error;
};

/**
 * Undoes `makePassword`. For the first password, also removes the group. For later ones, the former login becomes current again, and the
 * new version of the group is removed.
 */
export const unmakePassword = async (deps: CredentialDeps, row: DatabaseRow, by: string): Promise<void> => {
  const isMade = row.credentials_by === by;
  const { login, credentials_version: version } = row;
  const isFirst = isMade ? row.former_ends_at === null : login === null;
  const own: DatabaseLogin = isMade ? (login ?? 'a') : login === null ? 'a' : otherLogin(login);
  await deps.databases.closeLogin(targetOf(row), own).catch(unlessGone);
  if (!isMade) return;
  await transaction(deps.db, async (trx) => {
    const before = isFirst
      ? { login: null, credentials_version: null, credentials_at: null }
      : { login: otherLogin(own), credentials_version: Math.max((version ?? 1) - 1, 1) };
    await trx
      .updateTable('database')
      .set({ ...before, credentials_by: null, former_ends_at: null })
      .where('id', '=', row.id)
      .execute();
    if (isFirst) await dropPlatformGroup(trx, groupKeyOf(row));
    else await withdrawPlatformVersion(trx, groupKeyOf(row), version ?? 0);
  });
};

/** Closes the former login. The version check leaves `former_ends_at` alone if another rotation happened meanwhile. */
export const endFormerPassword = async (deps: Pick<CredentialDeps, 'db' | 'databases'>, row: DatabaseRow): Promise<void> => {
  if (row.login === null || row.former_ends_at === null) return;
  await deps.databases.closeLogin(targetOf(row), otherLogin(row.login)).catch(unlessGone);
  await deps.db
    .updateTable('database')
    .set({ former_ends_at: null })
    .where('id', '=', row.id)
    .where('credentials_version', '=', row.credentials_version)
    .execute();
};
