/**
 * Copies the logs of pods to files, from which every replica reads them. The cluster forgets a pod's log with the pod. Lines keep the
 * cluster's times, so that a later holder continues after the last line. The API server mixes standard output and standard error.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { dropOldestLogs, logDirectory } from '@slipway/runtime/local/log/log-files.ts';
import { LineSplitter } from '@slipway/runtime/local/log/line-splitter.ts';
import { readLogs } from '@slipway/runtime/local/log/log-reader.ts';
import { LogWriter } from '@slipway/runtime/local/log/log-writer.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { LogLine, RevisionRef } from '#ports/runtime.ts';
import type { ClusterApi } from '../api/cluster-api.ts';
import { pathOf, RESOURCES } from '../api/kube-object.ts';
import { CONTAINER } from '../objects/names.ts';
import { statusOf, type Pod } from './pod.ts';

export interface PodLogsOptions {
  readonly api: ClusterApi;
  readonly dataDir: string;
  readonly log: Log;
}

const RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;
/** A pod's last lines arrive shortly after its end. */
const LAST_LINES_MS = 2000;

/** Follows one pod's log, one run of its container after the other. */
export class PodLog {
  readonly #options: PodLogsOptions;
  readonly #ref: RevisionRef;
  readonly #namespace: string;
  readonly #name: string;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #pod: Pod;
  #wake = Promise.withResolvers<void>();
  #isGone = false;
  /** Time of the last line. */
  #since: Date | undefined;

  constructor(pod: Pod, ref: RevisionRef, options: PodLogsOptions) {
    this.#options = options;
    this.#ref = ref;
    this.#namespace = pod.metadata.namespace ?? '';
    this.#name = pod.metadata.name;
    this.#pod = pod;
    this.#running = this.#follow().catch((error: unknown) =>
      options.log.warn({ err: error, pod: this.#name }, 'the log of a pod could not be followed'),
    );
  }

  update(pod: Pod): void {
    this.#pod = pod;
    this.#wake.resolve();
  }

  /** The pod is gone: reads what is left, then ends. */
  async gone(): Promise<void> {
    this.#isGone = true;
    this.#wake.resolve();
    const timer = setTimeout(() => this.#ending.abort(), LAST_LINES_MS);
    await this.#running;
    clearTimeout(timer);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#wake.resolve();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { dataDir, log } = this.#options;
    const directory = logDirectory(dataDir, this.#ref);
    const stored = await lastLine(directory, this.#name);
    if (!stored) await dropOldestLogs(directory);
    const writer = new LogWriter({
      directory,
      instance: this.#name,
      firstNumber: stored?.number ?? 0,
      onError: (error) => log.error({ err: error, instance: this.#name }, 'log lines of an instance were lost'),
    });
    // The run that a former holder was reading is not known. Lines after the last stored one are.
    let run = stored ? (statusOf(this.#pod)?.restartCount ?? 0) : 0;
    this.#since = stored?.at;
    while (!this.#ending.signal.aborted) {
      const { restartCount = 0, state } = statusOf(this.#pod) ?? {};
      const isFormer = restartCount > run;
      if (isFormer || state?.running || state?.terminated) await this.#read(writer, isFormer);
      const latest = statusOf(this.#pod)?.restartCount ?? 0;
      if (latest > run && (isFormer || restartCount === run)) {
        // The former run is read once more as such, if its end was not: its last lines may have come meanwhile.
        if (!isFormer) await this.#read(writer, true);
        // Lines are sorted by time, and the cluster's clock may be ahead.
        writer.write('restart', `--- started again (restart ${latest}) ---`, this.#since);
        run = latest;
      } else if (this.#isGone) break;
      // A run that has ended writes no more. Evicted pods stay listed for long.
      else await this.#change(state?.terminated === undefined);
    }
    await writer.flushed();
  }

  /** Resolves when the pod changes, or while it runs after a while, too: an answer may end although the program runs on. */
  async #change(mayRun: boolean): Promise<void> {
    const timer = mayRun ? setTimeout(() => this.#wake.resolve(), RETRY_MS).unref() : undefined;
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers<void>();
  }

  /** Reads one run's log to its end, from the last line on. */
  async #read(writer: LogWriter, isFormer: boolean): Promise<void> {
    let waitMs = RETRY_MS;
    while (!this.#ending.signal.aborted) {
      try {
        return await this.#readRun(writer, isFormer);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        // The log is gone with its container, or the container has not started.
        if (isPortFailure(error, 'notFound') || isPortFailure(error, 'rejected')) return;
        await delay(waitMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
        waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  async #readRun(writer: LogWriter, isFormer: boolean): Promise<void> {
    const since = this.#since;
    const answer = await this.#options.api.stream(
      `${pathOf(RESOURCES.Pod, this.#namespace)}/${this.#name}/log`,
      {
        container: CONTAINER,
        timestamps: 'true',
        ...(isFormer ? { previous: 'true' } : { follow: 'true' }),
        ...(since === undefined ? {} : { sinceTime: since.toISOString() }),
      },
      this.#ending.signal,
    );
    const splitter = new LineSplitter();
    const write = (text: string): void => {
      const [, time = '', line = text] = /^(\S+) (.*)$/s.exec(text) ?? [];
      const at = new Date(time);
      const isTimed = !Number.isNaN(at.getTime());
      // The API server counts in whole seconds, so lines of the same second come again.
      if (isTimed && since !== undefined && at <= since) return;
      if (isTimed) this.#since = at;
      writer.write('stdout', isTimed ? line : text, isTimed ? at : new Date());
    };
    for await (const chunk of answer) {
      for (const line of splitter.push(chunk as Buffer)) write(line);
      await writer.relieved();
    }
    for (const line of splitter.end()) write(line);
  }
}

const lastLine = async (directory: string, instance: string): Promise<LogLine | undefined> => {
  let last: LogLine | undefined;
  for await (const line of readLogs(directory, { instance, tailLines: 1 })) last = line;
  return last;
};
