/** A PostgreSQL server that databases are made on. Where it comes from is another's business: embedded, or an administrator's. */
import type { DatabaseConfig } from '#db/database.ts';
import type { DatabaseEndpoint } from '#ports/databases.ts';

/** Of a role that may make databases and roles; a superuser need not be lent. */
export interface ServerLogin {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl?: DatabaseConfig['ssl'];
}
export interface DatabaseServer {
  /** Answers once the server can be asked, starting it where that is ours to do. Throws `unavailable`. */
  login(): Promise<ServerLogin>;
  endpoint(): Promise<DatabaseEndpoint>;
  /** Connections for all databases together, where that is known without asking the server. */
  readonly connections?: number;
  /** A role that every login becomes a member of, where the server lets in its members alone. */
  readonly admits?: string;
  close(): Promise<void>;
}
