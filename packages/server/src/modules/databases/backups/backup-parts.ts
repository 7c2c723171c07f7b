/** The parts that backups and metrics add to the databases area. */
import type { AnyEntity, AreaContext } from '#modules/resources/index.ts';
import { FiguresRecorder } from '../figures/figures-recorder.ts';
import { figuresRoutes } from '../figures/figures.routes.ts';
import type { BackupFiles } from './backup-files.ts';
import type { BackupRunner } from './backup-runner.ts';
import { backupRoutes } from './backups.routes.ts';
import { restorationRoute, type RestorationDeps } from './restorations.ts';

interface BackupDeps {
  readonly files: BackupFiles;
  readonly runner: BackupRunner;
  readonly entity: AnyEntity;
  readonly deps: RestorationDeps;
}

export const backupParts = (
  { database: { db }, adapters: { databases }, log }: AreaContext,
  { files, runner, entity, deps }: BackupDeps,
) => ({
  routes: [...backupRoutes(db, files, () => runner.wake()), restorationRoute(deps, entity), ...figuresRoutes(db, databases)],
  tasks: [runner, new FiguresRecorder({ db, databases, log })],
});
