/** Unleash from npm, on a PostgreSQL of its own, with the same flags. It is installed once, outside of the repository. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../packages/foundation/src/log.ts';
import { startEmbeddedPostgres } from '../../engines/postgres/src/embedded-postgres.ts';
import type { FlagServer } from '../flags.ts';

const VERSION = '8.2.0';
const tokens = { admin: '*:*.bench-admin', backend: 'default:development.bench-backend', frontend: 'default:development.bench-frontend' };

const installed = (): string => {
  const directory = process.env['BENCH_UNLEASH'] ?? join(tmpdir(), `bench-unleash-${VERSION}`);
  if (!existsSync(join(directory, 'node_modules/unleash-server')))
    spawnSync('npm', ['install', '--no-save', '--prefix', directory, `unleash-server@${VERSION}`], { stdio: 'inherit' });
  return directory;
};

export const startUnleash = async (port: number, names: readonly string[]): Promise<FlagServer> => {
  const directory = installed();
  const data = mkdtempSync(join(tmpdir(), 'bench-unleash-data-'));
  const postgres = await startEmbeddedPostgres({ dataDir: data, log: createLog('silent') });
  const { user, password, host, port: databasePort, database } = postgres.connection;
  const program = `
    import { start } from 'unleash-server';
    start({
      db: ${JSON.stringify({ user, password, host, port: databasePort, database: database ?? 'postgres', ssl: false })},
      server: { port: ${port} }, rateLimiting: { sdkApiMaxPerMinute: 1e9, tokenAuthenticationMaxPerMinute: 1e9 }, logLevel: 'error', disableVersionCheck: true,
    }).then(() => console.log('ready'));`;
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    INIT_ADMIN_API_TOKENS: tokens.admin,
    INIT_BACKEND_API_TOKENS: tokens.backend,
    INIT_FRONTEND_API_TOKENS: tokens.frontend,
    CHECK_VERSION: 'false',
  };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((ready, failed) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => text.includes('ready') && ready());
    child.once('exit', (code) => failed(new Error(`Unleash ended with ${code}`)));
  });
  const call = async (path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/admin/projects/default/features${path}`, {
      method: 'POST',
      headers: { authorization: tokens.admin, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
  };
  for (const name of names) {
    await call('', { name, type: 'release' });
    await call(`/${name}/environments/development/strategies`, {
      name: 'flexibleRollout',
      parameters: { rollout: '50', stickiness: 'default', groupId: name },
    });
    await call(`/${name}/environments/development/on`);
  }
  return {
    name: 'Unleash',
    pid: child.pid ?? 0,
    fetch: { port, path: '/api/client/features', headers: { authorization: tokens.backend } },
    evaluate: { port, path: '/api/frontend?userId=ingrid', headers: { authorization: tokens.frontend } },
    stream: undefined,
    change: () => call(`/${names[0]}/environments/development/off`),
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
      await postgres.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
};
