/**
 * Writes items in batches. A batch is committed in one transaction, and its items are acknowledged after that. While batches are under way,
 * further items wait for the next one, so batches grow with the load.
 */
import type { Pool, PoolClient } from 'pg';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { errorCode } from '#kernel/caught.ts';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}
export interface BatchWriterOptions<Item, Result> {
  /** Commits a batch. Returns a result per item, in their order. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly maxBatch: number;
}

const MAX_UNDER_WAY = 2;
const MAX_ATTEMPTS = 4;
const [NO_PARTITION, DEADLOCK] = ['23514', '40P01'];

export class BatchWriter<Item, Result> {
  readonly #options: BatchWriterOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;

  constructor(options: BatchWriterOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item is committed. */
  write(item: Item): Promise<Result> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= MAX_UNDER_WAY || this.#waiting.length === 0) return;
    this.#underWay += 1;
    // Items that arrive in the same turn of the event loop share the batch.
    setImmediate(() => {
      const batch = this.#waiting.splice(0, this.#options.maxBatch);
      void this.#flush(batch).finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
      this.#next();
    });
  }

  async #flush(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item));
      for (const [index, { done, failed }] of batch.entries()) {
        const result = results[index];
        if (result === undefined) failed(new Error('The batch has no result for the item'));
        else done(result);
      }
    } catch (error) {
      if (batch.length === 1 || isDatabaseOutage(error) || isStatementTimeout(error)) for (const { failed } of batch) failed(error);
      else await this.#flushHalves(batch);
    }
  }

  /** An item that the database rejects fails alone: the batch is halved until the item is by itself. */
  async #flushHalves(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#flush(batch.slice(0, middle));
    await this.#flush(batch.slice(middle));
  }
}

interface Commit<Result> {
  readonly write: (client: PoolClient) => Promise<Result>;
  /** Called after an attempt failed. */
  readonly undo?: () => void;
  /** Creates missing partitions. */
  readonly partitions: () => Promise<void>;
  /** Further error codes of PostgreSQL after which the transaction is tried again. */
  readonly retried?: readonly string[];
}

/** Runs a transaction, and tries again after a deadlock or if a partition is missing. */
export const commitBatch = async <Result>(pool: Pool, { write, undo, partitions, retried = [] }: Commit<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await write(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      undo?.();
      await client.query('rollback').then(
        () => client.release(),
        () => client.release(true),
      );
      const code = errorCode(error) ?? '';
      if (attempt >= MAX_ATTEMPTS || ![NO_PARTITION, DEADLOCK, ...retried].includes(code)) throw error;
      if (code === NO_PARTITION) await partitions();
    }
  }
};
