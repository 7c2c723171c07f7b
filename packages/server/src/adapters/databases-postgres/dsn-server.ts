/** A server that an administrator has, named by a DSN. Services reach it at the host that the DSN names. */
import type { DatabaseEndpoint } from '#ports/databases.ts';
import type { DatabaseServer, ServerLogin } from './database-server.ts';

const DEFAULT_PORT = 5432;
/** As libpq reads `sslmode`: only the last two look at who answers. */
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
