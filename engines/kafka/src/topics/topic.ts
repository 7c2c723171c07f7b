/** One topic: its metadata, stored in a file, and the logs of its partitions, opened on first use. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LogSettings } from '../log/log-settings.ts';
import { openLog } from '../log/open-log.ts';
import type { LogTools, PartitionLog } from '../log/partition-log.ts';
import { logSettings } from './topic-configs.ts';

export const TopicRow = z.object({
  id: z.string(),
  name: z.string(),
  partitions: z.int().min(1),
  /** The requested replication factor. There is always one replica. */
  replication: z.int(),
  configs: z.record(z.string(), z.string()),
});
export type TopicRow = z.output<typeof TopicRow>;

/** Returns 16 random bytes in Kafka's text form, which is also a valid directory name. */
export const newTopicId = (): string => {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    // Kafka's tools treat a leading dash as an option.
    if (!id.startsWith('-')) return id;
  }
};

export class Topic {
  readonly directory: string;
  readonly #tools: LogTools;
  readonly #logs = new Map<number, PartitionLog>();
  #row: TopicRow;
  #settings: LogSettings;
  #isEnded = false;

  constructor(directory: string, row: TopicRow, tools: LogTools) {
    this.directory = directory;
    this.#tools = tools;
    this.#row = row;
    this.#settings = logSettings(row.configs);
  }

  get row(): TopicRow {
    return this.#row;
  }
  get settings(): LogSettings {
    return this.#settings;
  }
  /** Must be called after the file was written. */
  change(row: TopicRow): void {
    this.#row = row;
    this.#settings = logSettings(row.configs);
    for (const log of this.#logs.values()) log.settings = this.#settings;
  }

  /** Returns undefined if the topic does not have the partition. */
  log(partition: number): PartitionLog | undefined {
    const open = this.#logs.get(partition);
    if (open) return open;
    if (this.#isEnded || !this.hasPartition(partition)) return undefined;
    const log = openLog(this.#directoryOf(partition), this.#settings, this.#tools);
    this.#logs.set(partition, log);
    return log;
  }
  hasPartition(partition: number): boolean {
    return Number.isInteger(partition) && partition >= 0 && partition < this.#row.partitions;
  }
  /** Yields the logs that were ever written or read. Others have no files and nothing to clean. */
  *usedLogs(): Generator<PartitionLog> {
    for (let partition = 0; partition < this.#row.partitions; partition += 1) {
      const isUsed = this.#logs.has(partition) || fs.existsSync(this.#directoryOf(partition));
      const log = isUsed ? this.log(partition) : undefined;
      if (log) yield log;
    }
  }

  /** Returns a partition's size on disk, without opening it. */
  bytesOf(partition: number): number {
    const open = this.#logs.get(partition);
    if (open) return open.bytes;
    const directory = this.#directoryOf(partition);
    if (!fs.existsSync(directory)) return 0;
    const logs = fs.readdirSync(directory).filter((name) => name.endsWith('.log'));
    return logs.reduce((sum, name) => sum + fs.statSync(path.join(directory, name)).size, 0);
  }

  close(): void {
    for (const log of this.#logs.values()) log.close();
  }
  /** Closes the logs before the topic's files are removed. */
  end(): void {
    this.#isEnded = true;
    for (const log of this.#logs.values()) log.end();
    this.#logs.clear();
  }

  #directoryOf(partition: number): string {
    return path.join(this.directory, String(partition));
  }
}
