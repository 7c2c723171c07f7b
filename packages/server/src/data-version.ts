/**
 * Records the newest version that has used a data directory and a database. An older version refuses to start with them, instead of failing
 * later with a confusing error.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Pool } from 'pg';
import * as z from 'zod/mini';
import { readMigrations } from '#db/migrator.ts';
import { StartError } from '#kernel/start-error.ts';
import { version } from './version.ts';

const FILE = 'version.json';
const UsedBy = z.object({ version: z.string(), migration: z.string() });
type UsedBy = z.infer<typeof UsedBy>;

/** The schema distinguishes builds of the same version. */
const ownVersion = (): UsedBy => ({ version, migration: readMigrations().at(-1)?.name ?? '' });
const numberOf = (migration: string): number => Number(migration.slice(0, 4));
const nameOf = ({ version: name, migration }: UsedBy): string => `Slipway ${name} (schema ${migration})`;

/** Runs before anything in the data directory changes. */
export const checkDataVersion = (dataDir: string): void => {
  const file = path.join(dataDir, FILE);
  if (fs.existsSync(file)) refuseOlder(`The data directory ${dataDir}`, UsedBy.parse(JSON.parse(fs.readFileSync(file, 'utf8'))));
};

/** Runs before the migrations, on a database that already has some. */
export const checkDatabaseVersion = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ name: string }>('select name from schema_migration order by number desc limit 1');
  const migration = rows[0]?.name;
  if (migration === undefined || numberOf(migration) <= numberOf(ownVersion().migration)) return;
  const { rows: known } = await pool.query<{ there: boolean }>(`select to_regclass('platform_state') is not null as there`);
  const recorded = known[0]?.there ? await pool.query<{ version: string }>('select version from platform_state') : undefined;
  refuseOlder('The database', { version: recorded?.rows[0]?.version ?? 'of a later version', migration });
};

const refuseOlder = (what: string, user: UsedBy): void => {
  const own = ownVersion();
  if (numberOf(user.migration) <= numberOf(own.migration)) return;
  throw new StartError(
    `${what} was used by ${nameOf(user)}, and this is the older ${nameOf(own)}: start the newer version, or restore a backup of this version into an empty directory and database.`,
  );
};

/** Runs after the migrations. */
export const markVersion = async (pool: Pool, dataDir: string, settings: object): Promise<void> => {
  const own = ownVersion();
  fs.writeFileSync(path.join(dataDir, FILE), `${JSON.stringify(own)}\n`, { mode: 0o600 });
  await pool.query(
    `insert into platform_state (version, migration, settings) values ($1, $2, $3)
     on conflict (id) do update set version = excluded.version, migration = excluded.migration`,
    [own.version, own.migration, settings],
  );
};
