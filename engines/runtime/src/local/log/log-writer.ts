/**
 * Writes one instance's log: numbered lines, two files of bounded size, and limits for programs that write fast or faster than the disk.
 */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LineSplitter } from './line-splitter.ts';
import { FORMER_SUFFIX, LOG_SUFFIX } from './log-files.ts';
import { formatLogLine, type LogSource } from './log-line.ts';
import { OutputLimit, type SliceClock } from './output-limit.ts';

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_PENDING_BYTES = 1024 * 1024;

export interface LogWriterOptions {
  readonly directory: string;
  readonly instance: string;
  readonly onError: (error: unknown) => void;
  /** Called with every line of the program. */
  readonly onLine?: (line: string) => void;
  readonly maxFileBytes?: number;
  /** Number of the last line that another writer stored. Defaults to 0. */
  readonly firstNumber?: number;
  /** Replaced in tests. */
  readonly clock?: SliceClock;
}

/** Yields chunks until the stream ends or breaks off. */
async function* untilEnd(source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk as Buffer;
  } catch {
    // The program is gone.
  }
}

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #file: string;
  /** Limit of the current run. */
  #limit: OutputLimit | undefined;
  readonly #open = new Set<Promise<unknown>>();
  #number: number;
  #hasDirectory = false;
  #pending: string[] = [];
  #pendingBytes = 0;
  #fileBytes = 0;
  #flushing: Promise<void> | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#number = options.firstNumber ?? 0;
    this.#file = join(options.directory, options.instance + LOG_SUFFIX);
  }

  /** Reads a stream of the program's current run to its end. */
  attach(source: Readable, stream: 'stdout' | 'stderr'): void {
    this.#limit ??= new OutputLimit((why) => this.write('platform', why), this.#options.clock);
    const following = this.#follow(source, stream, this.#limit)
      .catch(this.#options.onError)
      .finally(() => this.#open.delete(following));
    this.#open.add(following);
  }

  /** Reads only as much as the output limit and the disk allow. */
  async #follow(source: Readable, stream: 'stdout' | 'stderr', limit: OutputLimit): Promise<void> {
    const splitter = new LineSplitter();
    for await (const chunk of untilEnd(source)) {
      while (!limit.take(chunk.length, 0)) await limit.over();
      for (const line of splitter.push(chunk)) {
        while (!limit.take(0, 1)) await limit.over();
        this.#say(stream, line);
      }
      await this.relieved();
    }
    for (const line of splitter.end()) this.#say(stream, line);
  }

  #say(stream: 'stdout' | 'stderr', line: string): void {
    this.write(stream, line);
    this.#options.onLine?.(line);
  }

  write(source: LogSource, line: string, at = new Date()): void {
    const text = formatLogLine({ number: ++this.#number, at, source, line });
    this.#pending.push(text);
    this.#pendingBytes += text.length;
    this.#flushing ??= this.#flush();
  }

  /** Resolves when the attached streams have ended, or after `ms`: a program's last output arrives after its end. */
  async heardOut(ms: number): Promise<void> {
    this.#limit?.lift();
    this.#limit = undefined;
    const waiting = new AbortController();
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.race([Promise.all(this.#open), delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
  }

  /** Resolves when the disk has caught up with fast writers. */
  async relieved(): Promise<void> {
    if (this.#pendingBytes > MAX_PENDING_BYTES) await this.#flushing;
  }

  /** Resolves when everything written so far is in the file. */
  async flushed(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    try {
      await this.#directory();
      while (this.#pending.length > 0) {
        const text = this.#pending.join('');
        this.#pending = [];
        this.#pendingBytes = 0;
        await this.#append(text);
      }
    } catch (error) {
      // A full disk must not end the instance. Its lines are lost, and the server's log reports it.
      this.#options.onError(error);
    } finally {
      this.#flushing = undefined;
    }
  }

  async #directory(): Promise<void> {
    if (this.#hasDirectory) return;
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    this.#hasDirectory = true;
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    if (this.#fileBytes > 0 && this.#fileBytes + bytes > (this.#options.maxFileBytes ?? MAX_FILE_BYTES)) {
      await rename(this.#file, join(this.#options.directory, this.#options.instance + FORMER_SUFFIX));
      this.#fileBytes = 0;
    }
    await appendFile(this.#file, text, { mode: 0o600 });
    this.#fileBytes = this.#fileBytes === 0 ? (await stat(this.#file)).size : this.#fileBytes + bytes;
  }
}
