/** Checks the target of a restore before anything is written: empty data directory, empty database, enough space. */
import fs from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { withClient } from '#db/connections.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import type { Config } from '#kernel/config.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import { StartError } from '#kernel/start-error.ts';
import { MARK_TABLE, restoreMark } from './data-places.ts';

/** Directories that a new file system contains by itself. */
const NO_CONTENT = new Set(['lost+found']);
/** Rows with their indexes, and the write-ahead log of writing them. */
const ROWS_FACTOR = 3;
const CLUSTER_BYTES = 300 << 20;

export function checkDirectory(dataDir: string): void {
  const found = fs.existsSync(dataDir) ? fs.readdirSync(dataDir).filter((name) => !NO_CONTENT.has(name)) : [];
  if (found.length === 0) return;
  if (fs.existsSync(restoreMark(dataDir)))
    throw new StartError(
      `${dataDir} holds what an unfinished restore has left. Is none under way, remove everything in it${elsewhere(dataDir)}, and restore again.`,
    );
  if (isInUse(dataDir))
    throw new StartError(
      `Slipway runs on ${dataDir}. A restore wants an empty directory: stop it and move the directory away, or set SLIPWAY_DATA to another.`,
    );
  throw new StartError(
    `${dataDir} is not empty (${found.slice(0, 3).join(', ')}…). A restore never writes over anything: set SLIPWAY_DATA to an empty directory, or move this one away.`,
  );
}

/** Under root the database may be behind a symbolic link. */
function elsewhere(dataDir: string): string {
  const link = path.join(dataDir, 'pg');
  return fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? ` and the directory ${fs.readlinkSync(link)}` : '';
}

function isInUse(dataDir: string): boolean {
  return ['pg.lock', 'runtime.lock'].some((name) => {
    const file = path.join(dataDir, name);
    if (!fs.existsSync(file)) return false;
    const lock = tryLockFile(file);
    lock?.release();
    return lock === undefined;
  });
}

export async function checkDatabaseEmpty(connection: pg.ClientConfig): Promise<void> {
  await withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname !~ '^pg_' and nspname <> 'information_schema' and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
         and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') order by 1`,
    );
    const [first] = rows;
    if (rows.some(({ name }) => name.endsWith(`.${MARK_TABLE}`)))
      throw new StartError(
        'The database of DATABASE_URL holds what an unfinished restore has left: drop it, make it anew, and restore again.',
      );
    if (first)
      throw new StartError(
        `The database of DATABASE_URL is not empty (${first.name}). A restore never writes over anything: stop what uses it, and name an empty one.`,
      );
  });
}

export interface WantedSpace {
  readonly rowBytes: number;
  readonly fileBytes: number;
}

export async function checkSpace(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'diskFloorMegabytes'>,
  wanted: WantedSpace,
): Promise<void> {
  let directory = config.dataDir;
  while (!fs.existsSync(directory)) directory = path.dirname(directory);
  const floorBytes = config.diskFloorMegabytes === undefined ? undefined : config.diskFloorMegabytes * 1e6;
  const rows = config.databaseUrl === undefined ? wanted.rowBytes * ROWS_FACTOR + CLUSTER_BYTES : 0;
  const bytes = wanted.fileBytes + rows;
  if (await new DiskFloor({ directory, floorBytes }).isShort(bytes))
    throw new StartError(
      `The disk of ${directory} is too small: the restore needs ${Math.ceil(bytes / 1e6)} MB beside what is kept free. Free space, or set SLIPWAY_DATA to a directory on another disk.`,
    );
}
