/**
 * The program: reads the configuration and starts slow components in parallel: the node agent, the database, and sandbox detection.
 * Meanwhile it loads the platform's own code.
 */
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { agentProgram, AgentProcess } from '@slipway/runtime/local/agent/agent-process.ts';
import { agentSocket } from '@slipway/runtime/local/agent/agent-socket.ts';
import { requireGit } from '@slipway/git/git-program.ts';
import type { DatabaseConfig } from '#db/database.ts';
import { startEmbeddedPostgres } from '#db/embedded-postgres.ts';
import { reachDatabase } from '#db/reach-database.ts';
import { loadConfig } from '#kernel/config/load-config.ts';
import type { Config } from '#kernel/config.ts';
import { prepareDataDirectory } from '#kernel/data-directory.ts';
import { createLog } from '#kernel/log.ts';
import type { Log } from '#ports/log.ts';
import { checkBeforeEmbedded, checkRestoreEnded } from './check-state.ts';
import { chooseSandbox } from './choose-sandbox.ts';
import { splitConfigFile } from './config-file-option.ts';
import { checkDataVersion } from './data-version.ts';
import { watchEndSignals } from './end-signals.ts';
import { startFailure } from './start-failure.ts';

interface StartedDatabase {
  readonly connection: DatabaseConfig;
  readonly stopDatabase: () => Promise<void>;
}

const startDatabase = async ({ databaseUrl, dataDir }: Config, log: Log): Promise<StartedDatabase> => {
  if (databaseUrl) {
    await reachDatabase(databaseUrl, log);
    return { connection: { connectionString: databaseUrl }, stopDatabase: async () => {} };
  }
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, log });
  return { connection, stopDatabase: stop };
};

const run = async (config: Config): Promise<void> => {
  const log = createLog(config.logLevel);
  /** Logs the start's phases, in milliseconds since the process began. */
  const mark = (phase: string) => log.debug({ phase, ms: Math.round(performance.now()) }, 'start');
  await requireGit();
  mark('git found');
  prepareDataDirectory(config.dataDir);
  checkRestoreEnded(config.dataDir);
  checkDataVersion(config.dataDir);
  if (!config.databaseUrl) checkBeforeEmbedded(config.dataDir);
  const runtimeDirectory = resolve(config.dataDir, 'runtime');
  const hasRun = existsSync(runtimeDirectory);
  const agent = new AgentProcess({
    entry: agentProgram,
    dataDir: runtimeDirectory,
    socket: agentSocket(config.dataDir),
    log,
    passLog: (text) => process.stderr.write(text),
  });
  // Only a worker uses the runtime, and clusters need no agent.
  if (config.roles.has('worker') && config.runtime.kind === 'embedded') agent.start();
  mark('node agent started');
  const database = startDatabase(config, log).finally(() => mark('database up'));
  const sandbox = chooseSandbox(config);
  // The first code that awaits it handles the error.
  sandbox.catch(() => {});
  const loading = import('./run-platform.ts').finally(() => mark('modules loaded'));
  try {
    const [{ runPlatform }, started] = await Promise.all([loading, database]);
    await runPlatform({ config, agent, sandbox, mark, log, ...started });
  } catch (error) {
    // A failed start leaves no new files, except those of another server that started meanwhile.
    await agent.abandon();
    if (!hasRun && agent.pid === undefined) rmSync(runtimeDirectory, { recursive: true, force: true });
    throw error;
  }
};

watchEndSignals();
try {
  const { search } = splitConfigFile(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd());
  await run(await loadConfig(process.env, search));
} catch (error) {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
}
