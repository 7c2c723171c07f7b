/** Reads instances' logs from their files and follows them, wherever the instances run on this machine. */
import { watch } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LogLine } from '#ports/runtime.ts';
import { FORMER_SUFFIX, loggedInstances, LOG_SUFFIX } from './log-files.ts';
import { parseLogLine, type StoredLine } from './log-line.ts';

export interface LogOptions {
  /** As somebody wrote it: one that is no name of a file in the revision's own directory has no log. */
  readonly instance?: string;
  readonly tailLines?: number;
  /** Only lines with a greater number; numbers count per instance. */
  readonly sinceNumber?: number;
  /** Each instance's run before its last restart; ends with what is stored. */
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Some file systems tell nothing of changes: then this is how late a line may come. */
const POLL_MS = 400;

export async function* readLogs(directory: string, options: LogOptions): AsyncGenerator<LogLine> {
  const { instance, previous, signal, sinceNumber = 0, tailLines } = options;
  const follow = options.follow && !previous;
  // `../../other/…` would be another team's log.
  if (instance !== undefined && basename(instance) !== instance) return;
  const cursors = new Map<string, LogCursor>();
  const read = async (): Promise<readonly LogLine[]> => {
    for (const id of instance === undefined ? await loggedInstances(directory) : [instance]) {
      if (!cursors.has(id)) cursors.set(id, new LogCursor(directory, id, sinceNumber));
    }
    const read = await Promise.all([...cursors.values()].map((cursor) => cursor.read()));
    const lines = (previous ? read.map(runBefore) : read).flat().map(shown);
    return lines.toSorted((left, right) => left.at.getTime() - right.at.getTime());
  };
  const changes = follow ? new DirectoryChanges(directory) : undefined;
  try {
    const stored = await read();
    yield* tailLines === undefined ? stored : stored.slice(Math.max(0, stored.length - tailLines));
    while (changes && !signal?.aborted) {
      await changes.next(signal);
      yield* await read();
    }
  } finally {
    changes?.close();
  }
}

/** Nothing where there was no restart, or where the log was full so often that its mark is gone. */
function runBefore(lines: readonly StoredLine[]): readonly StoredLine[] {
  const last = lines.findLastIndex(({ isRestart }) => isRestart);
  const first = lines.slice(0, Math.max(0, last)).findLastIndex(({ isRestart }) => isRestart);
  return lines.slice(first + 1, Math.max(0, last));
}

const shown = ({ at, instance, line, number, stream }: StoredLine): LogLine => ({ at, instance, line, number, stream });

/** Where reading an instance's log has come to: by line number, since a full file becomes the former one and starts anew. */
class LogCursor {
  readonly #directory: string;
  readonly #instance: string;
  #number: number;
  #offset = 0;
  #inode = -1;

  constructor(directory: string, instance: string, sinceNumber: number) {
    this.#directory = directory;
    this.#instance = instance;
    this.#number = sinceNumber;
  }

  async read(): Promise<readonly StoredLine[]> {
    const current = join(this.#directory, this.#instance + LOG_SUFFIX);
    const found = await stat(current).catch(() => undefined);
    if (!found || (found.ino === this.#inode && found.size <= this.#offset)) return [];
    const isSame = found.ino === this.#inode;
    const former = isSame ? '' : (await readFrom(join(this.#directory, this.#instance + FORMER_SUFFIX), 0)).text;
    const latest = await readFrom(current, isSame ? this.#offset : 0);
    // The file may have turned while it was read: its inode says which one was read.
    this.#inode = latest.inode;
    this.#offset = (isSame ? this.#offset : 0) + Buffer.byteLength(latest.text);
    return this.#parse(former + latest.text);
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

/** Whole lines from an offset on; a line that is still being written is left for the next time. */
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

/** Wakes when something in the directory changes, or after a while. */
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
      // Not there yet: polling finds it when it is.
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
