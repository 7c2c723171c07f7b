/** Makes a database with its roles, and sets what they may use. Each statement may have been run before. */
import type { DatabaseLimits } from '#ports/databases.ts';
import { literal, name, type RoleNames } from './role-names.ts';
import type { Statements } from './server-session.ts';

/** For backups and figures, beside what services may open. */
const OWN_CONNECTIONS = 4;
const NOTHING = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
const KILOBYTE = 1024;

const roleExists = async (client: Statements, role: string): Promise<boolean> =>
  (await client.query('select from pg_roles where rolname = $1', [role])).rowCount === 1;

const ensureRole = async (client: Statements, role: string, mark: string): Promise<void> => {
  if (!(await roleExists(client, role))) await client.query(`create role ${name(role)} nologin ${NOTHING}`);
  await client.query(`comment on role ${name(role)} is ${literal(mark)}`);
  // To act for it: whoever makes a role may pass it on, but not yet use it.
  await client.query(`grant ${name(role)} to current_user with inherit true, set true`);
};

/** In one transaction: none of them is there without its comment. */
export async function makeRoles(
  client: Statements,
  { owner, logins }: RoleNames,
  { mark, admits }: { readonly mark: string; readonly admits: string | undefined },
): Promise<void> {
  await ensureRole(client, owner, mark);
  for (const login of logins) {
    await ensureRole(client, login, mark);
    await client.query(`grant ${name(owner)} to ${name(login)} with inherit true, set true, admin false`);
    await client.query(`alter role ${name(login)} set role = ${name(owner)}`);
    if (admits !== undefined) await client.query(`grant ${name(admits)} to ${name(login)}`);
  }
}

/** Nobody gets in before everybody's right to do so is taken away. */
export async function makeDatabase(client: Statements, { database, owner }: RoleNames, { maxConnections }: DatabaseLimits): Promise<void> {
  const quoted = name(database);
  if ((await client.query('select from pg_database where datname = $1', [database])).rowCount === 0)
    await client.query(
      `create database ${quoted} owner ${name(owner)} template template0 encoding 'UTF8' allow_connections false
       connection limit ${maxConnections + OWN_CONNECTIONS}`,
    );
  await client.query(`revoke all on database ${quoted} from public`);
  await client.query(`grant connect on database ${quoted} to current_user`);
  await client.query(`grant connect on database ${quoted} to ${name(owner)}`);
  await client.query(`alter database ${quoted} allow_connections true`);
}

/** They hold for sessions that begin afterwards. */
export async function setLimits(client: Statements, { database, logins }: RoleNames, limits: DatabaseLimits): Promise<void> {
  const { maxConnections, statementTimeoutMs, tempFileBytes, workMemoryBytes } = limits;
  await client.query(`alter database ${name(database)} connection limit ${whole(maxConnections + OWN_CONNECTIONS)}`);
  const { rows } = await client.query<{ may: boolean }>(`select has_parameter_privilege('temp_file_limit', 'set') as may`);
  for (const login of logins.map(name)) {
    await client.query(`alter role ${login} connection limit ${whole(maxConnections)}`);
    await client.query(`alter role ${login} set statement_timeout = ${whole(statementTimeoutMs)}`);
    await client.query(`alter role ${login} set work_mem = ${whole(workMemoryBytes / KILOBYTE)}`);
    // A superuser's setting: an administrator may not have granted it.
    if (rows[0]?.may) await client.query(`alter role ${login} set temp_file_limit = ${whole(tempFileBytes / KILOBYTE)}`);
  }
}

const whole = (value: number): number => {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no number of a setting`);
  return value;
};
