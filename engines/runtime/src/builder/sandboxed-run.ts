/** Runs one command of a build in the sandbox, with limits on time, memory and disk usage. */
import { setTimeout as delay } from 'node:timers/promises';

import type { Sandbox, SandboxCommand, SandboxExit } from '../sandbox/sandbox.ts';
import { watchFloor } from '@slipway/foundation/disk-floor.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';

import type { BuildDisk } from './build-disk.ts';
import { tooLarge } from './build-limits.ts';
import type { BuildLimits } from './build-limits.ts';
import { buildRejection } from './build-rejection.ts';
import type { BuildCode } from './build-rejection.ts';
import type { BuildLog } from './log-lines.ts';
import { isTooLarge, watchBuild } from './measure-build.ts';

/** Time for the last output to arrive. A process that escaped may keep the pipes open forever. */
const OUTPUT_WAIT_MS = 2000;
const CPU_MILLICORES = 2000;
const PROCESSES = 512;

export interface SandboxedRun {
  readonly sandbox: Sandbox;
  readonly command: SandboxCommand;
  readonly log: BuildLog;
  readonly limits: BuildLimits;
  /** End of the build's time, in milliseconds since 1970. */
  readonly deadline: number;
  /** Directories that the build writes to. */
  readonly folders: readonly string[];
  /** Disk of these folders, if limited. Otherwise their growth is watched. */
  readonly disk: BuildDisk | undefined;
  /** Minimum free space of the platform's own disk. */
  readonly floor: Floor;
  readonly signal: AbortSignal;
  /** Error code and label if the command itself fails, e.g. `npm ci`. */
  readonly failure: { readonly code: BuildCode; readonly what: string };
}

/** Limits the size of one file, in the 512-byte blocks of shells. One block more than allowed, so that the excess is detectable. */
const withFileLimit = (command: readonly string[], { bytes }: BuildLimits): readonly string[] => [
  '/bin/sh',
  '-c',
  `ulimit -f ${Math.ceil(bytes / 512) + 1}; exec "$@"`,
  'sh',
  ...command,
];

const exitText = ({ code, signal }: SandboxExit): string => (signal === null ? `ended with code ${code}` : `was ended by ${signal}`);

/** Resolves when the command succeeds. Rejects if it fails or exceeds a limit. */
export const runSandboxed = async (options: SandboxedRun): Promise<void> => {
  const { sandbox, log, limits, signal, failure } = options;
  signal.throwIfAborted();
  const limited = { memoryMegabytes: limits.memoryMegabytes, cpuMillicores: CPU_MILLICORES, processes: PROCESSES };
  const command = withFileLimit(options.command.command, limits);
  const running = sandbox.spawn({ ...options.command, command, limits: limited });
  const output = Promise.allSettled([log.follow(running.child.stdout, 'stdout'), log.follow(running.child.stderr, 'stderr')]);
  let ended: unknown;
  const end = (reason?: unknown): void => {
    ended ??= reason;
    running.signal('SIGKILL');
  };
  const onAbort = (): void => end();
  signal.addEventListener('abort', onAbort, { once: true });
  const timeout = setTimeout(
    () => {
      end(buildRejection('BuildTimeout', 'The build took too long', { seconds: String(limits.timeMs / 1000) }));
    },
    Math.max(0, options.deadline - Date.now()),
  );
  const watches = [watchFloor(options.floor, end), ...(options.disk ? [] : [watchBuild(options.folders, limits, end)])];
  const exit = await running.exited;
  clearTimeout(timeout);
  for (const stop of watches) stop();
  signal.removeEventListener('abort', onAbort);
  await Promise.race([output, delay(OUTPUT_WAIT_MS, undefined, { ref: false })]);
  signal.throwIfAborted();
  if (ended !== undefined) throw ended;
  if (exit.code === 0 && !exit.isOutOfMemory) return;
  // Programs report failed writes in different ways, or not at all.
  if (exit.signal === 'SIGXFSZ' || (await options.disk?.isFull()) || (await isTooLarge(options.folders, limits))) throw tooLarge(limits);
  const how = exit.isOutOfMemory ? `used more than ${limits.memoryMegabytes} MB of memory` : exitText(exit);
  throw buildRejection(failure.code, [`${failure.what} ${how}`, log.lastWords()].filter(Boolean).join(': '));
};
