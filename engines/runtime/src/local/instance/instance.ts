/** One instance of a revision: starts it, watches it, restarts it when it ends, and stops it without losing a request. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { instanceEvent, type InstanceEventFacts } from '@slipway/contract/service/instance-event.ts';
import { DirectoryRefusal, MountRefusal } from '../../sandbox/image-mount-points.ts';
import type { SandboxedProcess, SandboxExit } from '../../sandbox/sandbox.ts';
import { isNoSpace } from '@slipway/foundation/no-space.ts';
import { isPortFailure } from '@slipway/foundation/ports/failure.ts';
import type { InstanceEventType, InstanceState, InstanceStats, InstanceView, RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { CpuMeter } from './cpu-meter.ts';
import { endingOf, exitOf } from './ending.ts';
import { HealthWatch } from '../health/health-watch.ts';
import type { InstanceContext } from './instance-context.ts';
import { instanceDirectory } from './instance-directory.ts';
import { dropOldestLogs, logDirectory } from '../log/log-files.ts';
import { LogWriter } from '../log/log-writer.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { saysNoSpace } from './no-space.ts';
import { startRun, temporaryMegabytes } from './run.ts';
import { secretDirectory } from './secret-directory.ts';
import { serviceKey } from '../../edge/service-names.ts';
import { revisionRef } from '../revision-names.ts';

interface Run {
  readonly process: SandboxedProcess;
  readonly port: number | undefined;
  /** Reason if the runtime itself ended the run. */
  death?: InstanceEventFacts;
}

/** How long to wait for a program's last output after it ends. */
const HEAR_OUT_MS = 500;
/** A program that ends this soon after a failed write ended because of it. */
const DISK_FULL_MS = 10_000;
const TELL_EVERY_MS = 60_000;

export class Instance {
  readonly id: string;
  readonly spec: RevisionSpec;
  readonly #context: InstanceContext;
  readonly #log: LogWriter;
  readonly #backoff: RestartBackoff;
  readonly #cpu = new CpuMeter();
  readonly #stopping = new AbortController();
  readonly #life: Promise<void>;
  #state: InstanceState = 'STARTING';
  #since = new Date();
  #runs = 0;
  #run: Run | undefined;
  #lastExit: InstanceView['lastExit'];
  #stopped: Promise<void> | undefined;
  #saidNoSpaceAt = Number.NEGATIVE_INFINITY;
  /** Time of the last report of a full disk, by reason. */
  readonly #toldAt = new Map<string, number>();

  constructor(spec: RevisionSpec, context: InstanceContext) {
    this.spec = spec;
    this.#context = context;
    this.id = `${spec.revision}-${randomBytes(4).toString('hex').slice(0, 6)}`;
    this.#backoff = new RestartBackoff(context.timings);
    const directory = logDirectory(context.dataDir, spec);
    const onError = (error: unknown): void => {
      context.log.error({ err: error, instance: this.id }, 'log lines of an instance were lost');
      if (isNoSpace(error)) this.#tellNoSpace(instanceEvent('LogLost', {}));
    };
    this.#log = new LogWriter({ directory, instance: this.id, onError, onLine: (line) => this.#hear(line) });
    this.#emit('added', instanceEvent('Scheduled', {}));
    this.#life = dropOldestLogs(directory).then(() => this.#live());
  }

  get isReady(): boolean {
    return this.#state === 'READY';
  }

  /** Port to which the edge sends requests. */
  get port(): number | undefined {
    return this.#run?.port;
  }

  /** Connects to the instance's port. Fails if the instance does not run. */
  connect(): Socket {
    const run = this.#run;
    if (run?.port !== undefined) return run.process.connect(run.port);
    return new Socket().destroy(Object.assign(new Error('The instance does not run.'), { code: 'ECONNREFUSED' }));
  }

  view(): InstanceView {
    return {
      ...revisionRef(this.spec),
      id: this.id,
      revisionId: this.spec.id,
      state: this.#state,
      since: this.#since,
      restarts: Math.max(0, this.#runs - 1),
      node: this.spec.region === undefined ? hostname() : `${hostname()} (${this.spec.region})`,
      port: this.#run?.port,
      lastExit: this.#lastExit,
    };
  }

  /** Undefined while nothing runs. */
  stats(): InstanceStats | undefined {
    const usage = this.#run?.process.usage();
    if (!usage) return undefined;
    const memoryMegabytes = Math.round(usage.memoryBytes / 1024 / 1024);
    return { id: this.id, revision: this.spec.revision, cpuMillicores: this.#cpu.millicores(usage.cpuMs), memoryMegabytes };
  }

  /**
   * Removes the instance from rotation, drains requests, sends SIGTERM, waits for the grace period, then sends SIGKILL. Resolves when the
   * process is gone.
   */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const wasReady = this.isReady;
    this.#setState('STOPPING');
    const startedAt = performance.now();
    if (wasReady) await this.#drain();
    this.#stopping.abort();
    const run = this.#run;
    run?.process.signal('SIGTERM');
    const killing = setTimeout(() => {
      this.#emit('warning', instanceEvent('Killing', { graceSeconds: this.spec.stopGraceSeconds }));
      run?.process.signal('SIGKILL');
    }, this.spec.stopGraceSeconds * 1000);
    await this.#life;
    clearTimeout(killing);
    await this.#log.flushed();
    for (const kept of [instanceDirectory, secretDirectory])
      await rm(kept(this.#context.dataDir, this.id), { recursive: true, force: true });
    this.#setState('STOPPED');
    this.#emit('deleted', instanceEvent('Stopped', { tookMs: Math.round(performance.now() - startedAt) }));
  }

  async #drain(): Promise<void> {
    const { answered, timings } = this.#context;
    await delay(timings.drainMs);
    const patience = new AbortController();
    const tooLong = delay(Math.min(timings.answerMs, this.spec.stopGraceSeconds * 1000), undefined, patience);
    await Promise.race([answered(serviceKey(this.spec), this.id), this.#run?.process.exited, tooLong]);
    patience.abort();
    await tooLong.catch(() => {});
  }

  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const failure = await this.#start().then(
        (run) => this.#untilEnd(run),
        (error: unknown) => startFailure(error),
      );
      if (this.#stopped) return;
      const waitMs = this.#backoff.next(performance.now() - startedAt);
      this.#setState('CRASHED');
      this.#emit('error', { ...failure, context: { ...failure.context, restart: this.#runs, waitMs } });
      await delay(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  async #start(): Promise<Run> {
    const { images, ports } = this.#context;
    const preparing = images.prepare(this.spec.image.repository, this.spec.image.digest).catch((error: unknown) => {
      this.#runs++;
      throw new ImageFailure(error);
    });
    const image = await orAborted(preparing, this.#stopping.signal);
    // With its own network the instance has all ports, so images with a fixed port run unchanged.
    const port = this.#context.sandbox.hasNetworks || this.spec.exposedPort === undefined ? this.spec.exposedPort : await ports.take();
    const number = ++this.#runs;
    if (number > 1) this.#log.write('restart', `--- started again (restart ${number - 1}) ---`);
    try {
      this.#cpu.reset();
      const process = await startRun(this.#context, { instance: this.id, number, spec: this.spec, image, port, log: this.#log });
      // Stopped while starting: nothing else would end the process.
      if (this.#stopping.signal.aborted) process.signal('SIGKILL');
      return { process, port };
    } catch (error) {
      this.#release(port);
      throw error;
    }
  }

  #release(port: number | undefined): void {
    if (port !== undefined && !this.#context.sandbox.hasNetworks) this.#context.ports.release(port);
  }

  async #untilEnd(run: Run): Promise<InstanceEventFacts> {
    this.#run = run;
    if (!this.#stopped) this.#setState('STARTING');
    this.#emit('running', instanceEvent('Started', run.port === undefined ? {} : { port: run.port }));
    if (this.#context.sandbox.tier === 'host' && this.spec.files.length > 0) {
      this.#emit('warning', instanceEvent('FilesNotMounted', {}));
    }
    const startedAt = performance.now();
    const watching = new AbortController();
    const watched = this.#watch(run, AbortSignal.any([watching.signal, this.#stopping.signal]));
    const exit = await run.process.exited;
    watching.abort();
    this.#run = undefined;
    if (!this.#stopped) this.#setState('CRASHED');
    this.#release(run.port);
    await watched;
    await this.#log.heardOut(HEAR_OUT_MS);
    return this.#ended(run, exit, performance.now() - startedAt);
  }

  async #watch(run: Run, signal: AbortSignal): Promise<void> {
    const die = (death: InstanceEventFacts): void => {
      run.death = death;
      this.#leave('UNHEALTHY');
      run.process.signal('SIGKILL');
    };
    const watch = new HealthWatch(this.spec, run.process, run.port, this.#context.timings, {
      ready: (afterMs) => {
        if (this.#stopped) return;
        this.#setState('READY');
        this.#emit('running', instanceEvent('Healthy', { afterMs: Math.round(afterMs) }));
      },
      unready: (event) => {
        this.#leave('UNHEALTHY');
        this.#emit('unhealthy', event);
      },
      warn: (event) => this.#emit('warning', event),
      dead: die,
    });
    await watch.run(signal).catch((error: unknown) => {
      this.#context.log.error({ err: error, instance: this.id }, 'watching an instance failed');
      die(instanceEvent('WatchFailed', {}));
    });
  }

  #ended(run: Run, exit: SandboxExit, ranMs: number): InstanceEventFacts {
    const ending = endingOf(exit, {
      death: run.death,
      isDiskFull: performance.now() - this.#saidNoSpaceAt < DISK_FULL_MS,
      memoryMegabytes: this.spec.memoryMegabytes,
    });
    this.#lastExit = { ...exitOf(exit), reason: ending.code, at: new Date() };
    return { ...ending, context: { ...ending.context, ranMs: Math.round(ranMs) } };
  }

  #hear(line: string): void {
    if (!saysNoSpace(line)) return;
    this.#saidNoSpaceAt = performance.now();
    const isHost = this.#context.sandbox.tier === 'host';
    const size = isHost ? {} : { temporaryMegabytes: temporaryMegabytes(this.spec.memoryMegabytes) };
    this.#tellNoSpace(instanceEvent('DiskFull', size));
  }

  /** Reports a full disk at most once a minute, since programs log it repeatedly. */
  #tellNoSpace(event: InstanceEventFacts): void {
    if (performance.now() - (this.#toldAt.get(event.code) ?? Number.NEGATIVE_INFINITY) < TELL_EVERY_MS) return;
    this.#toldAt.set(event.code, performance.now());
    this.#emit('warning', event);
  }

  /** Sets a state that stops requests, unless the instance is being stopped anyway. */
  #leave(state: InstanceState): void {
    if (!this.#stopped) this.#setState(state);
  }

  #setState(state: InstanceState): void {
    const wasReady = this.isReady;
    if (this.#state !== state) this.#since = new Date();
    this.#state = state;
    if (wasReady !== this.isReady) this.#context.readinessChanged(serviceKey(this.spec));
  }

  #emit(type: InstanceEventType, event: InstanceEventFacts): void {
    const { id: revisionId } = this.spec;
    this.#context.emit({ ...revisionRef(this.spec), revisionId, instance: this.id, at: new Date(), type, ...event });
  }
}

class ImageFailure extends Error {
  constructor(cause: unknown) {
    super('The image could not be pulled', { cause });
  }
}

const detailOf = (error: unknown): { readonly detail: string } => ({ detail: error instanceof Error ? error.message : String(error) });

/** Rejects on abort. A slow pull continues for others, but must not delay this instance's end. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
  return Promise.race([promise, aborted]);
}

function startFailure(error: unknown): InstanceEventFacts {
  if (error instanceof ImageFailure) {
    // These two have their own codes, since they pass without a fix to the image.
    if (isNoSpace(error)) return instanceEvent('PlatformDiskFull', {});
    return instanceEvent(isPortFailure(error.cause, 'unavailable') ? 'RegistryUnavailable' : 'ImagePullFailed', detailOf(error.cause));
  }
  if (error instanceof MountRefusal) return instanceEvent('MountRefused', error.where);
  if (error instanceof DirectoryRefusal) return instanceEvent('WorkingDirectoryRefused', error.where);
  if (isNoSpace(error)) return instanceEvent('StartFailed', { obstacle: 'PlatformDisk' });
  return instanceEvent('StartFailed', { obstacle: 'Other', ...detailOf(error) });
}
