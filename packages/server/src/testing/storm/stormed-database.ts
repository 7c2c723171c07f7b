/** A database of an app under the storm: its owner writes rows with a client of his own, and every acknowledged row must stay. */
import { join } from 'node:path';
import pg from 'pg';
import { databaseCreate, databaseGroupName } from '@slipway/contract/database/database.ts';
import { secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { runningConnection } from '#db/embedded-postgres.ts';
import type { Checked } from './row-checks.ts';
import { environment } from './storm-apps.ts';
import type { StormClient } from './storm-client.ts';
import type { StormPlace } from './stormed-platform.ts';

const NAME = 'ledger';
const AT_ONCE = 20;
const databasesDir = ({ dataDir }: StormPlace): string => join(dataDir, 'databases');
const settings = { storageGb: 32, maxConnections: 20, backupRetentionDays: 7, plan: 'BURSTABLE_1', region: 'WESTEUROPE' };

interface Login {
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

export class StormedDatabase {
  readonly #client: StormClient;
  readonly #app: string;
  #login: Login | undefined;
  #owner: pg.Client | undefined;
  #count = 0;

  constructor(client: StormClient, app: string) {
    this.#client = client;
    this.#app = app;
  }

  /** Creates the database and its table. Called before any kill; `reader` is a token that may reveal secrets of the app. */
  async furnish(reader: string): Promise<void> {
    const params = { app: this.#app, env: environment };
    const body = { ...settings, name: NAME, displayName: 'Ledger', attachTo: [] };
    const about = { app: this.#app, type: 'CreateDatabase', subject: `database:${this.#app}/${environment}/${NAME}` };
    const { entry } = await this.#client.write('database', databaseCreate, { params, body }, about);
    if ((await this.#client.ended(entry)) !== 'COMPLETED') throw new Error(`The database could not be created: ${JSON.stringify(entry)}`);
    const valueOf = async (key: string): Promise<string> => {
      const group = databaseGroupName(this.#app, NAME);
      const asked = { params: { ...params, group }, body: { key, version: 1, reason: 'The storm writes rows' } };
      const answer = await this.#client.call(secretReveal, asked, reader);
      if (answer.status !== 200) throw new Error(`${key} could not be revealed: ${JSON.stringify(answer.body)}`);
      return (answer.body as { value: string }).value;
    };
    const [port, database, user, password] = [
      Number(await valueOf('DB_PORT')),
      await valueOf('DB_NAME'),
      await valueOf('DB_USER'),
      await valueOf('DB_PASSWORD'),
    ];
    this.#login = { port, database, user, password };
    await (await this.#connected()).query('create table entry (name text primary key)');
  }

  /** Inserts rows one by one, each in a transaction of its own, until one is not acknowledged. */
  async rows(): Promise<void> {
    for (let written = 0; written < AT_ONCE; written += 1) {
      this.#count += 1;
      const name = `row-${this.#count}`;
      const { fate } = await this.#client.note('row', { app: this.#app, name }, async () => {
        await (await this.#connected()).query('insert into entry values ($1)', [name]);
        return {};
      });
      if (fate !== 'acknowledged') return this.#forget();
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#owner) return this.#owner;
    // As a program on this machine does: the server's socket admits the platform alone.
    const client = new pg.Client({ host: '127.0.0.1', ...this.#login, connectionTimeoutMillis: 5000, query_timeout: 10_000 });
    // A broken connection fails the query that meets it.
    client.on('error', () => undefined);
    await client.connect();
    this.#owner = client;
    return client;
  }

  #forget(): void {
    void this.#owner?.end().catch(() => undefined);
    this.#owner = undefined;
  }
}

/** Names every acknowledged row that the database no longer has. */
export const databaseRowChecks = async ({ platform, journal }: Checked): Promise<string[]> => {
  const [found] = await platform.rows<{ name: string }>(`select server_name as name from database where name = '${NAME}'`);
  const client = new pg.Client(runningConnection(databasesDir(platform.place), found?.name));
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select name from entry');
    const there = new Set(rows.map(({ name }) => name));
    return journal
      .of('row', 'acknowledged')
      .flatMap(({ name = '' }) => (there.has(name) ? [] : [`The row ${name} was acknowledged and is not in its database`]));
  } finally {
    await client.end();
  }
};
