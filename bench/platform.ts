/** The real program for a bench: started on an empty data directory, called over HTTP, stopped at the end. BENCH_PORT (4700) and 80 above it must be free. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processorMs } from './compare/processor-time.ts';

export const token = 'bench-token-of-at-least-forty-characters';
const ownRoot = resolve(import.meta.dirname, '..');

export interface Platform {
  readonly url: string;
  readonly pid: number;
  readonly ingressPort: number;
  readonly dataDir: string;
  /** Milliseconds from the spawn to the line that says ready. */
  readonly readyMs: number;
  /** Processor milliseconds that the platform and its descendant processes used until it was ready. */
  readonly readyProcessorMs: number;
  /** Returns the processor milliseconds that the platform and its descendant processes have used so far. */
  processorMs(): number;
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Waits for a pipeline's end; throws when it did not complete. */
  completed(pipelineId: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface PlatformOptions {
  readonly port?: number;
  readonly dataDir?: string;
  /** Another checkout's server, to compare with. */
  readonly checkout?: string;
  /** Settings besides those of every bench. */
  readonly env?: Readonly<Record<string, string>>;
}

export const startPlatform = async ({
  port = Number(process.env['BENCH_PORT'] ?? 4700),
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-bench-')),
  checkout = ownRoot,
  env: more = {},
}: PlatformOptions = {}): Promise<Platform> => {
  const url = `http://localhost:${port}`;
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    SLIPWAY_INGRESS_PORT: String(port + 80),
    SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(port + 85),
    SLIPWAY_KAFKA_PORT_PRODUCTION: String(port + 86),
    SLIPWAY_DATA: dataDir,
    SLIPWAY_DEMO: 'off',
    SLIPWAY_ADMIN_TOKEN: token,
    ...more,
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['packages/server/src/start.ts'], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  await new Promise<void>((ready, failed) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('is ready')) ready();
    });
    child.once('exit', (code) => failed(new Error(`The server ended with ${code}: ${output}`)));
  });
  const readyMs = performance.now() - startedAt;
  const used = (): number => processorMs(child.pid ?? 0);
  const readyProcessorMs = used();
  const call: Platform['call'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    url,
    pid: child.pid ?? 0,
    ingressPort: port + 80,
    dataDir,
    readyMs,
    readyProcessorMs,
    processorMs: used,
    call,
    completed: async (pipelineId) => {
      for (;;) {
        const run = (await call('GET', `/api/v1/pipelines/${pipelineId}`)) as { status: { state: string }; statusMessage: string | null };
        if (run.status.state === 'COMPLETED') return;
        if (run.status.state === 'FAILED' || run.status.state === 'CANCELED')
          throw new Error(`The pipeline ended ${run.status.state}: ${run.statusMessage}`);
        await delay(20);
      }
    },
    stop: async (signal = 'SIGTERM') => {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill(signal);
      await ended;
      if (signal !== 'SIGTERM') return;
      // As root the database lies elsewhere, behind a link; with a database of another's there is none.
      const database = join(dataDir, 'pg');
      for (const path of [...(existsSync(database) ? [realpathSync(database)] : []), dataDir])
        rmSync(path, { recursive: true, force: true });
    },
  };
};

export const makeTeam = async (platform: Platform): Promise<void> => {
  const team = { id: 'bench', displayName: 'Bench', ownerIds: ['platform-automation'] };
  const { pipelineId } = await platform.call('POST', '/api/team-service/teams/v2', team);
  await platform.completed(String(pipelineId));
};

/** Makes an app from a template; answers milliseconds until its URL answered 200. */
export const makeApp = async (platform: Platform, id: string): Promise<number> => {
  const startedAt = performance.now();
  const run = await platform.call('POST', '/api/v1/quickstart/applications', { id, teamId: 'bench', template: 'node-http-api' });
  await platform.completed(String(run['pipelineId']));
  const status = await ask(platform, id);
  if (status !== 200) throw new Error(`The service answered ${status}`);
  return performance.now() - startedAt;
};

const agents = new Map<number, http.Agent>();
/** One request through the edge; 0 when it failed on the way. */
export const ask = (platform: Platform, app: string, path = '/healthz'): Promise<number> => {
  const agent = agents.get(platform.ingressPort) ?? new http.Agent({ keepAlive: true });
  agents.set(platform.ingressPort, agent);
  return new Promise((answered) => {
    const host = `${app}.${app}.development.localhost:${platform.ingressPort}`;
    http
      .get({ agent, host: '127.0.0.1', port: platform.ingressPort, path, headers: { host } }, (answer) => {
        answer.resume();
        answer.once('end', () => answered(answer.statusCode ?? 0));
      })
      .on('error', () => answered(0));
  });
};
