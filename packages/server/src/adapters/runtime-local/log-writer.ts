/** Writes one instance's log: numbered lines, two files of bounded size, and a brake for programs that write faster than the disk. */
import { once } from 'node:events';
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LineSplitter } from './line-splitter.ts';
import { FORMER_SUFFIX, LOG_SUFFIX } from './log-files.ts';
import { formatLogLine, type LogSource } from './log-line.ts';

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_PENDING_BYTES = 1024 * 1024;

export interface LogWriterOptions {
  readonly directory: string;
  readonly instance: string;
  readonly onError: (error: unknown) => void;
  /** Hears every line of the program. */
  readonly onLine?: (line: string) => void;
  readonly maxFileBytes?: number;
}

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #file: string;
  readonly #paused = new Set<Readable>();
  readonly #open = new Set<Promise<unknown>>();
  #number = 0;
  #hasDirectory = false;
  #pending: string[] = [];
  #pendingBytes = 0;
  #fileBytes = 0;
  #flushing: Promise<void> | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#file = join(options.directory, options.instance + LOG_SUFFIX);
  }

  /** Follows a stream to its end. */
  attach(source: Readable, stream: 'stdout' | 'stderr'): void {
    const splitter = new LineSplitter();
    const closed = once(source, 'close').catch(() => undefined);
    this.#open.add(closed);
    void closed.then(() => this.#open.delete(closed));
    const take = (line: string): void => {
      this.write(stream, line);
      this.#options.onLine?.(line);
    };
    source.on('data', (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) take(line);
      if (this.#pendingBytes <= MAX_PENDING_BYTES) return;
      this.#paused.add(source);
      source.pause();
    });
    source.once('close', () => {
      for (const line of splitter.end()) take(line);
      this.#paused.delete(source);
    });
  }

  write(source: LogSource, line: string): void {
    const text = formatLogLine({ number: ++this.#number, at: new Date(), source, line });
    this.#pending.push(text);
    this.#pendingBytes += text.length;
    this.#flushing ??= this.#flush();
  }

  /** Resolves when the streams that are followed have ended, or after `ms`: a program's last words come after its end. */
  async heardOut(ms: number): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([Promise.all(this.#open), delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
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
        for (const source of this.#paused) source.resume();
        this.#paused.clear();
      }
    } catch (error) {
      // A full disk must not end the instance: its lines are lost, and the server's log says so.
      this.#options.onError(error);
      for (const source of this.#paused) source.resume();
      this.#paused.clear();
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
