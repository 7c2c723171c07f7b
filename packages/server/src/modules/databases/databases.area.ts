/** The databases area: routes, pipelines, and the background watcher. */
import { databaseOptionsView } from '@slipway/contract/database/database.ts';
import { Region } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { resourceModule, type AreaContext, type WatchTimings } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import type { Databases } from '#ports/databases.ts';
import { isPortFailure } from '#ports/failure.ts';
import { BackupFiles } from './backups/backup-files.ts';
import { backupParts } from './backups/backup-parts.ts';
import { BackupRunner } from './backups/backup-runner.ts';
import { lastBackupStep } from './backups/last-backup-step.ts';
import { restoreStep } from './backups/restore-step.ts';
import { databaseEntity } from './database-entity.ts';
import { connectionsLeft } from './database-rows.ts';
import { databasePipelines } from './database-pipelines.ts';
import { databaseWrites } from './own-writes.ts';
import { databaseWatcher } from './watcher.ts';

export interface DatabaseOptions {
  /** Override for tests. */
  readonly databaseTimings?: Partial<WatchTimings>;
}

const optionsRoute = (db: Db, databases: Databases): Handler =>
  handle(databaseOptionsView, async () => ({
    regions: await mapLimited(databases.regions, async (region) => ({
      region: Region.parse(region),
      engineVersion: await databases.version(region).catch((error: unknown) => {
        if (isPortFailure(error)) return null;
        throw error;
      }),
      connectionsLeft: (await connectionsLeft(db, databases, region)) ?? null,
    })),
  }));

/**
 * Reports `low` when the database server is down: a replica still serves, but an operator should look. The embedded server does not run
 * before the first database exists.
 */
const readiness = async (db: Db, databases: Databases): Promise<string> => {
  const isNeeded = databases.kind !== 'embedded' || (await db.selectFrom('database').select('id').limit(1).executeTakeFirst());
  if (!isNeeded) return 'ok';
  return databases.check().then(
    () => 'ok',
    () => 'low',
  );
};

export const databaseArea = (context: AreaContext & DatabaseOptions) => {
  const { database, engine, adapters, version, log, databaseTimings } = context;
  const { db, pool } = database;
  const { databases, keys } = adapters;
  const deps = { db, databases, vault: createVault(pool, keys) };
  const files = new BackupFiles(adapters.backups);
  const runner = new BackupRunner({ db, pool, databases, files, version, log });
  const entity = databaseEntity(deps, { fill: restoreStep({ ...deps, files }), keep: lastBackupStep(deps, () => runner.wake()) });
  const area = resourceModule({ db, engine }, entity);
  const pipelines = databasePipelines(deps, entity);
  const backups = backupParts(context, { files, runner, entity, deps: area.deps });
  const watcher = databaseWatcher(deps, log, databaseTimings);
  const start = (): void => {
    watcher.start();
    // Prepares this replica to take over an embedded server that another replica runs.
    void readiness(db, databases).catch(() => {});
  };
  return {
    routes: [...area.routes, ...databaseWrites({ db, engine, entity, pipelines }), optionsRoute(db, databases), ...backups.routes],
    pipelines: [...area.pipelines, ...Object.values(pipelines)],
    adapters: [databases],
    tasks: [{ start, stop: () => watcher.stop() }, ...backups.tasks],
    checks: { databases: () => readiness(db, databases) },
  };
};
