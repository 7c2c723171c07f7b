/** The platform's own area: its settings, live changes, and readiness. */
import { appFacts } from '#modules/apps/index.ts';
import type { AreaContext, AreaOf } from '#modules/resources/index.ts';
import { EventHub } from './event-hub.ts';
import { platformRoutes, type PlatformOptions } from './platform.routes.ts';
import { unreadableCheck } from './unreadable.sql.ts';

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
  tracing = null,
}: AreaContext & PlatformOptions) => {
  const { db, pool } = database;
  const hub = new EventHub({ teamOf: async (app) => (await appFacts(db, app))?.teamId, log });
  const { disk, registry, signIn } = adapters;
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
    }),
    foundations: [{ start: () => hub.start(connection), stop: () => hub.close() }],
    checks: {
      database: () => pool.query('select 1').then(() => 'ok'),
      rows: () => unreadableCheck(db),
      disk: async () => ((await disk?.isShort()) ? 'low' : 'ok'),
    },
  };
};
