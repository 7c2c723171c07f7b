/** A database on its server. Its name never changes, and its roles are named after it. */
import type { EngineProbe } from './engine-probe.ts';

export interface DatabaseTarget {
  readonly region: string;
  /** At most 52 lower-case letters, digits and underscores, starting with a letter: `berthplans_k3f9a2xq`. */
  readonly database: string;
}
/** Two logins alternate: the old login keeps working while services switch to the new one. */
export type OwnLogin = 'a' | 'b';
/** Read-only logins, which alternate, too. They exist once `admitReaders` has run. */
export type ReadLogin = 'reader_a' | 'reader_b';
export type DatabaseLogin = OwnLogin | ReadLogin;
/** Returns the user name of a login. */
export const loginName = ({ database }: DatabaseTarget, login: DatabaseLogin): string => `${database}_${login}`;

export interface DatabaseLimits {
  /** Connections of one login with write access, and of one read-only login. */
  readonly maxConnections: number;
  readonly readConnections?: number;
  readonly statementTimeoutMs: number;
  /** Disk space for temporary files of one session, such as sorts. */
  readonly tempFileBytes: number;
  /** Memory for one sort or hash of one session. */
  readonly workMemoryBytes: number;
}
/** Connections for backups and metrics, in addition to those of services. */
export const ownConnections = 4;
/** Connection limit of a region's server, shared by all databases on it. */
export interface DatabaseCapacity {
  /** Regions that the server serves. */
  readonly regions: readonly string[];
  /** Undefined until the server is asked for the first time. */
  readonly connections: number | undefined;
}
/** Address of a server for services. The same inside an instance, because the runtime forwards it. */
export interface DatabaseEndpoint {
  readonly host: string;
  readonly port: number;
  /** As in libpq. */
  readonly sslMode: string;
}
/** Access for the platform's own work in a database: backups, restores, metrics. Never give it to a service or store it. */
export interface DatabaseMaintenance extends DatabaseEndpoint {
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Owns all objects in the database. Run `set role` to it before creating anything. */
  readonly owner: string;
}
export interface DatabaseConnectionCount {
  readonly login: DatabaseLogin;
  /** `application_name` of the connections, by default the service's name. */
  readonly application: string;
  readonly count: number;
}
/**
 * `readOnly`: sessions begin read-only, but may switch to writing, to delete data. `closed`: no login can connect, so nothing can be written.
 * Closing is independent of `accept`: a database is reachable only if both allow it.
 */
export type WriteLevel = 'writable' | 'readOnly' | 'closed';
export interface ObservedDatabase {
  readonly sizeBytes: number;
  readonly isAccepting: boolean;
  readonly writes: WriteLevel;
  /** True if read-only logins own something. PostgreSQL lets every login create large objects. */
  readonly hasReaderObjects: boolean;
  readonly maxConnections: number;
  /** Logins with a password. */
  readonly logins: readonly DatabaseLogin[];
  /** Connections of services, without the platform's own. */
  readonly connections: readonly DatabaseConnectionCount[];
}

/** The server's statistics counters. They only grow, except for resets to zero. */
export interface DatabaseCounters {
  readonly database: string;
  readonly sizeBytes: number;
  /** Connections of services. */
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
  /** Without values: parameters are `$1`, `$2` …. */
  readonly text: string;
  readonly calls: number;
  readonly meanMs: number;
  readonly maxMs: number;
  readonly totalMs: number;
  readonly rows: number;
}
export interface StatementCounts {
  readonly since: Date | null;
  /** Time of all statements, including unlisted ones. */
  readonly totalMs: number;
  /** The statements with the most total time, in descending order. */
  readonly statements: readonly StatementCount[];
}

/**
 * Manages PostgreSQL databases of apps. Each has an owner role that cannot log in, and two logins that act as that role. A login can't do
 * more, reach another database, or grant access to others. Two further logins may read what the owner creates. All methods are idempotent.
 * They reject with `conflict`, and change nothing, for objects that somebody else created on the same server. They reject with `unavailable`
 * if the server does not answer.
 */
export interface Databases {
  readonly kind: 'embedded' | 'postgres';
  /** Regions with a server. */
  readonly regions: readonly string[];
  /** Version of the region's server: `17.6`. */
  version(region: string): Promise<string>;
  /** One probe for each region. Undefined if `version` says it all. */
  probes?(): readonly EngineProbe[] | undefined;
  /** Returns the address for services. Starts the embedded server if necessary. */
  endpoint(region: string): Promise<DatabaseEndpoint>;
  /** Creates the database and roles if missing, without passwords, sets the limits and accepts connections. */
  ensure(target: DatabaseTarget, limits: DatabaseLimits): Promise<void>;
  limit(target: DatabaseTarget, limits: DatabaseLimits): Promise<void>;
  /** Revokes role privileges that earlier versions granted beyond the database's contents. Other databases stay as they are. */
  secure(target: DatabaseTarget): Promise<void>;
  /** Does not query the server. */
  capacity(region: string): DatabaseCapacity;
  /** Creates the read-only logins if missing, without passwords, lets them read existing and later tables, and sets the limits. */
  admitReaders(target: DatabaseTarget, limits: DatabaseLimits): Promise<void>;
  /** Deletes everything that read-only logins own. */
  clearReaders(target: DatabaseTarget): Promise<void>;
  /** Sets the only password of a login. Open connections stay open. */
  openLogin(target: DatabaseTarget, login: DatabaseLogin, password: string): Promise<void>;
  /** Removes the password and closes the login's connections. */
  closeLogin(target: DatabaseTarget, login: DatabaseLogin): Promise<void>;
  /** Accepts or rejects connections of services. Rejecting also closes open ones. The data stays. */
  accept(target: DatabaseTarget, isAccepting: boolean): Promise<void>;
  /** Sets the level for new sessions and ends open ones. The contents' owner cannot lift `closed`. */
  restrictWrites(target: DatabaseTarget, level: WriteLevel): Promise<void>;
  /** Ends sessions of services whose transaction is older. A session can lift every timeout that a role sets. */
  endTransactions(target: DatabaseTarget, olderThanMs: number): Promise<void>;
  /** Undefined if the database does not exist. */
  observe(target: DatabaseTarget): Promise<ObservedDatabase | undefined>;
  /** Closes all connections and drops the database and its roles. */
  drop(target: DatabaseTarget): Promise<void>;
  /** Lists the names of all databases that this platform created on the region's server, including incomplete ones. */
  list(region: string): Promise<readonly string[]>;
  /** Rejects with `notFound` if the database does not exist. */
  maintenance(target: DatabaseTarget): Promise<DatabaseMaintenance>;
  /** Measures all databases of this platform on the region's server. */
  measure(region: string): Promise<readonly DatabaseCounters[]>;
  /** Undefined if the server does not collect statement statistics. */
  statements(target: DatabaseTarget): Promise<StatementCounts | undefined>;
  /** Throws if a server is unavailable. */
  check(): Promise<void>;
  close(): Promise<void>;
}
