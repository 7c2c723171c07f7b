/**
 * Runs host git's own services where git is installed: faster, with shallow clones and protocol version 2.
 * The process sees nothing of this server: no environment, no configuration of the machine or its user, no hooks but our own.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from './advertisement.ts';

const run = promisify(execFile);
const timeoutMs = 15 * 60_000;
/** The limits that git itself has no setting for. Git passes over a hook that it may not run. */
const hooks = join(import.meta.dirname, 'hooks');

const environment = (protocol: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: tmpdir(),
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PROTOCOL: protocol,
});

/** Answers whether this machine has a git that understands the settings below (2.32 or newer), and can run our hook. */
export async function hasHostGit(): Promise<boolean> {
  const canRun = await access(join(hooks, 'pre-receive'), constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!canRun) return false;
  const version = await run('git', ['--version'], { env: environment(''), timeout: 5000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const [, major = '0', minor = '0'] = /git version (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 32);
}

function settings({ gitDir, maxPackBytes }: ServiceRun): string[] {
  const values = {
    // The data directory may belong to another user than the server's.
    'safe.directory': gitDir,
    'core.hooksPath': hooks,
    // Larger files go by in a stream and never into memory whole; nor does anybody wait while deltas between them are looked for.
    'core.bigFileThreshold': '16m',
    // While a pack is made, git says in between that it is at work. Node's clients give up after five silent seconds, git's own default.
    'uploadpack.keepAlive': '2',
    'core.logAllRefUpdates': 'false',
    'transfer.fsckObjects': 'true',
    'receive.maxInputSize': String(maxPackBytes),
    'receive.denyDeleteCurrent': 'refuse',
    'receive.denyNonFastForwards': 'false',
    // A repack that outlives the request could delete a pack that this server has open.
    'receive.autogc': 'false',
    'gc.auto': '0',
    'uploadpack.allowFilter': 'true',
    'uploadpack.allowReachableSHA1InWant': 'true',
    'pack.threads': '2',
    'pack.windowMemory': '128m',
  };
  // Later rules win: everything is hidden but branches and tags.
  const hidden = ['refs', '!refs/heads', '!refs/tags'].flatMap((rule) => ['-c', `transfer.hideRefs=${rule}`]);
  return [...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...hidden];
}

export interface ServiceRun {
  readonly service: Service;
  readonly gitDir: string;
  /** The client's Git-Protocol header. */
  readonly protocol: string;
  readonly isAdvertising: boolean;
  readonly maxPackBytes: number;
  /** One file, bytes. */
  readonly maxObjectBytes: number;
}

/** Only what git itself writes into that header may become a process's environment. */
const safeProtocol = (header: string): string => (/^[a-z0-9=:.-]{1,64}$/.test(header) ? header : '');

export function spawnService(
  request: ServiceRun,
): ChildProcess & { stdin: NonNullable<ChildProcess['stdin']>; stdout: NonNullable<ChildProcess['stdout']> } {
  const flags = request.isAdvertising ? ['--stateless-rpc', '--advertise-refs'] : ['--stateless-rpc'];
  const command = [...settings(request), request.service.slice('git-'.length), ...flags, request.gitDir];
  return spawn('git', command, {
    env: { ...environment(safeProtocol(request.protocol)), MAX_FILE_BYTES: String(request.maxObjectBytes) },
    cwd: request.gitDir,
    timeout: timeoutMs,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
