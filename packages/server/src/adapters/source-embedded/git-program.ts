/**
 * Runs the machine's git. A process sees nothing of this server: no environment, no configuration of the machine or its user, no hooks but
 * ours. It reads what strangers pushed, so it has limits of memory and processor time.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { StartError } from '#kernel/start-error.ts';

const execute = promisify(execFile);
const timeoutMs = 15 * 60_000;
const maxComplaintBytes = 4096;
/** The limits that git itself has no setting for. Git passes over a hook that it may not run. */
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
  // What later versions of git make by default, `refs.ts` and backups do not read.
  GIT_DEFAULT_HASH: 'sha1',
  GIT_DEFAULT_REF_FORMAT: 'files',
};

const settings = Object.entries({
  'core.hooksPath': hooks,
  // Larger files are streamed instead of held in memory, and no deltas between them are looked for.
  'core.bigFileThreshold': '16m',
  'core.logAllRefUpdates': 'false',
  'protocol.allow': 'never',
  'credential.helper': '',
  // Nothing is repacked or pruned: a backup links the files that it has listed.
  'receive.autogc': 'false',
  'gc.auto': '0',
  'fastimport.unpackLimit': '1',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** A limit that the system does not know, or that is lower already, is passed over. */
const limited = 'ulimit -c 0; ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec git "$@"';

const install =
  'Install git 2.32 or newer and start again: apt-get install git (Debian, Ubuntu), dnf install git (Fedora, Red Hat), apk add git (Alpine), brew install git (macOS).';

/** Rejected with a StartError where this machine has no git that understands our settings, or the hook cannot run. */
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
  /** What one process of git may allocate. Files that it maps do not count. */
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

const usualLimits: ProcessLimits = { memoryBytes: 768 * 1024 * 1024, cpuSeconds: 300 };

export interface GitEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The beginning of what it printed on standard error. */
  readonly complaint: string;
}

export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<GitEnd>;
  /** Ends it where it still runs. */
  stop(): void;
}

export class GitFailed extends Error {
  override readonly name = 'GitFailed';

  constructor(command: string, { code, signal, complaint }: GitEnd) {
    super(`git ${command} ended with ${signal ?? code}: ${complaint.trim()}`);
  }
}

export class GitProgram {
  readonly #limits: ProcessLimits;
  readonly #running = new Set<GitProcess>();

  constructor(limits: Partial<ProcessLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  /** `args` begin with further settings (`-c`) or with the command. */
  spawn(gitDir: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): GitProcess {
    // The data directory may belong to another user than the server's.
    const place = ['-c', `safe.directory=${gitDir}`, `--git-dir=${gitDir}`];
    const limits = [String(Math.floor(this.#limits.memoryBytes / 1024)), String(this.#limits.cpuSeconds)];
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
    // Nobody may be waiting any more when a process could not be started.
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

  /** Runs a command to its end, with `input` on its standard input. Rejected with GitFailed when it fails. */
  async run(gitDir: string, args: readonly string[], input: Iterable<Uint8Array> = []): Promise<void> {
    const { stdin, stdout, ended, stop } = this.spawn(gitDir, args);
    try {
      stdout.resume();
      // Why git stopped reading is in its own words below.
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
