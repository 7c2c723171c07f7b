/** Runs the platform: migrates the database, chooses adapters, listens, and shuts down in order. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { AgentProcess } from '@slipway/runtime/local/agent/agent-process.ts';
import type { Sandbox } from '@slipway/runtime/sandbox/sandbox.ts';
import { createApp, type AppOptions } from '#app.ts';
import { openDatabase, type DatabaseConfig } from '#db/database.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import { migrate } from '#db/migrator.ts';
import { syncAdminToken } from '#kernel/auth/api-token.ts';
import type { Config } from '#kernel/config.ts';
import { listenOnAlias, type LoopbackAlias } from '#kernel/http/loopback-alias.ts';
import type { Telemetry } from '#kernel/telemetry/open-telemetry.ts';
import { spanMetrics } from '#kernel/telemetry/span-metrics.ts';
import { mountGuide } from '#modules/guide/index.ts';
import { keptScriptOrigins, mountConsole, startHousekeeping } from '#modules/platform/index.ts';
import { checkDatabase } from './check-state.ts';
import { chooseAdapters } from './choose-adapters.ts';
import { markVersion } from './data-version.ts';
import { seedCatalog, seedDemo } from './demo.ts';
import { onEnd } from './end-signals.ts';
import { agreeOnSettings, sharedSettings } from './shared-settings.ts';
import { version } from './version.ts';
import { printWelcome } from './welcome.ts';

const consoleDirectory = resolve(import.meta.dirname, '../../console/dist');
const guideDirectory = resolve(import.meta.dirname, '../../../docs/guide');

/** Loads OpenTelemetry only if a collector is configured. */
const openTelemetry = async ({ telemetry }: Config, log: Logger): Promise<Telemetry | undefined> =>
  telemetry && (await import('#kernel/telemetry/open-telemetry.ts')).startTelemetry(telemetry, { version, log });

/** Returns undefined unless the export of metrics is configured. */
const metricExport = async ({ telemetry }: Config, log: Logger): Promise<AppOptions['exportMetrics']> => {
  if (!telemetry?.metrics) return undefined;
  const { metrics } = telemetry;
  const { startMetricExport } = await import('#kernel/telemetry/metric-export.ts');
  return (read) => startMetricExport(telemetry, metrics, { version, log, read });
};

/** Components that were started while this file was loading. */
export interface Started {
  readonly config: Config;
  readonly connection: DatabaseConfig;
  readonly agent: AgentProcess;
  readonly sandbox: Promise<Sandbox>;
  readonly stopDatabase: () => Promise<void>;
  readonly mark: (phase: string) => void;
  readonly log: Logger;
}

export const runPlatform = async ({ config, connection, agent, sandbox, stopDatabase, mark, log }: Started): Promise<void> => {
  const telemetry = await openTelemetry(config, log);
  const exportMetrics = await metricExport(config, log);
  const database = openDatabase(connection, { log });
  await checkDatabase(database.pool, config.dataDir);
  await migrate(database.pool, { log });
  const settings = sharedSettings(config);
  await markVersion(database.pool, config.dataDir, settings);
  const replicas = await agreeOnSettings(connection, settings, log);
  await syncAdminToken(database.pool, config.adminToken);
  await seedCatalog(database.db);
  mark('migrated');
  const adapters = await chooseAdapters({ config, database, agent, sandbox, log });
  mark('adapters chosen');
  const app = await createApp({
    database,
    connection,
    adapters,
    publicUrl: config.publicUrl,
    port: () => config.port,
    streamingLinks: config.streamingLinks,
    ...(config.consoleMonitor && { consoleMonitor: config.consoleMonitor }),
    ...(config.serviceCollector && { traces: { collector: config.serviceCollector } }),
    tracing: config.telemetry ? { url: config.traceUrl ?? null } : null,
    ...(exportMetrics && { exportMetrics }),
    ...(telemetry && { telemetryMetrics: () => spanMetrics(telemetry.counts) }),
    serviceUrl: `http://{service}.{app}.{env}.localhost:${config.ingressPort}`,
    flagsClientKey: config.flagsClientKey,
    trustedProxies: config.trustedProxies,
    roles: config.roles,
    mode: config.mode,
    replica: `${hostname()}:${config.port}`,
    fence: () => tryLockFile(resolve(config.dataDir, 'runtime.lock')),
    version,
    log,
    beforeListen: async (server) => {
      await mountConsole(server, consoleDirectory, adapters.signIn.authority, keptScriptOrigins(database.db));
      mountGuide(server, guideDirectory);
    },
  });

  const stopHousekeeping = startHousekeeping({ db: database.db, log, pruneImages: adapters.pruneImages });
  let alias: LoopbackAlias | undefined;
  let isClosing = false;
  const close = async (code: number, how: { readonly isRestart: boolean }): Promise<void> => {
    if (isClosing) return;
    isClosing = true;
    // Forces the exit, so that a hanging shutdown does not block the terminal.
    setTimeout(() => process.exit(code || 1), 20_000).unref();
    try {
      stopHousekeeping();
      alias?.close();
      await app.close(how);
      await adapters.close();
      await replicas.stop();
      await database.close();
      await telemetry?.close();
      await stopDatabase();
    } catch (error) {
      log.error({ err: error }, 'The platform did not close cleanly');
    }
    process.exit(code);
  };
  onEnd((signal) => {
    // Service managers send the same signal for a stop, a restart and an upgrade.
    const isRestart = signal === 'SIGTERM' && config.mode === 'production' && config.runtimeGraceSeconds > 0;
    void close(0, { isRestart });
  });

  mark('composed');
  await app.server.listen({ port: config.port, host: config.host });
  alias = await listenOnAlias(app.server.server);
  mark('listening');
  await app.start();
  mark('started');
  const diagnosis = await app.servicesDiagnosis();
  mark('services decided');
  printWelcome(config, adapters.identity, diagnosis);
  void adapters.warm().catch((error: unknown) => log.warn({ err: error }, 'The base layer is not ready; the first build makes it'));
  if (config.isDemo)
    void seedDemo({ config, database, log }).catch((error: unknown) => log.warn({ err: error }, 'The demo apps could not be made'));
};
