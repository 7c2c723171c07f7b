/**
 * `slipway restore <file>`: restores an archive into an empty data directory and an empty database. All checks run before anything is
 * written. From then on both places have a mark that prevents servers from starting, until the restore is complete.
 */
import fs from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { requireGit } from '@slipway/git/git-program.ts';
import { withClient } from '#db/connections.ts';
import { startEmbeddedPostgres } from '#db/embedded-postgres.ts';
import { migrate } from '#db/migrator.ts';
import { reachDatabase } from '#db/reach-database.ts';
import type { Config } from '#kernel/config.ts';
import { prepareDataDirectory } from '#kernel/data-directory.ts';
import { StartError } from '#kernel/start-error.ts';
import { freeAllRuns } from '#modules/pipelines/index.ts';
import type { Log } from '#ports/log.ts';
import { readArchive } from './archive-reader.ts';
import { checkArchive, checkKeysApart, type ArchiveCheck } from './check-archive.ts';
import { MARK_TABLE, restoreMark } from './data-places.ts';
import { FilesWriter } from './restore-files.ts';
import { RowsWriter } from './restore-rows.ts';
import { checkDatabaseEmpty, checkDirectory, checkSpace } from './restore-target.ts';

export interface RestoreOptions {
  readonly file: string;
  readonly passphrase: () => Promise<string>;
  /** Contains the key files if they are not in the archive. */
  readonly keysDirectory: string | undefined;
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'diskFloorMegabytes'>;
  readonly log: Log;
}

export interface RestoreReport extends ArchiveCheck {
  /** Number of unfinished pipelines, which continue when the server starts. */
  readonly runs: number;
  /** Migrations that were applied to an older backup. */
  readonly migrated: readonly string[];
}

export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { file, config, log } = options;
  const { dataDir, databaseUrl } = config;
  await requireGit();
  checkDirectory(dataDir);
  if (databaseUrl !== undefined) {
    await reachDatabase(databaseUrl, log);
    await checkDatabaseEmpty({ connectionString: databaseUrl });
  }
  const checked = await checkArchive(file, options);
  const keys = await keysOf(checked, options);
  await checkSpace(config, checked);
  prepareDataDirectory(dataDir);
  mark(dataDir, file);
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
  const connection = embedded?.connection ?? { connectionString: databaseUrl };
  try {
    await withClient(connection, (client) => client.query(`create table ${MARK_TABLE} (since timestamptz not null default now())`));
    const known = new Set(checked.manifest.migrations.map(({ name }) => name));
    await migrate(connection, { log, only: known });
    await writeAll(file, { connection, dataDir, keys, checked });
    const migrated = await migrate(connection, { log });
    const runs = await withClient(connection, freeAllRuns);
    await withClient(connection, (client) => client.query(`drop table ${MARK_TABLE}`));
    await embedded?.stop();
    fs.rmSync(restoreMark(dataDir));
    return { ...checked, runs, migrated };
  } catch (error) {
    await embedded?.stop().catch(() => {});
    throw error;
  }
}

async function keysOf({ keys, manifest }: ArchiveCheck, { keysDirectory }: RestoreOptions): Promise<Readonly<Record<string, string>>> {
  if (keys) return keys;
  if (keysDirectory === undefined)
    throw new StartError('The keys are not in this backup: name the directory that holds them (a copy of `keys` of its time) with --keys');
  await checkKeysApart(manifest, keysDirectory);
  const names = fs.readdirSync(keysDirectory).filter((name) => /^[1-9]\d{0,8}\.key$/.test(name));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(keysDirectory, name), 'utf8')]));
}

function mark(dataDir: string, file: string): void {
  fs.writeFileSync(restoreMark(dataDir), `A restore of ${file} began at ${new Date().toISOString()} and has not ended.\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
}

interface Target {
  readonly connection: pg.ClientConfig;
  readonly dataDir: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly checked: ArchiveCheck;
}

/** Reads the archive and verifies its checksums a second time. Rows become visible last. */
async function writeAll(file: string, { connection, dataDir, keys, checked }: Target): Promise<void> {
  const files = new FilesWriter(dataDir);
  const rows = await RowsWriter.open(connection, checked.manifest.tables);
  try {
    await readArchive(file, {
      onManifest: (found) => {
        if (JSON.stringify(found) !== JSON.stringify(checked.manifest))
          throw new StartError(`${file} changed while it was read: restore again`);
      },
      onPart: async ({ place, bytes }) => {
        if (place.kind === 'rows') await rows.write(place.table, bytes);
        else if (place.kind === 'blob') await files.blob(place, bytes);
        else if (place.kind === 'repository') await files.repository(place, bytes);
      },
    });
    await files.keys(keys);
    files.finish();
    await rows.finish();
  } catch (error) {
    await rows.abandon();
    throw error;
  }
}
