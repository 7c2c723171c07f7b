/** A git user for tests: real client processes without this machine's settings. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { Pushed, RepositoryRef } from '@slipway/foundation/ports/source.ts';
import { EmbeddedSource } from './embedded-source.ts';
import type { EmbeddedSourceOptions } from './embedded-source.ts';

export interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git in `cwd`. Never prompts, never rejects. */
export const runGit = (cwd: string, ...args: string[]): Promise<GitRun> => runGitOn(cwd, '', ...args);

/** Like `runGit`, with standard input. */
export function runGitOn(cwd: string, input: string | Buffer, ...args: string[]): Promise<GitRun> {
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
    const child = execFile('git', [...person, ...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout: stdout.trim(), stderr });
    });
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** Runs git and returns its output. Rejects if it fails. */
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

/** Adds one commit for each set of files, in one process. Returns the last commit's sha. */
export async function importCommits(folder: string, commits: readonly Readonly<Record<string, string>>[]): Promise<string> {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const stream = commits.map((files, number) => {
    const from = number === 0 ? 'from refs/heads/main^0\n' : '';
    const changes = Object.entries(files).map(([path, content]) => `M 100644 inline ${path}\n${data(content)}`);
    return `commit refs/heads/main\ncommitter Ada <ada@example.test> ${1_800_000_000 + number} +0000\n${data(`Commit ${number}`)}${from}${changes.join('')}\n`;
  });
  const run = await runGitOn(folder, stream.join(''), 'fast-import', '--quiet');
  if (run.code !== 0) throw new Error(run.stderr);
  await git(folder, 'reset', '--quiet', '--hard', 'main');
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

  /** Starts the host. Passwords: `writer` may push, `reader` may only read, others are wrong. Repositories named `hidden…` are denied. */
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

  pushesTo(ref: RepositoryRef): Pushed[] {
    return this.pushes.filter((push) => push.ref.name === ref.name);
  }

  /** Log lines at level error. */
  get errors(): LoggedLine[] {
    return this.logged.filter((line) => line.level === 'error');
  }

  /** Creates a repository with two files. */
  async create(name: string): Promise<RepositoryRef> {
    const ref = { owner: 'berth', name };
    const files = [
      { path: 'README.md', content: Buffer.from('# berth\n'), isExecutable: false },
      { path: 'src/server.js', content: Buffer.from('export {};\n'), isExecutable: false },
    ];
    await this.source.createRepository(ref, files, { message: 'Start', author: 'Ada', email: 'ada@example.test' });
    return ref;
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
