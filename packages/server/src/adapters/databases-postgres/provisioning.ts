/** Creates a database with its roles and sets limits. All statements are idempotent. */
import { ownConnections, type DatabaseLimits, type WriteLevel } from '#ports/databases.ts';
import { literal, name, type RoleNames } from './role-names.ts';
import type { Statements } from './server-session.ts';

const NOTHING = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
const KILOBYTE = 1024;
export const READ_ONLY = 'default_transaction_read_only';

export const roleExists = async (client: Statements, role: string): Promise<boolean> =>
  (await client.query('select from pg_roles where rolname = $1', [role])).rowCount === 1;

export const ensureRole = async (client: Statements, role: string, mark: string): Promise<void> => {
  if (!(await roleExists(client, role))) await client.query(`create role ${name(role)} nologin ${NOTHING}`);
  await client.query(`comment on role ${name(role)} is ${literal(mark)}`);
  // The creator of a role may grant it, but must first grant it to itself to use it.
  await client.query(`grant ${name(role)} to current_user with inherit true, set true`);
};

/** Creates the roles. Must run in a transaction, so that no role exists without its comment. */
export async function makeRoles(
  client: Statements,
  { owner, logins }: RoleNames,
  { mark, admits }: { readonly mark: string; readonly admits: string | undefined },
): Promise<void> {
  await ensureRole(client, owner, mark);
  for (const login of logins) {
    await ensureRole(client, login, mark);
    await joinOwner(client, owner, login);
    await client.query(`alter role ${name(login)} set role = ${name(owner)}`);
    if (admits !== undefined) await client.query(`grant ${name(admits)} to ${name(login)}`);
  }
}

const joinOwner = async (client: Statements, owner: string, login: string): Promise<void> => {
  await client.query(`grant ${name(owner)} to ${name(login)} with inherit true, set true, admin false`);
};

/** Without SET, everything that a read-only login creates belongs to the login itself and can be found. */
export const joinReader = async (client: Statements, reader: string, login: string): Promise<void> => {
  await client.query(`grant ${name(reader)} to ${name(login)} with inherit true, set false, admin false`);
};

/** SQL that tells whether the logins `$2` of the owner `$1` are closed. */
export const CLOSED = `not exists (select from pg_auth_members
  where roleid = (select oid from pg_roles where rolname = $1) and member in (select oid from pg_roles where rolname = any ($2)))`;

/**
 * Sets the level for new sessions. A login has the right to connect only as a member of the owner or of the reader, so that a closed login has
 * no way in.
 */
export async function setWrites(client: Statements, { owner, logins, reader, readLogins }: RoleNames, level: WriteLevel): Promise<void> {
  await client.query('begin');
  for (const login of logins) {
    await client.query(`alter role ${name(login)} ${level === 'writable' ? `reset ${READ_ONLY}` : `set ${READ_ONLY} = on`}`);
    if (level === 'closed') await client.query(`revoke ${name(owner)} from ${name(login)}`);
    else await joinOwner(client, owner, login);
  }
  const readers = (await roleExists(client, reader)) ? readLogins : [];
  for (const login of readers) {
    if (level === 'closed') await client.query(`revoke ${name(reader)} from ${name(login)}`);
    else await joinReader(client, reader, login);
  }
  await client.query('commit');
}

/** Creates the database. Allows connections only after PUBLIC's rights are revoked. */
export async function makeDatabase(client: Statements, { database, owner }: RoleNames, { maxConnections }: DatabaseLimits): Promise<void> {
  const quoted = name(database);
  if ((await client.query('select from pg_database where datname = $1', [database])).rowCount === 0)
    await client.query(
      `create database ${quoted} template template0 encoding 'UTF8' allow_connections false
       connection limit ${maxConnections + ownConnections}`,
    );
  await client.query(`revoke all on database ${quoted} from public`);
  await client.query(`grant connect on database ${quoted} to current_user`);
  await client.query(`grant connect, create, temporary on database ${quoted} to ${name(owner)}`);
  await client.query(`alter database ${quoted} allow_connections true`);
}

/**
 * Makes the platform the owner of the database, and the app's role the owner of its contents. A database's owner could lift its connection
 * limit, admit everybody, or make it a template, which can't be dropped. Databases of earlier versions belong to the app's role until this
 * has run. The change of owner takes all rights from the app's role, so it is one transaction with the grants that give them back. CONNECT
 * stays revoked from a deactivated database.
 */
export async function ownDatabase(client: Statements, { database, owner, logins }: RoleNames): Promise<void> {
  const quoted = name(database);
  const { rows } = await client.query<{ isOurs: boolean; isAccepting: boolean; limit: number }>(
    `select pg_get_userbyid(datdba) = current_user as "isOurs", has_database_privilege($3, datname, 'connect') as "isAccepting",
       (select max(rolconnlimit) from pg_roles where rolname = any ($2)) as limit
     from pg_database where datname = $1`,
    [database, logins, owner],
  );
  const [found] = rows;
  if (!found || found.isOurs) return;
  await client.query(
    `alter database ${quoted} owner to current_user;
     grant ${found.isAccepting ? 'connect, ' : ''}create, temporary on database ${quoted} to ${name(owner)}`,
  );
  await client.query(`alter database ${quoted} is_template false`);
  if (found.limit >= 0) await client.query(`alter database ${quoted} connection limit ${whole(found.limit + ownConnections)}`);
}

/**
 * Makes the app's role the owner of `public`, in a session in the database. By default `public` belongs to the database's owner; another
 * explicit owner is kept.
 */
export async function ownSchema(client: Statements, { owner }: RoleNames): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_namespace where nspname = 'public' and pg_get_userbyid(nspowner) in ('pg_database_owner', current_user)`,
  );
  if (rowCount === 1) await client.query(`alter schema public owner to ${name(owner)}`);
}

/** Sets limits, which apply to new sessions. */
export async function setLimits(client: Statements, names: RoleNames, limits: DatabaseLimits): Promise<void> {
  const { maxConnections, readConnections = 0, statementTimeoutMs, tempFileBytes, workMemoryBytes } = limits;
  const { database, logins, reader, readLogins } = names;
  await client.query(`alter database ${name(database)} connection limit ${whole(maxConnections + readConnections + ownConnections)}`);
  const { rows } = await client.query<{ may: boolean }>(`select has_parameter_privilege('temp_file_limit', 'set') as may`);
  const readers = (await roleExists(client, reader)) ? readLogins : [];
  for (const role of [...logins, ...readers]) {
    const login = name(role);
    await client.query(`alter role ${login} connection limit ${whole(logins.includes(role) ? maxConnections : readConnections)}`);
    await client.query(`alter role ${login} set statement_timeout = ${whole(statementTimeoutMs)}`);
    await client.query(`alter role ${login} set work_mem = ${whole(workMemoryBytes / KILOBYTE)}`);
    // Only superusers may set it, unless an administrator grants the right.
    if (rows[0]?.may) await client.query(`alter role ${login} set temp_file_limit = ${whole(tempFileBytes / KILOBYTE)}`);
  }
}

const whole = (value: number): number => {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no number of a setting`);
  return value;
};
