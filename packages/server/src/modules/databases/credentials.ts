/** Database passwords: generated, set on the server, and stored only in the secret groups. Two logins alternate, also those that only read. */
import { randomBytes } from 'node:crypto';
import { databaseSecretKeys } from '@slipway/contract/database/database.ts';
import type { Updateable } from 'kysely';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { dropPlatformGroup, withdrawPlatformVersion, writePlatformVersion, type SecretDeps } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import {
  loginName,
  otherLogin,
  otherReadLogin,
  type DatabaseEndpoint,
  type DatabaseLogin,
  type Databases,
  type OwnLogin,
  type ReadLogin,
} from '#ports/databases.ts';
import { groupKeyOf, limitsOf, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';

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

interface Issue {
  readonly login: DatabaseLogin;
  readonly group: ReturnType<typeof groupKeyOf>;
  /** Beginning of the keys: `DB_` or `DB_READ_`. */
  readonly prefix: string;
  /** Columns to set with the new version. */
  readonly columns: (version: number, endpoint: DatabaseEndpoint) => Updateable<DB['database']>;
}
/**
 * Sets a new password on the login, then stores it as a new version of the secret group. If interrupted in between, the next attempt sets
 * another password, since nobody has learned the first.
 */
const issuePassword = async (deps: CredentialDeps, row: DatabaseRow, { login, group, prefix, columns }: Issue): Promise<number> => {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const target = targetOf(row);
  await deps.databases.openLogin(target, login, password);
  const endpoint = await deps.databases.endpoint(row.region);
  const made = valuesOf(row, endpoint, loginName(target, login), password);
  const values = new Map([...made].map(([key, value]) => [key.replace('DB_', prefix), value]));
  try {
    return await writePlatformVersion(deps, group, values, platform, async (trx, version) => {
      await trx.updateTable('database').set(columns(version, endpoint)).where('id', '=', row.id).execute();
    });
  } catch (error) {
    if (error instanceof Problem && error.code === 'SecretGroupAlreadyExists') throw new StepFailure(error.code, { group: group.group });
    throw error;
  }
};

export interface PasswordWish {
  /** The pipeline's id. A second call with the same id does nothing. */
  readonly by: string;
  readonly overlapHours: number;
}
const endAfter = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

/** Makes a new password for the login that is not in use. */
export const makePassword = async (deps: CredentialDeps, row: DatabaseRow, { by, overlapHours }: PasswordWish): Promise<number> => {
  if (row.credentials_by === by && row.credentials_version !== null) return row.credentials_version;
  const login: OwnLogin = row.login === null ? 'a' : otherLogin(row.login);
  return issuePassword(deps, row, {
    login,
    group: groupKeyOf(row),
    prefix: 'DB_',
    columns: (version, { host, port, sslMode }) => ({
      login,
      credentials_version: version,
      credentials_at: new Date(),
      credentials_by: by,
      former_ends_at: row.login === null ? null : endAfter(overlapHours),
      host,
      port,
      ssl_mode: sslMode,
    }),
  });
};

/** Makes a new password for the read-only login that is not in use. */
export const makeReaderPassword = async (deps: CredentialDeps, row: DatabaseRow, { by, overlapHours }: PasswordWish): Promise<number> => {
  if (row.reader_by === by && row.reader_version !== null) return row.reader_version;
  const { reader_login: current } = row;
  const login: ReadLogin = current === null ? 'reader_a' : otherReadLogin(current);
  return issuePassword(deps, row, {
    login,
    group: readerKeyOf(row),
    prefix: 'DB_READ_',
    columns: (version) => ({
      reader_login: login,
      reader_version: version,
      reader_by: by,
      ...(current === null ? {} : { former_ends_at: endAfter(overlapHours) }),
    }),
  });
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
  const own: OwnLogin = isMade ? (login ?? 'a') : login === null ? 'a' : otherLogin(login);
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

/** Closes the read-only logins, gives their connections back, and deletes their secret group. The group's name stays reserved. */
export const closeReader = async (deps: CredentialDeps, row: DatabaseRow): Promise<void> => {
  const target = targetOf(row);
  for (const login of ['reader_a', 'reader_b'] as const) await deps.databases.closeLogin(target, login).catch(unlessGone);
  await deps.databases.limit(target, limitsOf(settingsOf(row))).catch(unlessGone);
  await transaction(deps.db, async (trx) => {
    if (row.reader_version !== null) await dropPlatformGroup(trx, readerKeyOf(row));
    const off = { reader_login: null, reader_version: null, reader_by: null };
    await trx.updateTable('database').set(off).where('id', '=', row.id).execute();
  });
};

/**
 * Closes the former logins. A read-only login is former once the pipeline that changed the main password has changed its own, too. The
 * version checks leave `former_ends_at` alone if another password was made meanwhile.
 */
export const endFormerPassword = async (deps: Pick<CredentialDeps, 'db' | 'databases'>, row: DatabaseRow): Promise<void> => {
  if (row.login === null || row.former_ends_at === null) return;
  const reader = row.reader_by === row.credentials_by ? row.reader_login : null;
  const former: DatabaseLogin[] = [otherLogin(row.login), ...(reader === null ? [] : [otherReadLogin(reader)])];
  for (const login of former) await deps.databases.closeLogin(targetOf(row), login).catch(unlessGone);
  await deps.db
    .updateTable('database')
    .set({ former_ends_at: null })
    .where('id', '=', row.id)
    .where('credentials_version', '=', row.credentials_version)
    .where('reader_version', 'is not distinct from', row.reader_version)
    .execute();
};
