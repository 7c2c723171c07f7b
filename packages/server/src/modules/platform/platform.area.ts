/** The platform's own area: its settings, live changes, and readiness. */
import { appFacts } from '#modules/apps/index.ts';
import type { AreaContext, AreaOf } from '#modules/resources/index.ts';
import { EventHub } from './event-hub.ts';
import { metricsReader, platformRoutes, type PlatformOptions } from './platform.routes.ts';
import { unreadableCheck } from './unreadable.sql.ts';

import { operations } from './operations/operations.ts';
import { probedEngines } from './operations/engine-probes.ts';
import { EngineWatch } from './operations/engine-watch.ts';
import { ReplicaHeartbeat } from './operations/replicas.ts';

/** Ends before the database closes, because the last export reads from it. */
const metricExport = (begin: NonNullable<PlatformOptions['exportMetrics']>, read: Parameters<typeof begin>[0]) => {
  let end: (() => Promise<void>) | undefined;
  return { start: () => void (end = begin(read)), stop: async () => end?.() };
};

export const platformArea: AreaOf = ({
  database,
  connection,
  adapters,
  checks,
  metrics,
  log,
  mode,
  publicUrl,
  serviceUrl,
  flagsClientKey,
  version,
  consoleMonitor,
  replica,
  isWorker,
  tracing = null,
  exportMetrics,
}: AreaContext & PlatformOptions) => {
  const { db, pool } = database;
  const hub = new EventHub({ teamOf: async (app) => (await appFacts(db, app))?.teamId, log });
  const { disk, keys, registry, signIn } = adapters;
  const engines = probedEngines({ database, adapters, checks });
  const watch = new EngineWatch(engines);
  const heartbeat = new ReplicaHeartbeat(db, { name: replica, version, roles: isWorker ? ['api', 'worker'] : ['api'] }, log);
  const readMetrics = metricsReader({ db, database, hub, checks, metrics });
  return {
    routes: platformRoutes({
      db,
      database,
      hub,
      publicUrl,
      signIn,
      registryHost: registry.host,
      serviceUrl,
      flagsClientKey,
      mode,
      version,
      consoleMonitor,
      tracing,
      checks,
      metrics,
      readMetrics,
      operations: (caller) => operations({ db, version, keys, engines, watch, replica: heartbeat.id }, caller),
    }),
    foundations: [
      { start: () => hub.start(connection), stop: () => hub.close() },
      heartbeat,
      watch,
      ...(exportMetrics ? [metricExport(exportMetrics, () => readMetrics(log))] : []),
    ],
    checks: {
      database: () => pool.query('select 1').then(() => 'ok'),
      rows: () => unreadableCheck(db),
      disk: async () => ((await disk?.isShort()) ? 'low' : 'ok'),
    },
  };
};
