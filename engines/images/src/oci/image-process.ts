/**
 * Unpacks one image in its own process, with limits on memory and time. A malicious image may exceed either limit. Then the process
 * ends, and the image is refused with the reason.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { compileCacheEnv } from '@slipway/foundation/compile-cache.ts';
import { watchFloor } from '@slipway/foundation/disk-floor.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';

import type { Answered, ImageJob } from './image-job.ts';
import { badImage } from './image-limits.ts';
import { failureFrom } from './image-reply.ts';
import type { FailureReply } from './image-reply.ts';

export interface ProcessLimits {
  /** Limit of the JavaScript heap. */
  readonly memoryMegabytes: number;
  /** Limit for the whole image. */
  readonly timeMs: number;
}
export const defaultProcessLimits: ProcessLimits = { memoryMegabytes: 512, timeMs: 600_000 };

type Reply = { readonly value: unknown } | { readonly failure: FailureReply };

const WORKER = new URL('./image-worker.ts', import.meta.url);
/** Signals that end the process when V8's heap is full, or when the kernel runs out of memory. */
const MEMORY_SIGNALS = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGKILL']);

export class ImageProcess {
  readonly #limits: ProcessLimits;
  readonly #child: ChildProcess;
  #stopWatching: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Reason if the platform ended the process. */
  #reason: unknown;
  #replied: PromiseWithResolvers<Reply> | undefined;

  /** `worker` is a program that serves image jobs. It may also serve other jobs. */
  constructor(limits: ProcessLimits, worker = WORKER) {
    this.#limits = limits;
    this.#child = fork(fileURLToPath(worker), [], {
      execArgv: [`--max-old-space-size=${limits.memoryMegabytes}`, '--stack-trace-limit=0'],
      env: compileCacheEnv(),
      cwd: '/',
      // Ctrl-C must not end the process. It ends with the platform, when its IPC channel closes.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#replied = Promise.withResolvers();
    this.#replied.promise.catch(() => undefined);
    this.#child.on('message', (reply: Reply) => this.#replied?.resolve(reply));
    this.#child.once('error', (cause) => this.#replied?.reject(new PortFailure('unavailable', 'no image can be unpacked', { cause })));
    this.#child.once('exit', (code, signal) => this.#replied?.reject(this.#ended(code, signal)));
  }

  /** Starts the time limit of the image. Ends the process if the disk runs short of space. */
  begin(floor: Floor): void {
    this.#timer = setTimeout(() => this.#end(this.#tooSlow()), this.#limits.timeMs);
    this.#stopWatching = watchFloor(floor, (failure) => this.#end(failure));
  }

  /** False if the process ended while it waited for its image. */
  get isAlive(): boolean {
    return this.#child.connected && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Runs a job. Jobs must run one after the other. */
  async run<Job extends ImageJob>(job: Job): Promise<Answered<Job>> {
    return (await this.ask(job)) as Answered<Job>;
  }

  /** Runs a job that only this process's worker knows. */
  async ask(job: object): Promise<unknown> {
    // The first reply confirms that the process runs, so that no job is lost.
    await this.#reply();
    this.#replied = Promise.withResolvers();
    if (!this.isAlive) throw this.#ended(this.#child.exitCode, this.#child.signalCode);
    this.#child.send(job);
    const reply = await this.#reply();
    if ('failure' in reply) throw failureFrom(reply.failure);
    return reply.value;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stopWatching?.();
    this.#child.kill('SIGKILL');
  }

  async #reply(): Promise<Reply> {
    return (await this.#replied?.promise) ?? { value: null };
  }

  #end(reason: unknown): void {
    this.#reason ??= reason;
    this.#child.kill('SIGKILL');
  }

  #tooSlow(): PortFailure {
    return badImage(`unpacking the image takes longer than ${this.#limits.timeMs / 1000} s`, 'ImageTooLarge');
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): unknown {
    if (this.#reason !== undefined) return this.#reason;
    if (MEMORY_SIGNALS.has(signal ?? ''))
      return badImage(`unpacking the image takes more than ${this.#limits.memoryMegabytes} MB of memory`, 'ImageTooLarge');
    return new PortFailure('unavailable', `the process that unpacks the image ended with ${signal ?? code}`);
  }
}
