/** The real program as a child process: what only a process can show (signals, kill -9, what is left behind). */
import { spawn, type ChildProcess } from 'node:child_process';
import { realpath, rm } from 'node:fs/promises';
import http from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { pathOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

export const programToken = 'program-test-token-of-forty-characters!!';
/** Without a grace nothing is left of a program that a test has killed. */
const ENVIRONMENT = { SLIPWAY_DEMO: 'off', SLIPWAY_ADMIN_TOKEN: programToken, SLIPWAY_RUNTIME_GRACE_SECONDS: '0' };
const entry = resolve(import.meta.dirname, '../start.ts');
/** Options of Node that `npm start` uses, too. */
const nodeOptions = ['--max-semi-space-size=16'];

interface Command {
  readonly command: readonly string[];
  readonly cwd?: string;
}
/** Starts the program with a limit of open files for each of its processes. */
export const withFileLimit = (limit: number): Command => ({
  command: ['/bin/sh', '-c', 'ulimit -n "$0" && exec "$@"', String(limit), process.execPath, ...nodeOptions, entry],
});

export class Program {
  readonly port: number;
  readonly child: ChildProcess;
  /** Everything it printed. */
  output = '';

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.child = child;
  }

  /** Resolves when it says that it is ready; rejects with its output when it ends before. Nothing of this process's environment is inherited. */
  static async start(port: number, env: Readonly<Record<string, string>>, how: string | Command = entry): Promise<Program> {
    const { command, cwd }: Command = typeof how === 'string' ? { command: [process.execPath, ...nodeOptions, how] } : how;
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      cwd,
      env: { ...ENVIRONMENT, PATH: process.env['PATH'], PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new Program(port, child);
    await new Promise<void>((ready, failed) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          started.output += text;
          if (started.output.includes('Slipway is ready')) ready();
        });
      }
      child.once('exit', (code) => failed(new Error(`The program ended with ${code}: ${started.output}`)));
    });
    return started;
  }

  /** Answers the exit code; null when the signal itself ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    child.kill(signal);
    return ended;
  }

  async call(route: RouteShape, options: { params?: Record<string, string>; body?: unknown; token?: string } = {}): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${pathOf(route, options.params)}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${options.token ?? programToken}`,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    if (!answer.ok) throw new Error(`${route.id} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async ended(pipelineId: string): Promise<PipelineRun> {
    for (;;) {
      const run = (await this.call(pipelineView, { params: { pipelineId } })) as PipelineRun;
      if (!isActive(run.status.state)) return run;
      await delay(50);
    }
  }

  async makeTeam(): Promise<void> {
    const body = { id: 'cranes', displayName: 'Cranes', ownerIds: ['platform-automation'] };
    await this.ended(((await this.call(teamCreate, { body })) as PipelineRun).pipelineId);
  }

  /** Starts a quickstart for the team `cranes`; answers its pipeline. */
  async quickstart(id: string): Promise<string> {
    return ((await this.call(quickstartApplicationCreate, { body: { id, teamId: 'cranes', template: 'node-http-api' } })) as PipelineRun)
      .pipelineId;
  }
}

/**
 * Paths that programs write as users of their own.
 * If the server ran as root, each path is a link to a directory outside the data directory.
 */
const OWN_HOMES = ['pg', 'databases', 'streaming/broker'];
/** Removes a data directory with everything that lies behind its links. */
export const removeData = async (dataDir: string): Promise<void> => {
  const homes = await Promise.all(OWN_HOMES.map((home) => realpath(join(dataDir, home)).catch(() => dataDir)));
  // A database that is just ending may still write.
  for (const path of [...homes, dataDir]) await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};

/** A quickstart app's answer through the edge; 0 while nobody listens. */
export const askEdge = (ingressPort: number, app: string): Promise<number> =>
  new Promise((answered) => {
    const headers = { host: `${app}.${app}.development.localhost:${ingressPort}`, connection: 'close' };
    http
      .get({ host: '127.0.0.1', port: ingressPort, path: '/healthz', headers }, (answer) => {
        answer.resume();
        answered(answer.statusCode ?? 0);
      })
      .on('error', () => answered(0));
  });

/** Resolves with the milliseconds until the app answers 200 again. */
export const untilServed = async (ingressPort: number, app: string): Promise<number> => {
  const since = Date.now();
  while ((await askEdge(ingressPort, app)) !== 200) {
    if (Date.now() - since > PATIENCE_MS) throw new Error(`${app} did not come back`);
    await delay(50);
  }
  return Date.now() - since;
};
