/** A database on its server. Its name there is its own for all time; its roles are called after it. */
export interface DatabaseTarget {
  readonly region: string;
  /** Lower-case letters, digits and underscores, at most 52, a letter first: `berthplans_k3f9a2xq`. */
  readonly database: string;
}
/** Two logins take turns: while services go over to the new one, the former goes on working. */
export type DatabaseLogin = 'a' | 'b';
export const otherLogin = (login: DatabaseLogin): DatabaseLogin => (login === 'a' ? 'b' : 'a');
/** What a program signs in as. */
export const loginName = ({ database }: DatabaseTarget, login: DatabaseLogin): string => `${database}_${login}`;

export interface DatabaseLimits {
  readonly maxConnections: number;
  readonly statementTimeoutMs: number;
  /** For sorts and the like of one session, on the disk. */
  readonly tempFileBytes: number;
  /** For one sort or hash of one session, in memory. */
  readonly workMemoryBytes: number;
}
/** For backups and figures, beside what services may open. */
export const ownConnections = 4;
/** How many connections the server of a region has for all databases on it. */
export interface DatabaseCapacity {
  /** The regions that the server serves. */
  readonly regions: readonly string[];
  /** Undefined while the server was never asked. */
  readonly connections: number | undefined;
}
/** How services reach a server: the same from inside an instance, whose runtime opens a way to it. */
export interface DatabaseEndpoint {
  readonly host: string;
  readonly port: number;
  /** As libpq names them. */
  readonly sslMode: string;
}
/** For the platform's own work in a database: backups, restores, figures. Never for a service, and never kept. */
export interface DatabaseMaintenance extends DatabaseEndpoint {
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Owns everything in it; `set role` to it before anything is made there. */
  readonly owner: string;
}
export interface DatabaseConnectionCount {
  readonly login: DatabaseLogin;
  /** What the program calls itself: a service's name, unless it says another. */
  readonly application: string;
  readonly count: number;
}
export interface ObservedDatabase {
  readonly sizeBytes: number;
  readonly isAccepting: boolean;
  readonly isReadOnly: boolean;
  readonly maxConnections: number;
  /** Logins that have a password. */
  readonly logins: readonly DatabaseLogin[];
  /** Of services; the platform's own are left out. */
  readonly connections: readonly DatabaseConnectionCount[];
}

/** As the server counts them since it counts: ever growing, and from zero again after a reset. */
export interface DatabaseCounters {
  readonly database: string;
  readonly sizeBytes: number;
  /** Of services. */
  readonly connections: number;
  readonly blocksHit: number;
  readonly blocksRead: number;
  readonly transactions: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly tempBytes: number;
}
export interface StatementCount {
  readonly id: string;
  /** Without values: those are `$1`, `$2` …. */
  readonly text: string;
  readonly calls: number;
  readonly meanMs: number;
  readonly maxMs: number;
  readonly totalMs: number;
  readonly rows: number;
}
export interface StatementCounts {
  readonly since: Date | null;
  /** Of all statements, those too that are not listed. */
  readonly totalMs: number;
  /** Those that took most of the time, the first above all. */
  readonly statements: readonly StatementCount[];
}

/**
 * Makes PostgreSQL databases for apps: each with a role that owns all that is in it and cannot sign in, and two logins that act as that role. No
 * login may do more, reach another database, or let others in. Every verb is safe to repeat. What belongs to somebody else on the same
 * server (made by hand, or by another platform) is `conflict` and is not touched; a server that does not answer is `unavailable`.
 */
export interface Databases {
  readonly kind: 'embedded' | 'postgres';
  /** Where there is a server. */
  readonly regions: readonly string[];
  /** The version of the region's server: `17.6`. */
  version(region: string): Promise<string>;
  /** How services reach it. The embedded server is started for it, where it does not run yet. */
  endpoint(region: string): Promise<DatabaseEndpoint>;
  /** Makes what is missing of the database and its roles, without a password yet, and sets its limits. Connections are accepted. */
  ensure(target: DatabaseTarget, limits: DatabaseLimits): Promise<void>;
  limit(target: DatabaseTarget, limits: DatabaseLimits): Promise<void>;
  /** Takes over what a database of an earlier version lets its role do beyond its contents. Nothing happens to others. */
  secure(target: DatabaseTarget): Promise<void>;
  /** Without asking the server. */
  capacity(region: string): DatabaseCapacity;
  /** Lets a login in with this password alone; connections that it has stay. */
  openLogin(target: DatabaseTarget, login: DatabaseLogin, password: string): Promise<void>;
  /** Takes the password away and ends the login's connections. */
  closeLogin(target: DatabaseTarget, login: DatabaseLogin): Promise<void>;
  /** Refusing ends every connection of a service; the data stays. */
  accept(target: DatabaseTarget, isAccepting: boolean): Promise<void>;
  /** Sessions that begin now and later cannot write; those that are open are ended. Deleting stays possible with `set transaction read write`. */
  restrictWrites(target: DatabaseTarget, isReadOnly: boolean): Promise<void>;
  /** Undefined where there is none. */
  observe(target: DatabaseTarget): Promise<ObservedDatabase | undefined>;
  /** Ends all connections; neither database nor role is left. */
  drop(target: DatabaseTarget): Promise<void>;
  /** Everything that this platform has made on the region's server, also in part: names of databases. */
  list(region: string): Promise<readonly string[]>;
  /** `notFound` where there is no such database. */
  maintenance(target: DatabaseTarget): Promise<DatabaseMaintenance>;
  /** Of every database of this platform on the region's server. */
  measure(region: string): Promise<readonly DatabaseCounters[]>;
  /** Undefined where the server does not count statements. */
  statements(target: DatabaseTarget): Promise<StatementCounts | undefined>;
  /** Throws where a server that should answer does not. */
  check(): Promise<void>;
  close(): Promise<void>;
}
