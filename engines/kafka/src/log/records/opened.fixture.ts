/** The records of a small batch, for tests. */
import { readHead } from '../batch.ts';
import { visitAtOnce } from './read-records.ts';
import { Turns } from './turns.ts';

export interface OpenedRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
}
export const openBatch = (batch: Buffer): OpenedRecord[] => {
  const found: OpenedRecord[] = [];
  const isOpened = visitAtOnce(batch, readHead(batch), new Turns(), (record) => {
    found.push({ offset: record.offset, timestamp: record.timestamp, key: record.hasKey ? String(record.key()) : null });
  });
  if (!isOpened) throw new Error('too large a batch for this');
  return found;
};

/** Returns the smallest possible records, with empty keys. They differ only in their offsets. */
export const bombRecords = (count: number): { body: Buffer; count: number } => {
  const body = Buffer.alloc(count * 10);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const start = at;
    at += 3;
    let rest = index * 2;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) body[at++] = (rest & 0x7f) | 0x80;
    body[at++] = rest;
    // An empty key and no value.
    body[at + 1] = 1;
    at += 3;
    body[start] = (at - start - 1) * 2;
  }
  return { body: body.subarray(0, at), count };
};
