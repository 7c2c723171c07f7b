/**
 * The log of one partition: a list of segments, of which the last one grows. Made by openLog(). Writing and reading are synchronous: when
 * append() returns, a batch is in the page cache, so that kill -9 loses nothing acknowledged, and readers never see a partial write.
 */
import { errors } from '../protocol/errors.ts';
import { HEAD_BYTES, batchBytes, putInPlace, readHead, stampAppendTime, type BatchHead } from './batch.ts';
import { writeCheckpoint } from './checkpoint.ts';
import type { Flusher } from './flusher.ts';
import type { LogSettings } from './log-settings.ts';
import type { OpenFiles } from './open-files.ts';
import { Producers } from './producers.ts';
import { visitAtOnce, visitInTurns } from './records/read-records.ts';
import type { Turns } from './records/turns.ts';
import { InvalidRecords, RecordsTooLarge, type Visit } from './records/walk.ts';
import { DamagedSegment, Segment, type Found } from './segment.ts';

/** Shared by all logs of a broker. */
export interface LogTools {
  readonly turns: Turns;
  readonly files: OpenFiles;
  readonly flusher: Flusher;
  now(): number;
  log(level: 'info' | 'warn' | 'error', message: string, detail?: Readonly<Record<string, unknown>>): void;
}
export type Appended =
  | { readonly errorCode: 0; readonly baseOffset: number; readonly appendTime: number; readonly flushed: Promise<void> | undefined }
  | { readonly errorCode: number; readonly baseOffset: -1; readonly appendTime: -1; readonly flushed: undefined };
export interface TimedOffset {
  readonly offset: number;
  readonly timestamp: number;
}

/** Each log has a single leader that never changes. */
export const LEADER_EPOCH = 0;
const CHECKPOINT_BYTES = 16 * 1024 * 1024;

export const refused = (errorCode: number): Appended => ({ errorCode, baseOffset: -1, appendTime: -1, flushed: undefined });

export class PartitionLog {
  readonly directory: string;
  readonly tools: LogTools;
  settings: LogSettings;
  /** Never empty. */
  readonly segments: Segment[] = [];
  readonly producers = new Producers();
  /** Called with the number of bytes after each append, and with 0 when the log ends. */
  readonly watchers = new Set<(bytes: number) => void>();
  startOffset = 0;
  endOffset = 0;
  /** Segments below this offset were compacted together. */
  cleanedTo = 0;
  isClosed = false;
  #sinceCheckpoint = 0;
  /** Positions of batches that are likely to be read next. */
  readonly #hints = new Map<number, { readonly segment: Segment; readonly position: number }>();

  constructor(directory: string, settings: LogSettings, tools: LogTools) {
    this.directory = directory;
    this.settings = settings;
    this.tools = tools;
  }

  get active(): Segment {
    return this.segments.at(-1) ?? this.addSegment(this.endOffset);
  }
  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  addSegment(base: number): Segment {
    const segment = new Segment(this.directory, base, this.tools.files);
    this.segments.push(segment);
    return segment;
  }

  /** Appends a batch that was already checked (check-batch.ts). Writes the base offset into it. */
  append(batch: Buffer): Appended {
    const now = this.tools.now();
    if (this.settings.hasAppendTime) stampAppendTime(batch, now);
    const asked = readHead(batch);
    const verdict = this.producers.judge(asked);
    if (verdict.is === 'refused') return refused(verdict.errorCode);
    if (verdict.is === 'duplicate') return { errorCode: errors.NONE, baseOffset: verdict.baseOffset, appendTime: -1, flushed: undefined };
    const baseOffset = this.endOffset;
    putInPlace(batch, baseOffset, LEADER_EPOCH);
    const head: BatchHead = { ...asked, baseOffset, lastOffset: asked.lastOffset - asked.baseOffset + baseOffset };
    const segment = this.#segmentFor(batch.length, head.maxTimestamp, now);
    const position = segment.bytes;
    segment.append(batch, head);
    this.endOffset = head.lastOffset + 1;
    this.producers.note(head, baseOffset, now);
    this.#hint(baseOffset, segment, position);
    this.#sinceCheckpoint += batch.length;
    if (this.#sinceCheckpoint >= CHECKPOINT_BYTES) this.checkpoint();
    const flushed = this.tools.flusher.written(segment.file);
    for (const watcher of this.watchers) watcher(batch.length);
    return { errorCode: errors.NONE, baseOffset, appendTime: this.settings.hasAppendTime ? now : -1, flushed };
  }

  /** Returns the segment to append to. Rolls like Kafka: by size, and by the age of the first message, measured by message timestamps. */
  #segmentFor(bytes: number, timestamp: number, now: number): Segment {
    const { active } = this;
    if (active.bytes === 0) return active;
    const isFull = active.bytes + bytes > this.settings.segmentBytes;
    const isOld = Math.max(timestamp, now) - active.firstTimestamp > this.settings.segmentMs;
    return isFull || isOld ? this.roll() : active;
  }

  /** Starts a new segment. The checkpoint names it before its file exists, so that recovery never checks a whole old segment. */
  roll(): Segment {
    const { active } = this;
    if (active.bytes === 0) return active;
    this.tools.flusher.flushLater(active.file);
    const segment = this.addSegment(this.endOffset);
    this.checkpoint();
    return segment;
  }

  /** Writes a checkpoint, which saves work at the next start. Failures are tolerated. */
  checkpoint(): void {
    try {
      this.requireCheckpoint();
    } catch (error) {
      this.tools.log('warn', 'a checkpoint could not be written', { directory: this.directory, error: String(error) });
    }
    // Not retried for each batch.
    this.#sinceCheckpoint = 0;
  }
  /** Writes a checkpoint that must succeed, because only it records which records were deleted. */
  requireCheckpoint(): void {
    const { base, bytes } = this.active;
    const { endOffset, startOffset, cleanedTo } = this;
    writeCheckpoint(this.directory, {
      base,
      position: bytes,
      endOffset,
      startOffset,
      cleanedTo,
      producers: this.producers.state(this.tools.now()),
    });
  }

  /**
   * Returns whole batches from the batch that contains `offset`, up to `maxBytes`, but at least one if `isFirst`. Returns undefined at the
   * end. Throws DamagedSegment if the first batch is damaged.
   */
  read(offset: number, maxBytes: number, isFirst: boolean): Buffer | undefined {
    if (offset >= this.endOffset) return undefined;
    const place = this.#hints.get(offset) ?? this.#locate(offset);
    if (place === undefined) return undefined;
    const { segment, position } = place;
    let bytes = segment.read(position, Math.max(maxBytes, isFirst ? HEAD_BYTES : 0));
    if (bytes.length >= HEAD_BYTES) {
      const size = batchBytes(bytes);
      if (size < HEAD_BYTES || position + size > segment.bytes) throw new DamagedSegment(segment.file, position);
      if (isFirst && size > bytes.length) bytes = segment.read(position, size);
    }
    const { length, next } = wholeBatches(bytes);
    if (length === 0) return undefined;
    if (position + length < segment.bytes) this.#hint(next, segment, position + length);
    return bytes.subarray(0, length);
  }

  #hint(offset: number, segment: Segment, position: number): void {
    const [oldest] = this.#hints.keys();
    if (oldest !== undefined && this.#hints.size >= 64) this.#hints.delete(oldest);
    this.#hints.set(offset, { segment, position });
  }
  /** Must be called after a segment was replaced or removed. */
  forgetHints(): void {
    this.#hints.clear();
  }

  #locate(offset: number): { segment: Segment; position: number } | undefined {
    for (let index = this.segmentIndex(offset); index < this.segments.length; index += 1) {
      const segment = this.segments[index];
      const found = segment?.find(offset);
      if (segment && found) return { segment, position: found.position };
    }
    return undefined;
  }

  /** Returns the index of the segment that contains the offset: the last one that begins at or before it. */
  segmentIndex(offset: number): number {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.segments[middle]?.base ?? Infinity) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the first record at or after `timestamp`. */
  async offsetForTime(timestamp: number, principal: string): Promise<TimedOffset | undefined> {
    for (const segment of this.segments) {
      const found = segment.findTime(timestamp, this.startOffset);
      if (found) return this.#recordFrom(segment, found, timestamp, principal);
    }
    return undefined;
  }

  /** Returns the first record with the maximum timestamp. */
  async latestTime(principal: string): Promise<TimedOffset | undefined> {
    const latest = Math.max(-1, ...this.segments.map(({ maxTimestamp }) => maxTimestamp));
    return latest < 0 ? undefined : this.offsetForTime(latest, principal);
  }

  /**
   * Returns the first matching record of a batch. If the batch cannot be opened, returns its first record, and readers skip what is too
   * early.
   */
  async #recordFrom(segment: Segment, { head, position }: Found, timestamp: number, principal: string): Promise<TimedOffset> {
    let record: TimedOffset | undefined;
    const visit: Visit = (one) => {
      if (one.timestamp < timestamp || one.offset < this.startOffset) return false;
      record = { offset: one.offset, timestamp: one.timestamp };
      return true;
    };
    try {
      const batch = head.count === 1 ? undefined : segment.read(position, head.bytes);
      if (batch && !visitAtOnce(batch, head, this.tools.turns, visit))
        await this.tools.turns.run(principal, batch.length, () => visitInTurns(batch, head, visit));
    } catch (error) {
      if (!(error instanceof InvalidRecords || error instanceof RecordsTooLarge)) throw error;
    }
    if (record) return record;
    return { offset: Math.max(head.baseOffset, this.startOffset), timestamp: head.count === 1 ? head.maxTimestamp : head.baseTimestamp };
  }

  close(): void {
    if (this.isClosed) return;
    this.checkpoint();
    this.end();
  }
  /** Closes the log without a checkpoint, because its topic is deleted. */
  end(): void {
    this.isClosed = true;
    for (const { file, index } of this.segments) {
      this.tools.files.close(file);
      index.close();
    }
    for (const watcher of this.watchers) watcher(0);
    this.watchers.clear();
  }
}

/** Returns the length of the whole batches in `bytes`, and the offset after the last of them. */
const wholeBatches = (bytes: Buffer): { length: number; next: number } => {
  let length = 0;
  let last = -1;
  while (length + HEAD_BYTES <= bytes.length) {
    const size = batchBytes(bytes, length);
    if (size < HEAD_BYTES || length + size > bytes.length) break;
    last = length;
    length += size;
  }
  return { length, next: last < 0 ? -1 : readHead(bytes, last).lastOffset + 1 };
};
