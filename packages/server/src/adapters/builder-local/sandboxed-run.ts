/** Runs one command of a build in the sandbox, with limits on time, memory and what it writes. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Sandbox, SandboxCommand, SandboxExit } from '#adapters/sandbox/sandbox.ts';
import type { PortFailure } from '#ports/failure.ts';

import { bytesText } from './amounts.ts';
import { buildRejection } from './build-rejection.ts';
import type { BuildCode } from './build-rejection.ts';
import type { BuildLog } from './log-lines.ts';

export interface BuildLimits {
  /** For all commands of one build together. */
  readonly timeMs: number;
  readonly memoryMegabytes: number;
  /** Of the source, what was installed and what was built, together. */
  readonly bytes: number;
  readonly files: number;
}
export const defaultBuildLimits: BuildLimits = { timeMs: 300_000, memoryMegabytes: 2048, bytes: 1_500_000_000, files: 200_000 };

const LOOK_EVERY_MS = 3000;
/** For the last lines to arrive; a process that got away may hold the pipes open for ever. */
const OUTPUT_WAIT_MS = 2000;
const CPU_MILLICORES = 2000;
const PROCESSES = 512;

/** Bytes and number of everything below `folder`; stops counting once a limit is passed. Directories that vanish meanwhile count as empty. */
export const measureFolder = async (
  folder: string,
  limits: Pick<BuildLimits, 'bytes' | 'files'>,
): Promise<{ bytes: number; files: number }> => {
  const sum = { bytes: 0, files: 0 };
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      // What a sparse file claims is what would stand in the layer.
      else sum.bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
      sum.files += 1;
    }
    if (sum.bytes > limits.bytes || sum.files > limits.files) return sum;
  }
  return sum;
};

export const isTooLarge = (sum: { bytes: number; files: number }, limits: BuildLimits): boolean =>
  sum.bytes > limits.bytes || sum.files > limits.files;

export const tooLarge = ({ bytes, files }: BuildLimits): PortFailure =>
  buildRejection('BuildTooLarge', 'The build wrote too much', { limit: `${bytesText(bytes)} or ${files} files` });

export interface SandboxedRun {
  readonly sandbox: Sandbox;
  readonly command: SandboxCommand;
  readonly log: BuildLog;
  readonly limits: BuildLimits;
  /** Moment at which the build's time is over, as `Date.now()` counts. */
  readonly deadline: number;
  /** Directories whose growth counts. */
  readonly folders: readonly string[];
  readonly signal: AbortSignal;
  /** What a failure of the command itself means, e.g. `npm ci`. */
  readonly failure: { readonly code: BuildCode; readonly what: string };
}

const exitText = ({ code, signal }: SandboxExit): string => (signal === null ? `ended with code ${code}` : `was ended by ${signal}`);

/** Resolves when the command succeeded; rejected with the reason when it failed, or when a limit ended it. */
export const runSandboxed = async (options: SandboxedRun): Promise<void> => {
  const { sandbox, log, limits, signal, failure } = options;
  signal.throwIfAborted();
  const limited = { memoryMegabytes: limits.memoryMegabytes, cpuMillicores: CPU_MILLICORES, processes: PROCESSES };
  const running = sandbox.spawn({ ...options.command, limits: limited });
  const output = Promise.allSettled([log.follow(running.child.stdout, 'stdout'), log.follow(running.child.stderr, 'stderr')]);
  let ended: PortFailure | undefined;
  const end = (reason?: PortFailure): void => {
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
  const watch = watchGrowth(options.folders, limits, () => end(tooLarge(limits)));
  const exit = await running.exited;
  clearTimeout(timeout);
  watch.stop();
  signal.removeEventListener('abort', onAbort);
  await Promise.race([output, delay(OUTPUT_WAIT_MS, undefined, { ref: false })]);
  signal.throwIfAborted();
  if (ended !== undefined) throw ended;
  if (exit.code === 0 && !exit.isOutOfMemory) return;
  const how = exit.isOutOfMemory ? `used more than ${limits.memoryMegabytes} MB of memory` : exitText(exit);
  throw buildRejection(failure.code, [`${failure.what} ${how}`, log.lastWords()].filter(Boolean).join(': '));
};

const watchGrowth = (folders: readonly string[], limits: BuildLimits, onExceeded: () => void): { stop(): void } => {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const sums = await Promise.all(folders.map((folder) => measureFolder(folder, limits)));
    const sum = { bytes: sums.reduce((all, { bytes }) => all + bytes, 0), files: sums.reduce((all, { files }) => all + files, 0) };
    if (isStopped) return;
    if (isTooLarge(sum, limits)) return onExceeded();
    plan();
  };
  const plan = (): void => {
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  plan();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
