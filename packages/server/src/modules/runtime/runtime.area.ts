/** The area of the runtime: on workers, what makes the two match that is wanted and that runs. */
import type { AreaContext } from '#modules/resources/index.ts';
import { createVault, resolveSecrets } from '#modules/secret-groups/index.ts';
import { Reconciler, type ReconcilerTimings } from './reconciler.ts';

export interface RuntimeOptions {
  /** How often the leader measures, scales, scrapes, and looks at everything. */
  readonly runtimeTimings?: Partial<ReconcilerTimings>;
}

export const runtimeArea = (context: AreaContext & RuntimeOptions) => {
  const { database, connection, adapters, isWorker, replica, fence, log, runtimeTimings = {} } = context;
  const { db, pool } = database;
  const { keys, runtime } = adapters;
  const vault = createVault(pool, keys);
  const reconciler = new Reconciler({
    db,
    connection,
    runtime,
    secrets: (revision) => resolveSecrets({ db, vault }, revision),
    replica,
    fence,
    log,
    timings: runtimeTimings,
  });
  const ofWorker = {
    foundations: [
      { start: () => reconciler.start(), stop: ({ isRestart }: { isRestart: boolean }) => reconciler.stop({ isKept: isRestart }) },
    ],
    checks: { services: async () => (await reconciler.diagnosis()) ?? 'ok' },
    diagnosis: () => reconciler.diagnosis(true),
  };
  return { adapters: [runtime], ...(isWorker && ofWorker) };
};
