/**
 * Databases on PostgreSQL servers, one for each region. A database belongs to a role that cannot log in. Two logins switch to that role on
 * connect, so the role owns everything they create. A comment on the owner role identifies the platform.
 */
import { scramVerifier } from '#db/embedded-password.ts';
import { reportRefusal } from '#db/refusal.ts';
import type { EngineProbe, Findings } from '#ports/engine-probe.ts';
import { PortFailure } from '#ports/failure.ts';
import {
  loginName,
  type DatabaseCapacity,
  type DatabaseCounters,
  type DatabaseEndpoint,
  type DatabaseLimits,
  type DatabaseLogin,
  type DatabaseMaintenance,
  type Databases,
  type DatabaseTarget,
  type ObservedDatabase,
  type StatementCounts,
  type WriteLevel,
} from '#ports/databases.ts';
import type { Log } from '#ports/log.ts';
import { countersOf, statementsOf } from './counters.ts';
import type { DatabaseServer } from './database-server.ts';
import { literal, loginOf, name, namesOf, ownerOf, type RoleNames } from './role-names.ts';
import { CLOSED, makeDatabase, makeRoles, ownDatabase, ownSchema, READ_ONLY, roleExists, setLimits, setWrites } from './provisioning.ts';
import { grantReading, makeReaders } from './readers.ts';
import { ServerSession, type Statements } from './server-session.ts';

/** How long clearing waits for a lock, since one watcher clears the databases of all apps. */
const CLEARING_LOCK_MS = 2000;

export interface PostgresDatabasesOptions {
  readonly kind: Databases['kind'];
  /** Servers by region. One server may serve several regions. */
  readonly servers: Readonly<Record<string, DatabaseServer>>;
  /** Comment that marks roles as this platform's, on a server that others may use too. */
  readonly mark: string;
  readonly log: Log;
}

export class PostgresDatabases implements Databases {
  readonly kind: Databases['kind'];
  readonly regions: readonly string[];
  readonly #mark: string;
  readonly #sessions = new Map<DatabaseServer, ServerSession>();
  readonly #byRegion = new Map<string, ServerSession>();

  constructor({ kind, servers, mark, log }: PostgresDatabasesOptions) {
    this.kind = kind;
    this.regions = Object.keys(servers);
    this.#mark = mark;
    for (const [region, server] of Object.entries(servers)) {
      const session = this.#sessions.get(server) ?? new ServerSession(server, log);
      this.#sessions.set(server, session);
      this.#byRegion.set(region, session);
    }
  }

  /** The embedded server has no address of its own that an operator could correct. */
  probes(): EngineProbe[] | undefined {
    if (this.kind === 'embedded') return undefined;
    return this.regions.map((region) => ({ place: region, probe: (findings) => this.#probe(region, findings) }));
  }

  async #probe(region: string, findings: Findings): Promise<string | undefined> {
    try {
      return await this.version(region);
    } catch (error) {
      if (!(error instanceof PortFailure) || error.cause === undefined) throw error;
      reportRefusal(findings, error.cause, `SLIPWAY_DATABASES_DSN_${region}`);
      return undefined;
    }
  }

  async version(region: string): Promise<string> {
    return this.#at(region).run(async (client) => {
      const { rows } = await client.query<{ version: string }>(`select split_part(current_setting('server_version'), ' ', 1) as version`);
      return rows[0]?.version ?? '';
    });
  }

  async endpoint(region: string): Promise<DatabaseEndpoint> {
    return this.#at(region).server.endpoint();
  }

  async ensure(target: DatabaseTarget, limits: DatabaseLimits): Promise<void> {
    const names = namesOf(target);
    const session = this.#at(target.region);
    await session.transaction(async (client) => {
      await this.#requireOurs(client, names);
      await makeRoles(client, names, { mark: this.#mark, admits: session.server.admits });
    });
    await session.run(async (client) => {
      await makeDatabase(client, names, limits);
      await ownDatabase(client, names);
      await setLimits(client, names, limits);
    });
    await session.runIn(names.database, (client) => ownSchema(client, names));
  }

  async secure(target: DatabaseTarget): Promise<void> {
    await this.#in(target, ownDatabase);
    const names = namesOf(target);
    await this.#at(target.region).runIn(names.database, (client) => ownSchema(client, names));
  }

  capacity(region: string): DatabaseCapacity {
    const session = this.#at(region);
    const regions = [...this.#byRegion].filter(([, other]) => other === session).map(([of]) => of);
    return { regions, connections: session.connections };
  }

  async limit(target: DatabaseTarget, limits: DatabaseLimits): Promise<void> {
    await this.#in(target, (client, names) => setLimits(client, names, limits));
  }

  async admitReaders(target: DatabaseTarget, limits: DatabaseLimits): Promise<void> {
    await this.#in(target, async () => {});
    const names = namesOf(target);
    const session = this.#at(target.region);
    await session.transaction((client) => makeReaders(client, names, { mark: this.#mark, admits: session.server.admits }));
    await session.runIn(names.database, (client) => grantReading(client, names));
    await this.limit(target, limits);
  }

  async clearReaders(target: DatabaseTarget): Promise<void> {
    const { database, readLogins } = namesOf(target);
    // A session can hold a lock on an object that it created.
    await this.#in(target, (client) => endSessions(client, database, readLogins));
    await this.#at(target.region).runIn(database, async (client) => {
      await client.query(`set lock_timeout = ${CLEARING_LOCK_MS}`);
      await client.query(`drop owned by ${readLogins.map(name).join(', ')}`);
    });
  }

  async openLogin(target: DatabaseTarget, login: DatabaseLogin, password: string): Promise<void> {
    await this.#in(target, (client) =>
      client.query(`alter role ${name(loginName(target, login))} login password ${literal(scramVerifier(password))}`),
    );
  }

  async closeLogin(target: DatabaseTarget, login: DatabaseLogin): Promise<void> {
    const role = loginName(target, login);
    await this.#in(target, async (client, names) => {
      // Read-only logins exist once they are admitted.
      if (!(await roleExists(client, role))) return;
      await client.query(`alter role ${name(role)} nologin password null`);
      await endSessions(client, names.database, [role]);
    });
  }

  async accept(target: DatabaseTarget, isAccepting: boolean): Promise<void> {
    await this.#in(target, async (client, { database, owner, logins, reader, readLogins }) => {
      const verb = isAccepting ? 'grant connect on' : 'revoke connect on';
      const roles = (await roleExists(client, reader)) ? [owner, reader] : [owner];
      await client.query(`${verb} database ${name(database)} ${isAccepting ? 'to' : 'from'} ${roles.map(name).join(', ')}`);
      if (!isAccepting) await endSessions(client, database, [...logins, ...readLogins]);
    });
  }

  async restrictWrites(target: DatabaseTarget, level: WriteLevel): Promise<void> {
    await this.#in(target, async (client, names) => {
      await setWrites(client, names, level);
      await endSessions(client, names.database, level === 'closed' ? [...names.logins, ...names.readLogins] : names.logins);
    });
  }

  async endTransactions(target: DatabaseTarget, olderThanMs: number): Promise<void> {
    await this.#in(target, (client, { database, logins, readLogins }) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = $1 and usename = any ($2) and xact_start < now() - $3 * interval '1 millisecond'`,
        [database, [...logins, ...readLogins], olderThanMs],
      ),
    );
  }

  async observe(target: DatabaseTarget): Promise<ObservedDatabase | undefined> {
    const names = namesOf(target);
    return this.#at(target.region).run(async (client) => {
      if (!(await this.#requireOurs(client, names))) return undefined;
      const all = [...names.logins, ...names.readLogins];
      const found = await client.query<{
        size: string;
        accepting: boolean;
        max: number;
        open: string[];
        writes: WriteLevel;
        objects: boolean;
      }>(
        `select pg_database_size(datname) as size, has_database_privilege($1, datname, 'connect') as accepting,
           (select max(rolconnlimit) from pg_roles where rolname = any ($2)) as max,
           array(select rolname::text from pg_roles where rolname = any ($4) and rolcanlogin order by 1) as open,
           case when ${CLOSED} then 'closed'
             when exists (select from pg_roles where rolname = any ($2) and '${READ_ONLY}=on' = any (rolconfig)) then 'readOnly'
             else 'writable' end as writes,
           exists (select from pg_shdepend join pg_roles on pg_roles.oid = refobjid
             where dbid = pg_database.oid and refclassid = 'pg_authid'::regclass and deptype = 'o' and rolname = any ($5)) as objects
         from pg_database where datname = $3 and datallowconn`,
        [names.owner, names.logins, names.database, all, names.readLogins],
      );
      const [row] = found.rows;
      if (!row) return undefined;
      const sessions = await client.query<{ role: string; application: string; count: string }>(
        `select usename as role, coalesce(application_name, '') as application, count(*) as count
         from pg_stat_activity where datname = $1 and usename = any ($2) group by 1, 2 order by 3 desc, 1, 2`,
        [names.database, all],
      );
      return {
        sizeBytes: Number(row.size),
        isAccepting: row.accepting,
        writes: row.writes,
        hasReaderObjects: row.objects,
        maxConnections: row.max,
        logins: row.open.map(loginOf),
        connections: sessions.rows.map(({ role, application, count }) => ({ login: loginOf(role), application, count: Number(count) })),
      };
    });
  }

  async drop(target: DatabaseTarget): Promise<void> {
    const names = namesOf(target);
    await this.#at(target.region).run(async (client) => {
      if (!(await this.#requireOurs(client, names))) return;
      await client.query(`drop database if exists ${name(names.database)} with (force)`);
      for (const role of [...names.readLogins, names.reader, ...names.logins, names.owner])
        await client.query(`drop role if exists ${name(role)}`);
    });
  }

  async list(region: string): Promise<readonly string[]> {
    const suffix = ownerOf('');
    return this.#at(region).run(async (client) => {
      const { rows } = await client.query<{ role: string }>(
        `select rolname as role from pg_roles where shobj_description(oid, 'pg_authid') = $1 and rolname like $2 order by 1`,
        [this.#mark, `%${suffix.replace('_', '\\_')}`],
      );
      return rows.map(({ role }) => role.slice(0, -suffix.length));
    });
  }

  async maintenance(target: DatabaseTarget): Promise<DatabaseMaintenance> {
    const { database, owner } = namesOf(target);
    const { sslMode } = await this.endpoint(target.region);
    await this.#in(target, async () => {});
    const { host, port, user, password } = await this.#at(target.region).server.login();
    return { host, port, sslMode, database, user, password, owner };
  }

  async measure(region: string): Promise<readonly DatabaseCounters[]> {
    const databases = await this.list(region);
    return databases.length === 0
      ? []
      : this.#at(region).run((client) =>
          countersOf(
            client,
            databases.map((database) => namesOf({ region, database })),
          ),
        );
  }

  async statements(target: DatabaseTarget): Promise<StatementCounts | undefined> {
    return this.#at(target.region).run((client) => statementsOf(client, namesOf(target)));
  }

  async check(): Promise<void> {
    for (const session of this.#sessions.values()) await session.run((client) => client.query('select 1'));
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.close();
  }

  #at(region: string): ServerSession {
    const session = this.#byRegion.get(region);
    if (!session) throw new PortFailure('notFound', `There is no database server in ${region}`);
    return session;
  }

  /** Runs `work` for a database. Throws `notFound` if the database does not exist or is incomplete. */
  async #in(target: DatabaseTarget, work: (client: Statements, names: RoleNames) => Promise<unknown>): Promise<void> {
    const names = namesOf(target);
    await this.#at(target.region).run(async (client) => {
      const isThere = (await this.#requireOurs(client, names)) && (await exists(client, names.database));
      if (!isThere) throw new PortFailure('notFound', `There is no database ${names.database}`);
      await work(client, names);
    });
  }

  /** Returns whether the database's roles exist. Throws `conflict` if another owner uses one of the names. */
  async #requireOurs(client: Statements, { database, owner, logins, reader, readLogins }: RoleNames): Promise<boolean> {
    const { rows } = await client.query<{ isOurs: boolean }>(
      `select shobj_description(oid, 'pg_authid') is not distinct from $1 as "isOurs" from pg_roles where rolname = any ($2)
       union all select pg_get_userbyid(datdba) = $3 or pg_get_userbyid(datdba) = current_user and exists (select from pg_roles where rolname = $3)
         from pg_database where datname = $4`,
      [this.#mark, [owner, ...logins, reader, ...readLogins], owner, database],
    );
    if (rows.some(({ isOurs }) => !isOurs)) throw new PortFailure('conflict', `${database} is somebody else's on this server`);
    return rows.length > 0;
  }
}

const exists = async (client: Statements, database: string): Promise<boolean> =>
  (await client.query('select from pg_database where datname = $1', [database])).rowCount === 1;

const endSessions = async (client: Statements, database: string, roles: readonly string[]): Promise<void> => {
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = any ($2)', [database, roles]);
};
