/**
 * Runs the machine's git. A process gets no environment of this server, no configuration of the machine or its user, and only our hooks. It
 * reads untrusted data, so its memory and CPU time are limited.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { StartError } from '@slipway/foundation/start-error.ts';

const execute = promisify(execFile);
const timeoutMs = 15 * 60_000;
const maxComplaintBytes = 4096;
/** Enforces limits for which git has no setting. Git skips a hook that is not executable. */
const hooks = join(import.meta.dirname, 'hooks');
const preReceive = join(hooks, 'pre-receive');

const environment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  // `refs.ts` and backups don't support the defaults of later git versions.
  GIT_DEFAULT_HASH: 'sha1',
  GIT_DEFAULT_REF_FORMAT: 'files',
};

const settings = Object.entries({
  'core.hooksPath': hooks,
  // Larger files are streamed instead of held in memory, and not delta-compressed.
  'core.bigFileThreshold': '16m',
  'core.logAllRefUpdates': 'false',
  'protocol.allow': 'never',
  'credential.helper': '',
  // Nothing is repacked or pruned: a backup links the files that it has listed.
  'receive.autogc': 'false',
  'gc.auto': '0',
  'fastimport.unpackLimit': '1',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Ignores limits that the system does not support or that are already lower. */
const limited = 'ulimit -c 0; ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec git "$@"';

const install =
  'Install git 2.32 or newer and start again: apt-get install git (Debian, Ubuntu), dnf install git (Fedora, Red Hat), apk add git (Alpine), brew install git (macOS).';

/** Rejects with a StartError if this machine has no git that supports our settings, or if the hook can't run. */
export async function requireGit(path = process.env.PATH): Promise<void> {
  const version = await execute('git', ['--version'], { env: { ...environment, PATH: path }, timeout: 10_000 }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (version === undefined) throw new StartError(`Slipway keeps repositories with git, and there is none on the PATH. ${install}`);
  const [, major = '0', minor = '0'] = /git version (\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) < 2 || (Number(major) === 2 && Number(minor) < 32))
    throw new StartError(`Slipway needs git 2.32 or newer, and this machine has ${version}. ${install}`);
  await access(preReceive, constants.X_OK).catch(() => {
    throw new StartError(`${preReceive} must be executable, or the limits of pushes would not hold: chmod +x ${preReceive}`);
  });
}

export interface ProcessLimits {
  /** Memory limit of one git process, without mapped files. */
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

const usualLimits: ProcessLimits = { memoryBytes: 768 * 1024 * 1024, cpuSeconds: 300 };

export interface GitEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of its standard error. */
  readonly complaint: string;
}

export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable & AsyncIterable<Buffer>;
  readonly ended: Promise<GitEnd>;
  /** Ends the process if it still runs. */
  stop(): void;
}

export class GitFailed extends Error {
  override readonly name = 'GitFailed';

  constructor(command: string, { code, signal, complaint }: GitEnd) {
    super(`git ${command} ended with ${signal ?? code}: ${complaint.trim()}`);
  }
}

export class GitProgram {
  readonly limits: ProcessLimits;
  readonly #running = new Set<GitProcess>();

  constructor(limits: Partial<ProcessLimits> = {}) {
    this.limits = { ...usualLimits, ...limits };
  }

  /** `args` start with additional settings (`-c`) or with the command. */
  spawn(gitDir: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): GitProcess {
    // The data directory may belong to another user than the server's.
    const place = ['-c', `safe.directory=${gitDir}`, `--git-dir=${gitDir}`];
    const limits = [String(Math.floor(this.limits.memoryBytes / 1024)), String(this.limits.cpuSeconds)];
    const child = spawn('/bin/sh', ['-c', limited, 'git', ...limits, ...settings, ...place, ...args], {
      env: { ...environment, ...env },
      cwd: '/',
      timeout: timeoutMs,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, maxComplaintBytes);
    });
    const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode, complaint }));
    // If the process could not be started, nothing may await the result any more.
    ended.catch(() => undefined);
    const stop = (): void => {
      child.stdin.destroy();
      child.stdout.destroy();
      child.kill();
      this.#running.delete(run);
    };
    const run: GitProcess = { stdin: child.stdin, stdout: child.stdout, ended, stop };
    this.#running.add(run);
    return run;
  }

  /** Runs a command to its end, with `input` on its standard input. Rejects with GitFailed if it fails. */
  async run(gitDir: string, args: readonly string[], input: Iterable<Uint8Array> = []): Promise<void> {
    const { stdin, stdout, ended, stop } = this.spawn(gitDir, args);
    try {
      stdout.resume();
      // Git's own message below says why it stopped reading.
      await pipeline(Readable.from(input), stdin).catch(() => undefined);
      const end = await ended;
      if (end.code !== 0) throw new GitFailed(args[0] ?? '', end);
    } finally {
      stop();
    }
  }

  close(): void {
    for (const process of this.#running) process.stop();
  }
}
