/** A person with git, for the tests: real client processes that see none of this machine's settings. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '#ports/log.ts';
import type { Pushed, RepositoryRef } from '#ports/source.ts';
import { EmbeddedSource } from './embedded-source.ts';
import type { EmbeddedSourceOptions } from './embedded-source.ts';

export interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git in `cwd`; never asks, never rejects. */
export function runGit(cwd: string, ...args: string[]): Promise<GitRun> {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', '-c', 'init.defaultBranch=main', '-c', 'safe.directory=*'];
  return new Promise((resolve) => {
    execFile('git', [...person, ...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout: stdout.trim(), stderr });
    });
  });
}

/** Runs git and answers what it printed; rejected when it failed. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const run = await runGit(cwd, ...args);
  if (run.code !== 0) throw new Error(`git ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
  return run.stdout;
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

export async function commitFiles(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
  message = 'Change files',
): Promise<string> {
  await writeFiles(folder, files);
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--message', message);
  return git(folder, 'rev-parse', 'HEAD');
}

export interface LoggedLine {
  readonly level: string;
  readonly context: object;
  readonly message: string;
}

export class SourceOnHttp {
  readonly source: EmbeddedSource;
  readonly folder: string;
  readonly port: number;
  readonly logged: LoggedLine[];
  readonly pushes: Pushed[] = [];
  readonly #stop: () => Promise<void>;

  private constructor(source: EmbeddedSource, folder: string, port: number, logged: LoggedLine[], stop: () => Promise<void>) {
    this.source = source;
    this.folder = folder;
    this.port = port;
    this.logged = logged;
    this.#stop = stop;
    source.onPush((push) => this.pushes.push(push));
  }

  /** Users: `writer` may push, `reader` only read; anybody else is unknown. `dataDir` is given for a second server on it. */
  static async start(options: Partial<EmbeddedSourceOptions>): Promise<SourceOnHttp> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-source-'));
    const logged: LoggedLine[] = [];
    const at = (level: string) => (context: object, message: string) => void logged.push({ level, context, message });
    const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    const server = createServer((request, response) => source.mount.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const source = new EmbeddedSource({
      dataDir: join(folder, 'data'),
      publicUrl: `http://127.0.0.1:${port}`,
      log,
      authenticate: async (_username, password, ref, access) => {
        if (password !== 'writer' && password !== 'reader') return 'unauthenticated';
        if (ref.name.startsWith('hidden')) return 'notFound';
        return access === 'write' && password === 'reader' ? 'forbidden' : { id: `user-${password}`, displayName: password };
      },
      ...options,
    });
    return new SourceOnHttp(source, folder, port, logged, async () => {
      await source.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    });
  }

  url(ref: RepositoryRef, password = 'writer'): string {
    return `http://anyone:${password}@127.0.0.1:${this.port}/git/${ref.owner}/${ref.name}.git`;
  }

  gitDir(ref: RepositoryRef): string {
    return join(this.folder, 'data', ref.owner, `${ref.name}.git`);
  }

  async clone(ref: RepositoryRef, ...args: string[]): Promise<string> {
    const folder = await mkdtemp(join(this.folder, 'clone-'));
    await git(folder, 'clone', '--quiet', ...args, this.url(ref), '.');
    return folder;
  }

  async errors(): Promise<LoggedLine[]> {
    return this.logged.filter((line) => line.level === 'error');
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
