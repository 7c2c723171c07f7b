/**
 * Walks the records of a batch while they are unpacked, piece by piece, and holds at most one record in memory. Throws InvalidRecords for
 * everything that readers would reject: inconsistent lengths, and more or fewer records than the batch says.
 */
import type { BatchHead } from '../batch.ts';
import { hasAppendTime } from '../batch.ts';

/** Thrown if a reader could not read these records. */
export class InvalidRecords extends Error {}
/** Thrown if the records would unpack to more than this broker opens. */
export class RecordsTooLarge extends Error {}

/** The current record of a walk. Overwritten by the next one. */
export interface RecordView {
  readonly offset: number;
  readonly timestamp: number;
  readonly hasKey: boolean;
  readonly hasValue: boolean;
  key(): Buffer;
  /** Returns the whole record, including its length. */
  raw(): Buffer;
}
/** Returns true to ignore the remaining records. */
export type Visit = (record: RecordView) => boolean | void;

/** Maximum bytes of a length field. */
const LENGTH_BYTES = 5;

export class RecordWalk implements RecordView {
  readonly #head: BatchHead;
  readonly #visit: Visit;
  readonly #baseOffset: number;
  readonly #appendTime: number | undefined;
  /** The beginning of an incomplete record. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = 0;
  #seen = 0;
  #isEnough = false;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #start = 0;
  #end = 0;
  #keyAt = 0;
  #keyBytes = -1;
  offset = 0;
  timestamp = 0;
  hasValue = false;

  constructor(head: BatchHead, visit: Visit) {
    this.#head = head;
    this.#visit = visit;
    this.#baseOffset = head.baseOffset;
    this.#appendTime = hasAppendTime(head.attributes) ? head.maxTimestamp : undefined;
  }

  get isEnough(): boolean {
    return this.#isEnough;
  }
  get hasKey(): boolean {
    return this.#keyBytes >= 0;
  }
  key(): Buffer {
    return this.#bytes.subarray(this.#keyAt, this.#keyAt + Math.max(0, this.#keyBytes));
  }
  raw(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Adds the next bytes of the unpacked records. */
  push(chunk: Buffer): void {
    this.#bytes = this.#joined(chunk);
    this.#at = 0;
    while (this.#at < this.#bytes.length && !this.#isEnough) {
      this.#start = this.#at;
      this.#end = this.#endOfRecord();
      if (this.#end > this.#bytes.length) {
        this.#hold(this.#end - this.#start);
        return;
      }
      if (this.#seen >= this.#head.count) throw new InvalidRecords('The batch holds more records than it says.');
      this.#seen += 1;
      this.#read();
      this.#at = this.#end;
      if (this.#visit(this) === true) this.#isEnough = true;
    }
  }
  /** Ends the walk. No bytes may be left. */
  end(): void {
    if (this.#isEnough) return;
    if (this.#heldBytes > 0) throw new InvalidRecords('The last record of the batch is cut off.');
    if (this.#seen < this.#head.count) throw new InvalidRecords('The batch holds fewer records than it says.');
  }

  /** Joins the pieces only once the record is complete, however many there are. */
  #joined(chunk: Buffer): Buffer {
    if (this.#heldBytes === 0) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#neededBytes) return Buffer.alloc(0);
    const joined = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return joined;
  }
  #hold(neededBytes: number): void {
    const rest = this.#bytes.subarray(this.#start);
    this.#held = [rest];
    this.#heldBytes = rest.length;
    this.#neededBytes = neededBytes;
  }

  /** Returns the end position, which is beyond the bytes if the record is incomplete. */
  #endOfRecord(): number {
    const { length } = this.#bytes;
    if (length - this.#at < LENGTH_BYTES && !this.#hasWholeNumber()) return length + 1;
    const bytes = this.#number(length);
    if (bytes <= 0) throw new InvalidRecords('A record of the batch has no length.');
    return this.#at + bytes;
  }
  #hasWholeNumber(): boolean {
    for (let index = this.#at; index < this.#bytes.length; index += 1) if ((this.#bytes[index] ?? 0) < 0x80) return true;
    return false;
  }

  #read(): void {
    const end = this.#end;
    this.#at += 1;
    const timestamp = this.#head.baseTimestamp + this.#number(end);
    this.timestamp = this.#appendTime ?? timestamp;
    this.offset = this.#baseOffset + this.#number(end);
    this.#keyBytes = this.#number(end);
    this.#keyAt = this.#at;
    this.#skip(this.#keyBytes, end);
    const valueBytes = this.#number(end);
    this.hasValue = valueBytes >= 0;
    this.#skip(valueBytes, end);
    const headers = this.#number(end);
    if (headers < 0) throw new InvalidRecords('A record of the batch has a negative number of headers.');
    for (let index = 0; index < headers; index += 1) {
      const nameBytes = this.#number(end);
      if (nameBytes < 0) throw new InvalidRecords('A header of a record has no name.');
      this.#skip(nameBytes, end);
      this.#skip(this.#number(end), end);
    }
    if (this.#at !== end) throw new InvalidRecords('A record of the batch does not end where its length says.');
  }
  /** Java's clients treat any negative length as null. Others fail on all but -1. */
  #skip(bytes: number, end: number): void {
    if (bytes < -1) throw new InvalidRecords('A field of a record has a negative length.');
    if (bytes > end - this.#at) throw new InvalidRecords('A field of a record is longer than the record.');
    if (bytes > 0) this.#at += bytes;
  }
  /** Reads a zigzag varint of up to 70 bits, of which 53 are kept. */
  #number(end: number): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10 && this.#at < end; count += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 0x80;
    }
    throw new InvalidRecords('A number in a record does not end.');
  }
}
