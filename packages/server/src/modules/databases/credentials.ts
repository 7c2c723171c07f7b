/** Database passwords: generated, set on the server, and stored only in the secret groups. The owner and the reader each have a credential. */
import { randomBytes } from 'node:crypto';
import { databaseSecretKeys } from '@slipway/contract/database/database.ts';
import type { Updateable } from 'kysely';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import {
  closeFormer,
  credentialOf,
  formerEndOf,
  issue,
  turns,
  unissue,
  type Credential,
  type Holder,
  type PasswordWish,
  type Turn,
} from '#modules/resources/index.ts';
import { dropPlatformGroup, withdrawPlatformVersion, writePlatformVersion, type SecretDeps } from '#modules/secret-groups/index.ts';
import { loginName, type DatabaseEndpoint, type DatabaseLogin, type Databases } from '#ports/databases.ts';
import { ignoring } from '#ports/failure.ts';
import { groupKeyOf, limitsOf, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';

export interface CredentialDeps extends SecretDeps {
  readonly databases: Databases;
}
const PASSWORD_BYTES = 32;

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
const writePassword = async (deps: CredentialDeps, row: DatabaseRow, { login, group, prefix, columns }: Issue): Promise<number> => {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const target = targetOf(row);
  await deps.databases.openLogin(target, login, password);
  const endpoint = await deps.databases.endpoint(row.region);
  const made = valuesOf(row, endpoint, loginName(target, login), password);
  const values = new Map([...made].map(([key, value]) => [key.replace('DB_', prefix), value]));
  return writePlatformVersion(deps, group, values, async (trx, version) => {
    await trx.updateTable('database').set(columns(version, endpoint)).where('id', '=', row.id).execute();
  });
};

const owners = { 1: 'a', 2: 'b' } as const;
const readers = { 1: 'reader_a', 2: 'reader_b' } as const;
const turnOf = (login: DatabaseLogin | null): Turn | null => {
  if (login === null) return null;
  return login === owners[1] || login === readers[1] ? 1 : 2;
};
export const ownerUser = (row: DatabaseRow, turn: Turn): string => loginName(targetOf(row), owners[turn]);

type Stored = Pick<DatabaseRow, 'login' | 'credentials_by' | 'former_ends_at' | 'reader_login' | 'reader_by'>;
export const ownerCredential = ({ login, credentials_by: by, former_ends_at: formerEndsAt }: Stored): Credential =>
  credentialOf({ turn: turnOf(login), by, formerEndsAt });
/** A rotation changes the owner's password first. The other read-only login is former once that rotation has also changed this credential. */
const readerCredential = ({ reader_login: login, reader_by: by, credentials_by: owner, former_ends_at: endsAt }: Stored): Credential =>
  credentialOf({ turn: turnOf(login), by, formerEndsAt: by === owner ? endsAt : null });

/** The two logins of a credential. Closing ignores logins that no longer exist. */
const loginsOf = ({ databases }: Pick<CredentialDeps, 'databases'>, row: DatabaseRow, names: typeof owners | typeof readers) => ({
  credential: names === owners ? ownerCredential(row) : readerCredential(row),
  close: (turn: Turn) => ignoring('notFound', databases.closeLogin(targetOf(row), names[turn])),
});

const ownerOf = (deps: CredentialDeps, row: DatabaseRow): Holder<number> => ({
  ...loginsOf(deps, row, owners),
  give: (next) =>
    writePassword(deps, row, {
      login: owners[next.turn],
      group: groupKeyOf(row),
      prefix: 'DB_',
      columns: (version, { host, port, sslMode }) => ({
        login: owners[next.turn],
        credentials_version: version,
        credentials_at: new Date(),
        credentials_by: next.by,
        former_ends_at: formerEndOf(next),
        host,
        port,
        ssl_mode: sslMode,
      }),
    }),
  takeBack: (before) =>
    transaction(deps.db, async (trx) => {
      const isFirst = before.state === 'NONE';
      if (isFirst) await dropPlatformGroup(trx, groupKeyOf(row));
      const left = isFirst ? null : await withdrawPlatformVersion(trx, groupKeyOf(row), row.credentials_version ?? 0);
      const login = isFirst ? { login: null, credentials_at: null } : { login: owners[before.turn] };
      await trx
        .updateTable('database')
        .set({ ...login, credentials_version: left, credentials_by: null, former_ends_at: null })
        .where('id', '=', row.id)
        .execute();
    }),
});

const readerOf = (deps: CredentialDeps, row: DatabaseRow): Omit<Holder<number>, 'takeBack'> => ({
  ...loginsOf(deps, row, readers),
  give: (next) =>
    writePassword(deps, row, {
      login: readers[next.turn],
      group: readerKeyOf(row),
      prefix: 'DB_READ_',
      columns: (version) => ({
        reader_login: readers[next.turn],
        reader_version: version,
        reader_by: next.by,
        ...(next.state === 'OVERLAP' ? { former_ends_at: next.formerEndsAt } : {}),
      }),
    }),
});

/** Makes a new password for the login that is not in use. Returns the version of the secret group. */
export const makePassword = async (deps: CredentialDeps, row: DatabaseRow, wish: PasswordWish): Promise<number> =>
  (await issue(ownerOf(deps, row), wish)) ?? row.credentials_version ?? 0;
/** As `makePassword`, for the read-only logins. */
export const makeReaderPassword = async (deps: CredentialDeps, row: DatabaseRow, wish: PasswordWish): Promise<number> =>
  (await issue(readerOf(deps, row), wish)) ?? row.reader_version ?? 0;
/** Undoes `makePassword`. The first password goes with its group, a later one with its version. */
export const unmakePassword = (deps: CredentialDeps, row: DatabaseRow, by: string): Promise<void> => unissue(ownerOf(deps, row), by);

/** Closes the read-only logins, gives their connections back, and deletes their secret group. The group's name stays reserved. */
export const closeReader = async (deps: CredentialDeps, row: DatabaseRow): Promise<void> => {
  for (const turn of turns) await loginsOf(deps, row, readers).close(turn);
  await ignoring('notFound', deps.databases.limit(targetOf(row), limitsOf(settingsOf(row))));
  await transaction(deps.db, async (trx) => {
    if (row.reader_version !== null) await dropPlatformGroup(trx, readerKeyOf(row));
    const off = { reader_login: null, reader_version: null, reader_by: null };
    await trx.updateTable('database').set(off).where('id', '=', row.id).execute();
  });
};

/** Closes the former logins. Leaves `former_ends_at` alone if another password was made meanwhile. */
export const endFormerPassword = async (deps: Pick<CredentialDeps, 'db' | 'databases'>, row: DatabaseRow): Promise<void> => {
  if (row.login === null || row.former_ends_at === null) return;
  for (const names of [owners, readers]) await closeFormer(loginsOf(deps, row, names));
  await deps.db
    .updateTable('database')
    .set({ former_ends_at: null })
    .where('id', '=', row.id)
    .where('credentials_version', '=', row.credentials_version)
    .where('reader_version', 'is not distinct from', row.reader_version)
    .execute();
};
