/** The area of the runtime: on workers, what makes the two match that is wanted and that runs. */
import { TraceTokens } from '#kernel/auth/trace-tokens.ts';
import type { AreaContext, Metric } from '#modules/resources/index.ts';
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
  const tokens = new TraceTokens(pool, keys);
  const reconciler = new Reconciler({
    db,
    connection,
    runtime,
    secrets: (revision) => resolveSecrets({ db, vault }, revision),
    traceToken: (revisionId) => tokens.tokenOf(revisionId),
    replica,
    fence,
    log,
    timings: runtimeTimings,
  });
  const ofWorker = {
    foundations: [
      { start: () => reconciler.start(), stop: ({ isRestart }: { isRestart: boolean }) => reconciler.stop({ isKept: isRestart }) },
    ],
    checks: { services: () => reconciler.check() },
    metrics: (): Metric[] => [
      {
        name: 'slipway_reconciler_passes_total',
        help: 'Comparisons of what runs with what should run, by how they ended. Only the replica that drives the runtime makes them.',
        type: 'counter',
        samples: Object.entries(reconciler.passes).map(([outcome, value]) => [{ outcome }, value]),
      },
      {
        name: 'slipway_edge_requests_total',
        help: 'Requests that the edge served for all services, by outcome. Counted every 15 seconds by the replica that drives the runtime.',
        type: 'counter',
        samples: [
          [{ outcome: 'ok' }, reconciler.served.requests - reconciler.served.errors5xx],
          [{ outcome: 'error' }, reconciler.served.errors5xx],
        ],
      },
    ],
    diagnosis: () => reconciler.diagnosis(true),
  };
  return { adapters: [runtime], ...(isWorker && ofWorker) };
};
