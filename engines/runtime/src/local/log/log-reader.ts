/** Reads instances' logs from their files and follows them, including instances of other processes on this machine. */
import { watch } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { LogLine } from '@slipway/foundation/ports/runtime.ts';
import { FORMER_SUFFIX, loggedInstances, LOG_SUFFIX } from './log-files.ts';
import { parseLogLine, type StoredLine } from './log-line.ts';

export interface LogOptions {
  /** Instance id as the caller wrote it. An id that is no file name in the revision's own directory has no log. */
  readonly instance?: string;
  readonly tailLines?: number;
  /** Returns only lines with a greater number. Numbers count per instance. */
  readonly sinceNumber?: number;
  /** Returns each instance's run before its last restart, and does not follow. */
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Longest delay of a line on file systems that do not report changes. */
const POLL_MS = 400;

export async function* readLogs(directory: string, options: LogOptions): AsyncGenerator<LogLine> {
  const { instance, previous, signal, sinceNumber = 0, tailLines } = options;
  const follow = options.follow && !previous;
  // Prevents path traversal: `../../other/…` would be another team's log.
  if (instance !== undefined && basename(instance) !== instance) return;
  const cursors = new Map<string, LogCursor>();
  // `tailLines` doesn't apply to instances that start later.
  let tail = previous ? undefined : tailLines;
  const read = async (): Promise<readonly LogLine[]> => {
    for (const id of instance === undefined ? await loggedInstances(directory) : [instance]) {
      if (!cursors.has(id)) cursors.set(id, new LogCursor(directory, id, sinceNumber, tail));
    }
    const read = await mapLimited(cursors.values(), (cursor) => cursor.read());
    const lines = (previous ? read.map(runBefore) : read).flat().map(shown);
    return lines.toSorted((left, right) => left.at.getTime() - right.at.getTime());
  };
  const changes = follow ? new DirectoryChanges(directory) : undefined;
  try {
    const stored = await read();
    tail = undefined;
    yield* tailLines === undefined ? stored : stored.slice(Math.max(0, stored.length - tailLines));
    while (changes && !signal?.aborted) {
      await changes.next(signal);
      yield* await read();
    }
  } finally {
    changes?.close();
  }
}

/** Returns the run before the last restart. Empty if there was no restart, or if log rotation removed its mark. */
function runBefore(lines: readonly StoredLine[]): readonly StoredLine[] {
  const last = lines.findLastIndex(({ isRestart }) => isRestart);
  const first = lines.slice(0, Math.max(0, last)).findLastIndex(({ isRestart }) => isRestart);
  return lines.slice(first + 1, Math.max(0, last));
}

const shown = ({ at, instance, line, number, stream }: StoredLine): LogLine => ({ at, instance, line, number, stream });

/** Read position in an instance's log, by line number, since a full file is rotated and a new one starts. */
class LogCursor {
  readonly #directory: string;
  readonly #instance: string;
  /** Limits the first read per instance: no more lines are needed from one instance than from all. */
  readonly #tailLines: number | undefined;
  #number: number;
  #offset = 0;
  #inode = -1;

  constructor(directory: string, instance: string, sinceNumber: number, tailLines: number | undefined) {
    this.#directory = directory;
    this.#instance = instance;
    this.#number = sinceNumber;
    this.#tailLines = tailLines;
  }

  async read(): Promise<readonly StoredLine[]> {
    const current = join(this.#directory, this.#instance + LOG_SUFFIX);
    const found = await stat(current).catch(() => undefined);
    if (!found || (found.ino === this.#inode && found.size <= this.#offset)) return [];
    if (this.#tailLines !== undefined && this.#inode === -1) return this.#parse(await this.#tail(current, this.#tailLines));
    const isSame = found.ino === this.#inode;
    const former = isSame ? '' : (await readFrom(join(this.#directory, this.#instance + FORMER_SUFFIX), 0)).text;
    const latest = await readFrom(current, isSame ? this.#offset : 0);
    // The file may have been rotated while it was read. Its inode identifies the file that was read.
    this.#inode = latest.inode;
    this.#offset = (isSame ? this.#offset : 0) + Buffer.byteLength(latest.text);
    return this.#parse(former + latest.text);
  }

  async #tail(current: string, lines: number): Promise<string> {
    const latest = await readTail(current, lines);
    this.#inode = latest.inode;
    this.#offset = latest.end;
    const missing = lines - latest.text.split('\n').length + 1;
    const former = missing > 0 ? await readTail(join(this.#directory, this.#instance + FORMER_SUFFIX), missing) : undefined;
    // If the file was rotated meanwhile, the rotated file is the one that was just read.
    return former && former.inode !== latest.inode ? former.text + latest.text : latest.text;
  }

  #parse(text: string): readonly StoredLine[] {
    const lines = text
      .split('\n')
      .flatMap((line) => parseLogLine(line, this.#instance) ?? [])
      .filter((line) => line.number > this.#number);
    this.#number = lines.at(-1)?.number ?? this.#number;
    return lines;
  }
}

/** Returns complete lines from an offset. A line that is still being written is left for the next read. */
async function readFrom(path: string, offset: number): Promise<{ text: string; inode: number }> {
  let file;
  try {
    file = await open(path, 'r');
  } catch {
    return { text: '', inode: -1 };
  }
  try {
    const { ino, size } = await file.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    return { text: buffer.toString('utf8', 0, end), inode: ino };
  } finally {
    await file.close();
  }
}

const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Returns the last complete lines of a file without reading the rest: ten instances may have logged a hundred megabytes. */
async function readTail(path: string, lines: number): Promise<{ text: string; inode: number; end: number }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', inode: -1, end: 0 };
  try {
    const { ino, size } = await file.stat();
    for (let bytes = TAIL_BYTES; ; bytes *= 4) {
      const start = Math.max(0, size - bytes);
      const buffer = Buffer.alloc(size - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
      const begin = start === 0 ? (beginOf(buffer, end, lines) ?? 0) : beginOf(buffer, end, lines);
      if (begin !== undefined) return { text: buffer.toString('utf8', begin, end), inode: ino, end: start + end };
    }
  } finally {
    await file.close();
  }
}

/** Returns where the last `lines` lines before `end` begin, or undefined if the buffer may not contain all of them. */
function beginOf(buffer: Buffer, end: number, lines: number): number | undefined {
  let begin = end;
  for (let found = 0; found < lines && begin > 0; found++) begin = buffer.subarray(0, begin - 1).lastIndexOf(NEWLINE) + 1;
  return begin > 0 ? begin : undefined;
}

/** Resolves when something in the directory changes, or after a while. */
class DirectoryChanges {
  readonly #close: () => void;
  #wake: () => void = () => {};
  #isDirty = false;

  constructor(directory: string) {
    const onChange = (): void => {
      this.#isDirty = true;
      this.#wake();
    };
    try {
      const watcher = watch(directory, onChange);
      watcher.on('error', () => {});
      this.#close = () => watcher.close();
    } catch {
      // The directory does not exist yet. Polling finds it later.
      this.#close = () => {};
    }
  }

  async next(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#isDirty) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.#wake(), POLL_MS);
        this.#wake = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', this.#wake);
          resolve();
        };
        signal?.addEventListener('abort', this.#wake, { once: true });
        if (signal?.aborted) this.#wake();
      });
    }
    this.#isDirty = false;
  }

  close(): void {
    this.#close();
  }
}
