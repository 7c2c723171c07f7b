/** Database passwords: generated, set on the server, and stored only in the secret groups. The owner and the reader each have a credential. */
import { databaseSecretKeys } from '@slipway/contract/database/database.ts';
import { transaction } from '#db/database.ts';
import { closeFormer, credentialOf, formerEndOf, turns, type Credential, type Turn } from '#modules/resources/index.ts';
import { dropPlatformGroup, type GroupCredential, type SecretDeps } from '#modules/secret-groups/index.ts';
import { loginName, type DatabaseEndpoint, type DatabaseLogin, type Databases } from '#ports/databases.ts';
import { ignoring } from '#ports/failure.ts';
import { groupKeyOf, limitsOf, readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';

export interface CredentialDeps extends SecretDeps {
  readonly databases: Databases;
}

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

/** Gives the login a password. Returns the keys of its group, which begin with `DB_` or `DB_READ_`. */
const openLogin = async ({ db, databases }: CredentialDeps, row: DatabaseRow, login: DatabaseLogin, prefix: string, password: string) => {
  const target = targetOf(row);
  await databases.openLogin(target, login, password);
  const endpoint = await databases.endpoint(row.region);
  const { host, port, sslMode } = endpoint;
  await db.updateTable('database').set({ host, port, ssl_mode: sslMode }).where('id', '=', row.id).execute();
  const made = valuesOf(row, endpoint, loginName(target, login), password);
  return new Map([...made].map(([key, value]) => [key.replace('DB_', prefix), value]));
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

export const ownerOf = (deps: CredentialDeps, row: DatabaseRow): GroupCredential => ({
  ...loginsOf(deps, row, owners),
  version: row.credentials_version,
  group: groupKeyOf(row),
  open: (turn, password) => openLogin(deps, row, owners[turn], 'DB_', password),
  store: async (trx, next, version) => {
    const stored =
      next.state === 'NONE'
        ? { login: null, credentials_by: null, credentials_at: null }
        : { login: owners[next.turn], credentials_by: next.by, ...(next.by !== null && { credentials_at: new Date() }) };
    await trx
      .updateTable('database')
      .set({ ...stored, credentials_version: version, former_ends_at: formerEndOf(next) })
      .where('id', '=', row.id)
      .execute();
  },
});

export const readerOf = (deps: CredentialDeps, row: DatabaseRow): GroupCredential => ({
  ...loginsOf(deps, row, readers),
  version: row.reader_version,
  group: readerKeyOf(row),
  open: (turn, password) => openLogin(deps, row, readers[turn], 'DB_READ_', password),
  store: async (trx, next, version) => {
    const stored =
      next.state === 'NONE' ? { reader_login: null, reader_by: null } : { reader_login: readers[next.turn], reader_by: next.by };
    const former = next.state === 'OVERLAP' ? { former_ends_at: next.formerEndsAt } : {};
    await trx
      .updateTable('database')
      .set({ ...stored, ...former, reader_version: version })
      .where('id', '=', row.id)
      .execute();
  },
});

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
