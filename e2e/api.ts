/** The API, git and the registry for journeys that need a service in some state before the browser opens: with the run's administrator token. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathOf, queryString, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { port } from './ports.ts';

export const origin = `http://127.0.0.1:${port}`;
export const adminToken = (): string => process.env['SLIPWAY_E2E_TOKEN'] ?? '';

interface Request {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
}
/** Throws what the API says when it refuses. */
export const callApi = async <T>(route: RouteShape, { params, query, body }: Request = {}): Promise<T> => {
  const answer = await fetch(`${origin}${pathOf(route, params)}${queryString(query)}`, {
    method: route.method,
    headers: { authorization: `Bearer ${adminToken()}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${route.id} answered ${answer.status}: ${text}`);
  return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
};

export const pipelineEnd = async (pipelineId: string): Promise<PipelineRun> => {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const run = await callApi<PipelineRun>(pipelineView, { params: { pipelineId } });
    if (!isActive(run.status.state)) return run;
    if (Date.now() > deadline) throw new Error(`The pipeline ${pipelineId} does not end`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
/** Starts a pipeline by a write, and answers the run once it has ended. */
export const runApi = async (route: RouteShape, request: Request = {}): Promise<PipelineRun> =>
  pipelineEnd((await callApi<PipelineRun>(route, request)).pipelineId);

/** An app with one service of the same name in development, running. */
export const makeApp = (id: string, template = 'node-http-api', teamId = 'terminal-operations'): Promise<PipelineRun> =>
  runApi(quickstartApplicationCreate, { body: { id, displayName: id, teamId, template } });

const git = (folder: string, ...args: string[]): string => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  const person = ['-c', 'user.name=Ingrid', '-c', 'user.email=ingrid@example.test'];
  return execFileSync('git', [...person, ...args], { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' });
};
/** Commits files over what is there and pushes them, which builds and deploys; answers the commit. */
export const pushFiles = (repository: string, message: string, files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-push-'));
  try {
    git(folder, 'clone', '--quiet', `http://e2e:${adminToken()}@localhost:${port}/git/${repository}.git`, '.');
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', message);
    git(folder, 'push', '--quiet');
    return git(folder, 'rev-parse', 'HEAD').trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
/** The files of a program of one file, without dependencies. */
export const program = (main: string): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'program', version: '1.0.0', type: 'module', scripts: { start: 'node main.js' } }),
  'main.js': main,
});
