/** Checks PostgreSQL servers: the platform's own database, and the servers of apps' databases. */
import type pg from 'pg';
import { DsnServer } from '#adapters/databases-postgres/dsn-server.ts';
import { createClient } from '#db/connections.ts';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { compareClocks, type Check, type ChecksOf, type Findings } from './check.ts';

const CONNECT_MS = 8000;
/** Connections that one replica may open. */
const REPLICA_CONNECTIONS = 35;

const TLS_CODES = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/;
const refusal = (error: unknown): readonly [message: string, next: string] => {
  const code = errorCode(error) ?? '';
  const reason = errorMessage(error instanceof AggregateError ? error.errors[0] : error);
  const known: Readonly<Record<string, readonly [string, string]>> = {
    ENOTFOUND: ['The host name is unknown.', 'Correct the host of the URL, or the DNS of this machine.'],
    EAI_AGAIN: ['The host name cannot be looked up now.', 'Correct the host of the URL, or the DNS of this machine.'],
    ECONNREFUSED: [
      'Nothing listens there.',
      "Start the server, or correct host and port of the URL. listen_addresses must contain the server's address.",
    ],
    '28P01': [
      'The server refuses the user or the password.',
      'Correct user and password of the URL. Special characters must be percent-encoded.',
    ],
    '28000': [
      `The server refuses the connection: ${reason}.`,
      'Add a line for this user, database and address to pg_hba.conf. It may require TLS: add ?sslmode=require.',
    ],
    '3D000': ['The database does not exist.', 'Create it: create database slipway owner slipway;'],
    '53300': ['The server has no free connection.', 'Raise max_connections, or close other connections.'],
  };
  if (known[code]) return known[code];
  if (reason.includes('does not support SSL'))
    return [
      'The server has no TLS, and the URL asks for it.',
      'Set ssl = on on the server, or remove sslmode from the URL in a network that you trust.',
    ];
  if (TLS_CODES.test(code))
    return [
      `The server's certificate is not trusted: ${reason}.`,
      'Use the name in the certificate as the host, and give Node the authority by NODE_EXTRA_CA_CERTS.',
    ];
  if (/timeout/i.test(reason)) return ['The server does not answer.', 'Look for a firewall between this machine and the server.'];
  return [`The connection fails: ${reason}.`, 'Look at the log of the PostgreSQL server.'];
};

/** Connects, compares version and clock, says whether TLS is used, and goes on with `more`. */
const withServer = async (
  findings: Findings,
  { variable, ...login }: pg.ClientConfig & { readonly variable: string },
  oldest: number,
  more: (client: pg.Client) => Promise<void>,
): Promise<void> => {
  const client = createClient({ ...login, connectionTimeoutMillis: CONNECT_MS, statement_timeout: CONNECT_MS });
  try {
    try {
      await client.connect();
    } catch (error) {
      const [message, next] = refusal(error);
      return findings.failed(message, next.replace('the URL', variable));
    }
    const sentMs = Date.now();
    const { rows } = await client.query<{ number: number; name: string; now: Date; tls: boolean; user: string; local: boolean }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as name, clock_timestamp() as now,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls, current_user as user,
         coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as local`,
    );
    const [server] = rows;
    if (!server) return;
    const receivedMs = Date.now();
    if (server.number < oldest * 10_000) findings.failed(`It is PostgreSQL ${server.name}.`, `Use PostgreSQL ${oldest} or newer.`);
    else findings.ok(`PostgreSQL ${server.name} answers, as user ${server.user}.`);
    if (server.tls) findings.ok('The connection uses TLS.');
    else if (server.local) findings.ok('The connection stays on this machine, without TLS.');
    else findings.warning('The connection is not encrypted.', `Add ?sslmode=verify-full to ${variable}.`);
    compareClocks(findings, server.now.getTime(), sentMs, receivedMs);
    await more(client);
  } finally {
    await client.end().catch(() => {});
  }
};

const ownRights = async (client: pg.Client, findings: Findings): Promise<void> => {
  const { rows } = await client.query<{ create: boolean; encoding: string; most: number; database: string; missing: string[] }>(
    `select has_schema_privilege('public', 'create') as create, current_setting('server_encoding') as encoding,
       current_setting('max_connections')::int as most, current_database() as database,
       array(select wanted.name from (values ('pg_trgm'), ('unaccent')) as wanted (name)
         where not exists (select from pg_extension where extname = wanted.name)
           and not (has_database_privilege(current_database(), 'create')
             and exists (select from pg_available_extensions as available where available.name = wanted.name))) as missing`,
  );
  const [found] = rows;
  if (!found) return;
  if (found.create) findings.ok('The user may create tables in the schema public.');
  else
    findings.failed(
      'The user may not create tables in the schema public.',
      `Run: alter database "${found.database}" owner to this user, or grant create on schema public.`,
    );
  if (found.missing.length > 0)
    findings.failed(
      `The extensions ${found.missing.join(' and ')} are missing, and the user cannot create them.`,
      "Install PostgreSQL's contrib package, and let the user own the database.",
    );
  else findings.ok('The extensions pg_trgm and unaccent exist or can be created.');
  if (found.encoding !== 'UTF8') findings.failed(`The database has the encoding ${found.encoding}.`, 'Create it with encoding UTF8.');
  if (found.most < REPLICA_CONNECTIONS + 5)
    findings.warning(`The server takes ${found.most} connections. One replica may open ${REPLICA_CONNECTIONS}.`, 'Raise max_connections.');
};

const appRights = async (client: pg.Client, findings: Findings): Promise<void> => {
  const { rows } = await client.query<{ database: boolean; role: boolean; files: boolean }>(
    `select rolsuper or rolcreatedb as database, rolsuper or rolcreaterole as role,
       has_parameter_privilege('temp_file_limit', 'set') as files from pg_roles where rolname = current_user`,
  );
  const [found] = rows;
  if (!found) return;
  for (const [has, right, words] of [
    [found.database, 'createdb', 'databases'],
    [found.role, 'createrole', 'roles'],
  ] as const)
    if (has) findings.ok(`The role may create ${words}.`);
    else findings.failed(`The role may not create ${words}.`, `As a superuser, run: alter role <role> ${right};`);
  if (!found.files)
    findings.warning('The role may not limit files of sorts.', 'As a superuser, run: grant set on parameter temp_file_limit to <role>;');
};

const platformDatabase = ({ databaseUrl }: Config): Check => ({
  subject: 'database',
  run: async (findings) => {
    if (databaseUrl === undefined) return findings.ok('The embedded PostgreSQL is used. It starts with Slipway.');
    await withServer(findings, { variable: 'DATABASE_URL', connectionString: databaseUrl }, 15, (client) => ownRights(client, findings));
  },
});

const serverOf = (region: string, dsn: string): Check => ({
  subject: `databases ${region}`,
  run: async (findings) =>
    withServer(findings, { variable: `SLIPWAY_DATABASES_DSN_${region}`, ...(await new DsnServer(dsn).login()) }, 16, (client) =>
      appRights(client, findings),
    ),
});

export const postgresChecks: ChecksOf = (config) => [
  platformDatabase(config),
  ...(config.databases.kind === 'postgres' ? Object.entries(config.databases.servers).map(([region, dsn]) => serverOf(region, dsn)) : []),
];
