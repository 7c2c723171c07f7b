/**
 * The read-only logins of a database. They read as members of one role, which can't be assumed. The owner's objects are granted to it one
 * by one, and later ones by default privileges. `pg_read_all_data` would also read the password hashes of the whole server.
 */
import { literal, name, type RoleNames } from './role-names.ts';
import type { Statements } from './server-session.ts';
import { CLOSED, ensureRole, joinReader } from './provisioning.ts';

/** Must run in a transaction, so that no role exists without its comment. */
export async function makeReaders(
  client: Statements,
  { database, owner, logins, reader, readLogins }: RoleNames,
  { mark, admits }: { readonly mark: string; readonly admits: string | undefined },
): Promise<void> {
  const closed = await client.query(`select where ${CLOSED}`, [owner, logins]);
  await ensureRole(client, reader, mark);
  for (const login of readLogins) {
    await ensureRole(client, login, mark);
    // A closed database opens for all of its logins at once.
    if (closed.rowCount === 0) await joinReader(client, reader, login);
    await client.query(`alter role ${name(login)} set default_transaction_read_only = on`);
    if (admits !== undefined) await client.query(`grant ${name(admits)} to ${name(login)}`);
  }
  await client.query(`grant connect on database ${name(database)} to ${name(reader)}`);
}

/** Runs in the database. Later objects come first, so that no object is created in between and missed. */
export async function grantReading(client: Statements, { owner, logins, reader }: RoleNames): Promise<void> {
  const role = name(reader);
  const owners = [owner, ...logins];
  for (const creator of owners.map(name))
    for (const right of ['usage on schemas', 'select on tables', 'select on sequences'])
      await client.query(`alter default privileges for role ${creator} grant ${right} to ${role}`);
  await client.query(grantsTo(role, owners));
}

/** Grants the rights on all objects of the owners. Skips objects that somebody drops meanwhile. */
const grantsTo = (role: string, owners: readonly string[]): string => `do $$
declare
  command text;
begin
  for command in
    with owner as (select oid from pg_roles where rolname in (${owners.map(literal).join(', ')}))
    select format('grant usage on schema %I to ${role}', nspname) from pg_namespace where nspowner in (select oid from owner)
    union all
    select format('grant select on %s to ${role}', oid::regclass) from pg_class
    where relowner in (select oid from owner) and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not pg_is_other_temp_schema(relnamespace)
  loop
    begin
      execute command;
    exception when undefined_table or invalid_schema_name then null;
    end;
  end loop;
end $$`;
