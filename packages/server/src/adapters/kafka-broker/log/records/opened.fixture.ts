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
