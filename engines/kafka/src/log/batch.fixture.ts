/** Record batches and logs for tests: builds what a producer would send, without a client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { logSettings, type Configs } from '../topics/topic-configs.ts';
import { HEAD_BYTES, seal, writeInt64 } from './batch.ts';
import { Flusher } from './flusher.ts';
import type { LogSettings } from './log-settings.ts';
import { OpenFiles } from './open-files.ts';
import { Turns } from './records/turns.ts';
import type { LogTools } from './partition-log.ts';

export interface Message {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly timestamp?: number;
}
export interface BatchOptions {
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isPacked?: boolean;
  /** Raw attribute bits: another compression, a transaction. */
  readonly attributes?: number;
}

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
};
const sized = (text: string | null | undefined): Buffer =>
  text === null || text === undefined ? varint(-1) : Buffer.concat([varint(Buffer.byteLength(text)), Buffer.from(text)]);

export const batchOf = (messages: readonly Message[], options: BatchOptions = {}): Buffer => {
  const times = messages.map(({ timestamp = 1000 }) => timestamp);
  const first = times[0] ?? 0;
  const records = messages.map(({ key, value }, index) => {
    const body = Buffer.concat([Buffer.from([0]), varint((times[index] ?? 0) - first), varint(index), sized(key), sized(value), varint(0)]);
    return Buffer.concat([varint(body.length), body]);
  });
  const plain = Buffer.concat(records);
  const batch = Buffer.concat([Buffer.alloc(HEAD_BYTES), options.isPacked ? gzipSync(plain) : plain]);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(options.attributes ?? (options.isPacked ? 1 : 0), 21);
  batch.writeInt32BE(messages.length - 1, 23);
  writeInt64(batch, first, 27);
  writeInt64(batch, Math.max(...times), 35);
  writeInt64(batch, options.producerId ?? -1, 43);
  batch.writeInt16BE(options.producerEpoch ?? -1, 51);
  batch.writeInt32BE(options.baseSequence ?? -1, 53);
  batch.writeInt32BE(messages.length, 57);
  seal(batch);
  return batch;
};

/** Returns a directory that is removed after the test. */
export const logDirectory = (): string => {
  const directory = mkdtempSync(path.join(tmpdir(), 'slipway-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path.join(directory, '0');
};

export interface Clock {
  ms: number;
}
export const logTools = (clock: Clock = { ms: 1000 }): LogTools & { readonly logged: string[] } => {
  const logged: string[] = [];
  return {
    files: new OpenFiles(8),
    turns: new Turns(),
    flusher: new Flusher(0, () => {}),
    now: () => clock.ms,
    log: (_, message) => logged.push(message),
    logged,
  };
};
export const settingsOf = (configs: Configs = {}, more: Partial<LogSettings> = {}): LogSettings => ({ ...logSettings(configs), ...more });
