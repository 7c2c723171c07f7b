/** An administrator's server, given by a DSN. Services reach it at the DSN's host. */
import type { DatabaseEndpoint } from '#ports/databases.ts';
import type { DatabaseServer, ServerLogin } from './database-server.ts';

const DEFAULT_PORT = 5432;
/** TLS settings for libpq's `sslmode`: only the last two verify the server. */
const TLS: Readonly<Record<string, ServerLogin['ssl']>> = {
  disable: false,
  require: { rejectUnauthorized: false },
  'verify-ca': { rejectUnauthorized: true, checkServerIdentity: () => undefined },
  'verify-full': { rejectUnauthorized: true },
};

export class DsnServer implements DatabaseServer {
  readonly #login: ServerLogin;
  readonly #endpoint: DatabaseEndpoint;

  constructor(dsn: string) {
    const { hostname: host, port: written, username, password, pathname, searchParams } = new URL(dsn);
    const port = Number(written || DEFAULT_PORT);
    const sslMode = searchParams.get('sslmode') ?? 'disable';
    const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
    this.#login = { host, port, user: decodeURIComponent(username), password: decodeURIComponent(password), database, ssl: TLS[sslMode] };
    this.#endpoint = { host, port, sslMode };
  }

  async login(): Promise<ServerLogin> {
    return this.#login;
  }

  async endpoint(): Promise<DatabaseEndpoint> {
    return this.#endpoint;
  }

  async close(): Promise<void> {}
}
