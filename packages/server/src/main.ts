/** The program: reads the configuration, chooses adapters, listens, and closes in order. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { mkdirSync } from 'node:fs';
import { createApp } from '#app.ts';
import { openDatabase } from '#db/database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#db/embedded-postgres.ts';
import { migrate } from '#db/migrator.ts';
import { syncAdminToken } from '#kernel/auth/api-token.ts';
import { ConfigError, readConfig, type Config } from '#kernel/config.ts';
import { listenOnTwin, type LoopbackTwin } from '#kernel/http/loopback-twin.ts';
import { createLog } from '#kernel/log.ts';
import { mountGuide } from '#modules/guide/index.ts';
import { mountConsole, startHousekeeping } from '#modules/platform/index.ts';
import { chooseAdapters } from './choose-adapters.ts';
import { seedCatalogue, seedDemo } from './demo.ts';
import { printWelcome } from './welcome.ts';

const version = '0.1.0';
const consoleDirectory = resolve(import.meta.dirname, '../../console/dist');
const guideDirectory = resolve(import.meta.dirname, '../../../docs/guide');

const run = async (config: Config): Promise<void> => {
  const log = createLog(config.logLevel);
  /** Where the time of a start goes; milliseconds since the process began. */
  const mark = (phase: string) => log.debug({ phase, ms: Math.round(performance.now()) }, 'start');
  mark('modules loaded');
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const embedded: EmbeddedPostgres | undefined = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  const connection = embedded ? embedded.connection : { connectionString: config.databaseUrl };
  mark('database up');
  const database = openDatabase(connection, { log });
  await migrate(database.pool, { log });
  await syncAdminToken(database.pool, config.adminToken);
  await seedCatalogue(database.db);
  mark('migrated');
  const adapters = await chooseAdapters(config, database, log);
  mark('adapters chosen');
  const app = await createApp({
    database,
    connection,
    adapters,
    publicUrl: config.publicUrl,
    port: () => config.port,
    serviceUrl: `http://{service}.{app}.{env}.localhost:${config.ingressPort}`,
    trustedProxies: config.trustedProxies,
    roles: config.roles,
    mode: config.mode,
    replica: `${hostname()}:${config.port}`,
    version,
    log,
    beforeListen: async (server) => {
      await mountConsole(server, consoleDirectory, adapters.signIn.authority);
      mountGuide(server, guideDirectory);
    },
  });

  const stopHousekeeping = startHousekeeping({ db: database.db, log, pruneImages: adapters.pruneImages });
  let twin: LoopbackTwin | undefined;
  let isClosing = false;
  const close = async (code: number): Promise<void> => {
    if (isClosing) return;
    isClosing = true;
    // Whatever hangs must not keep the terminal.
    setTimeout(() => process.exit(code || 1), 20_000).unref();
    try {
      stopHousekeeping();
      twin?.close();
      await app.close();
      await adapters.close();
      await database.close();
      await embedded?.stop();
    } catch (error) {
      log.error({ err: error }, 'The platform did not close cleanly');
    }
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void close(0));
  void embedded?.exited.then(({ isExpected, detail }) => {
    if (isExpected) return;
    process.stderr.write(`The embedded database stopped: ${detail}\n`);
    void close(1);
  });

  mark('composed');
  await app.server.listen({ port: config.port, host: config.host });
  twin = await listenOnTwin(app.server.server);
  mark('listening');
  await app.start();
  mark('started');
  printWelcome(config, adapters.identity);
  void adapters.warm().catch((error: unknown) => log.warn({ err: error }, 'The base layer is not ready; the first build makes it'));
  if (config.isDemo)
    void seedDemo({ config, database, log }).catch((error: unknown) => log.warn({ err: error }, 'The demo apps could not be made'));
};

try {
  await run(readConfig(process.env));
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    process.stderr.write(`${message}\nAnother program listens there. Set PORT or SLIPWAY_INGRESS_PORT to a free port.\n`);
  else
    process.stderr.write(
      error instanceof ConfigError ? `${message}\n` : `${error instanceof Error ? (error.stack ?? message) : String(error)}\n`,
    );
  process.exit(1);
}
