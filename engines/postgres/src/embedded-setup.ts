/**
 * Configures access to the embedded PostgreSQL: one role, which owns only its database, with a password, over the socket. The superuser
 * has no password and no line in pg_hba.conf. It has access only during this set-up, exclusively, through a socket in a directory that
 * only PostgreSQL's user and root can enter. Clusters of earlier versions are migrated to the same state.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { SUPERUSER } from './embedded-cluster.ts';
import { withClient } from './connections.ts';
import type { PostgresDirectory } from './embedded-directory.ts';
import { fingerprintOf, scramVerifier } from './embedded-password.ts';
import type { PostgresProcess } from './embedded-process.ts';

/** The platform's role. */
export const ROLE = 'platform';

/** Increment it when the set-up changes: every cluster is then set up again at its next start. */
const VERSION = 1;

/** Access beyond the platform's role and its one database. A change triggers a new set-up. */
export interface Admission {
  /** Attributes of the platform's role. */
  readonly rights: string;
  /** The databases that the role can access, in pg_hba.conf syntax. */
  readonly databases: string;
  /** Additional lines of pg_hba.conf. */
  readonly lines?: readonly string[];
  /** Statements that the superuser runs in the platform's database; each must be idempotent. */
  readonly statements: readonly string[];
}

export interface SetUpOptions {
  readonly directory: PostgresDirectory;
  readonly cluster: string;
  readonly socket: { readonly host: string; readonly port: number };
  readonly database: string;
  readonly password: string;
  readonly admission: Admission | undefined;
  /** True for a new cluster, which is synced to disk only when it is complete. */
  readonly isNew: boolean;
  readonly launch: (cluster: string, more: Record<string, string>) => Promise<PostgresProcess>;
  readonly log: Log;
}

/** Does nothing if pg_hba.conf has the expected content: that file is written last. */
export async function setUpOnce(options: SetUpOptions): Promise<void> {
  const { directory, cluster, log } = options;
  const file = path.join(cluster, 'pg_hba.conf');
  const wanted = hbaOf(options);
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === wanted) return;
  const startedAt = performance.now();
  const open = path.join(directory.home, 'set-up.hba');
  write(open, `local all ${SUPERUSER} trust\n`, directory);
  const server = await options.launch(cluster, { hba_file: open, ...(options.isNew ? { fsync: 'off', full_page_writes: 'off' } : {}) });
  try {
    await setUp(options);
  } finally {
    await server.stop();
    fs.rmSync(open);
  }
  write(file, wanted, directory);
  log.info({ directory: cluster, durationMs: Math.round(performance.now() - startedAt) }, 'Set up who may enter the embedded PostgreSQL');
}

const hbaOf = ({ password, database, admission }: SetUpOptions): string =>
  [
    '# Written by Slipway, again whenever it differs.',
    `# Set-up ${VERSION} with the password ${fingerprintOf(password)}`,
    ...(admission ? [`# Allows ${fingerprintOf(JSON.stringify([admission.rights, admission.statements]))}`] : []),
    `local ${admission?.databases ?? database} ${ROLE} scram-sha-256`,
    ...(admission?.lines ?? []),
    '',
  ].join('\n');

function write(file: string, text: string, { user }: PostgresDirectory): void {
  const draft = `${file}.new`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  if (user) fs.chownSync(draft, user.uid, user.gid);
  fs.renameSync(draft, file);
}

async function setUp({ socket, database, password, admission }: SetUpOptions): Promise<void> {
  const as = (name: string) => ({ ...socket, user: SUPERUSER, database: name });
  await withClient(as('postgres'), async (client) => {
    const isThere = async (sql: string, name: string) => (await client.query(sql, [name])).rowCount === 1;
    if (!(await isThere('select 1 from pg_roles where rolname = $1', ROLE))) await client.query(`create role ${ROLE}`);
    const rights = `login nosuperuser noreplication nobypassrls ${admission?.rights ?? 'nocreaterole nocreatedb'}`;
    await client.query(`alter role ${ROLE} ${rights} password ${client.escapeLiteral(scramVerifier(password))}`);
    await client.query(`alter role ${SUPERUSER} password null`);
    const name = client.escapeIdentifier(database);
    if (await isThere('select 1 from pg_database where datname = $1', database))
      await client.query(`alter database ${name} owner to ${ROLE}`);
    // File copy without write-ahead log is fine: the cluster contains nothing else.
    else await client.query(`create database ${name} owner ${ROLE} template template0 strategy file_copy`);
  });
  await withClient(as(database), async (client) => {
    await client.query(HAND_OVER);
    for (const statement of admission?.statements ?? []) await client.query(statement);
  });
}

/**
 * Changes the owner of everything in the database that still belongs to the superuser, as in earlier versions. (REASSIGN OWNED refuses
 * the first superuser.) Indexes and column sequences follow their tables, but partitions do not;
 * `public` belongs to the database's owner.
 */
const HAND_OVER = `do $$
declare
  command text;
begin
  for command in
    with ours as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
    select format('alter schema %I owner to ${ROLE}', nspname) from pg_namespace where oid in (select oid from ours) and nspname <> 'public'
    union all
    select format('alter %s %s owner to ${ROLE}',
        case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' when 'c' then 'type' else 'table' end,
        oid::regclass)
      from pg_class c where relnamespace in (select oid from ours) and relkind in ('r', 'p', 'S', 'v', 'm', 'c')
        and (relkind in ('r', 'p')
          or not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype in ('a', 'i')))
    union all
    select format('alter routine %s owner to ${ROLE}', oid::regprocedure) from pg_proc where pronamespace in (select oid from ours)
    union all
    select format('alter type %s owner to ${ROLE}', oid::regtype) from pg_type where typnamespace in (select oid from ours) and typtype in ('e', 'd', 'r')
  loop
    execute command;
  end loop;
end $$`;
