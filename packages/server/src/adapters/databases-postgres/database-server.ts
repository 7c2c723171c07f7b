/** A PostgreSQL server on which databases are created: embedded, or provided by an administrator. */
import type { DatabaseConfig } from '#db/database.ts';
import type { DatabaseEndpoint } from '#ports/databases.ts';

/** Login of a role that may create databases and roles. It need not be a superuser. */
export interface ServerLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl?: DatabaseConfig['ssl'];
}
export interface DatabaseServer {
  /** Resolves when the server is ready. Starts an embedded server. Throws `unavailable`. */
  login(): Promise<ServerLogin>;
  endpoint(): Promise<DatabaseEndpoint>;
  /** Connections for all databases together, if known without asking the server. */
  readonly connections?: number;
  /** Group role that each login must join, if the server admits only its members. */
  readonly admits?: string;
  close(): Promise<void>;
}
