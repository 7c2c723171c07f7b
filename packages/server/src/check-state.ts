/**
 * Refuses to start with incomplete data: files without their database, or a database without its files. Both result from a partial restore,
 * and the platform would run as if nothing were missing. Runs before anything is written.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Pool } from 'pg';
import { isDatabaseThere } from '#db/embedded-directory.ts';
import { StartError } from '#kernel/start-error.ts';
import { MARK_TABLE, restoreMark } from './backup/data-places.ts';
import { checkDatabaseVersion } from './data-version.ts';

const RECIPE = 'See docs/recipes/back-up-and-restore.md.';
const RESTORE = 'restore the whole backup into an empty directory with `npx slipway restore <file>`';

const entries = (...parts: string[]): string[] => {
  const directory = path.join(...parts);
  return fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? fs.readdirSync(directory) : [];
};

/** Lists files that are useless without the database. */
const filesOf = (dataDir: string): string[] => {
  const hasKeys = entries(dataDir, 'keys').some((name) => name.endsWith('.key'));
  const hasRepositories = entries(dataDir, 'git').some((owner) => entries(dataDir, 'git', owner).some((name) => name.endsWith('.git')));
  const hasBlobs = entries(dataDir, 'registry', 'blobs').some((kind) => entries(dataDir, 'registry', 'blobs', kind).length > 0);
  return [...(hasKeys ? ['keys'] : []), ...(hasRepositories ? ['git (repositories)'] : []), ...(hasBlobs ? ['registry (images)'] : [])];
};

const refuseBesideNewDatabase = (dataDir: string, what: string, remedy: string): void => {
  const files = filesOf(dataDir);
  if (files.length === 0) return;
  throw new StartError(
    `${what}, but ${dataDir} holds ${files.join(', ')} of an earlier one. ${remedy}; or move them away and ${RESTORE}; or begin anew with SLIPWAY_DATA set to an empty directory. ${RECIPE}`,
  );
};

/** Runs before anything is created. A partially restored backup looks like a platform. */
export const checkRestoreEnded = (dataDir: string): void => {
  if (!fs.existsSync(restoreMark(dataDir))) return;
  throw new StartError(
    `A restore into ${dataDir} has not come to its end. Where none is under way, empty that directory and ${RESTORE}. ${RECIPE}`,
  );
};

/** Runs before the embedded PostgreSQL creates its cluster. */
export const checkBeforeEmbedded = (dataDir: string): void => {
  if (isDatabaseThere(dataDir)) return;
  refuseBesideNewDatabase(dataDir, 'There is no database yet', `Restore ${path.join(dataDir, 'pg')}`);
};

/** Runs before the migrations. */
export const checkDatabase = async (pool: Pool, dataDir: string): Promise<void> => {
  const isThere = async (table: string): Promise<boolean> =>
    (await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table])).rows[0]?.there === true;
  const has = async (table: string, rows: string): Promise<boolean> =>
    (await isThere(table)) && (await pool.query(`${rows} limit 1`)).rowCount === 1;
  if (await isThere(MARK_TABLE))
    throw new StartError(
      `A restore into this database has not come to its end. Where none is under way, drop the database, make it anew, and ${RESTORE}. ${RECIPE}`,
    );
  if (!(await isThere('schema_migration')))
    return refuseBesideNewDatabase(dataDir, 'The database is empty', 'Restore the database that belongs to them');
  await checkDatabaseVersion(pool);
  const missing = await missingKeys(pool, dataDir, await isThere('platform_key'));
  if (missing.length > 0)
    throw new StartError(
      `The database needs ${missing.join(', ')} in ${path.join(dataDir, 'keys')}, which protects what it holds. Restore that directory from the backup of the same time, or ${RESTORE}. ${RECIPE}`,
    );
  const built = 'select from revision join service on service.id = revision.service_id where service.repository_name is not null';
  const lost = [
    ...((await has('revision', built)) && !fs.existsSync(path.join(dataDir, 'git')) ? ['git'] : []),
    ...((await has('registry_manifest_blob', 'select from registry_manifest_blob')) &&
    !fs.existsSync(path.join(dataDir, 'registry', 'blobs'))
      ? ['registry/blobs']
      : []),
  ];
  if (lost.length > 0)
    throw new StartError(
      `The database knows repositories or images that are not there: ${lost.map((name) => path.join(dataDir, name)).join(' and ')} is missing. Restore it from the backup, or ${RESTORE}; where it is lost for good, make it as an empty directory. ${RECIPE}`,
    );
};

/** Checks file names only. A file with a wrong key is detected when it is used. */
const missingKeys = async (pool: Pool, dataDir: string, isThere: boolean): Promise<string[]> => {
  if (!isThere) return [];
  const { rows } = await pool.query<{ kid: string }>('select distinct kid from platform_key order by kid');
  const kept = new Set(entries(dataDir, 'keys'));
  const files = rows.flatMap(({ kid }) => /^file-(\d+)-/.exec(kid)?.[1] ?? []).map((version) => `${version}.key`);
  return files.filter((file) => !kept.has(file));
};
