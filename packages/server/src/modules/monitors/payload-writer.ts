/**
 * Writes payloads in batches. A batch is committed in one transaction, and its payloads are acknowledged after that. While batches are under
 * way, further payloads wait for the next one, so batches grow with the load.
 */
import type { Pool, PoolClient } from 'pg';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { errorCode } from '#kernel/caught.ts';
import { insertBatch, type Batch } from './batch-rows.sql.ts';
import { batchOf, type Arrived } from './batch.ts';
import type { KnownNames } from './known-names.ts';
import { ensurePartitions } from './partitions.ts';

/** `invalid`: the session has ended. `gone`: the monitor was deleted. */
export type Stored = 'valid' | 'invalid' | 'gone';
interface Waiting extends Arrived {
  readonly done: (stored: Stored) => void;
  readonly failed: (error: unknown) => void;
}

const MAX_BATCH = 1000;
const MAX_UNDER_WAY = 2;
const MAX_ATTEMPTS = 4;
const SESSION_HOURS = 4;
const IDLE_MINUTES = 15;
const [NO_PARTITION, FOREIGN_KEY, DEADLOCK] = ['23514', '23503', '40P01'];

export class PayloadWriter {
  readonly #pool: Pool;
  readonly #names: KnownNames;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(pool: Pool, names: KnownNames) {
    this.#pool = pool;
    this.#names = names;
  }

  /** Resolves when the payload is committed. */
  write(arrived: Arrived): Promise<Stored> {
    return new Promise((done, failed) => {
      this.#waiting.push({ ...arrived, done, failed });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= MAX_UNDER_WAY || this.#waiting.length === 0) return;
    this.#underWay += 1;
    // Payloads that arrive in the same turn of the event loop share the batch.
    setImmediate(() => {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      void this.#flush(batch).finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
      this.#next();
    });
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const stored = await this.#commit(batch);
      for (const [index, { done }] of batch.entries()) done(stored[index] ?? 'gone');
    } catch (error) {
      if (batch.length === 1 || isDatabaseOutage(error) || isStatementTimeout(error)) for (const { failed } of batch) failed(error);
      else await this.#flushHalves(batch);
    }
  }

  /** A payload that the database rejects fails alone: the batch is halved until the payload is by itself. */
  async #flushHalves(batch: readonly Waiting[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#flush(batch.slice(0, middle));
    await this.#flush(batch.slice(middle));
  }

  async #commit(batch: readonly Arrived[]): Promise<Stored[]> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#pool.connect();
      const undo: (() => void)[] = [];
      try {
        await client.query('begin');
        const stored = await this.#write(client, batch, undo);
        await client.query('commit');
        client.release();
        return stored;
      } catch (error) {
        for (const step of undo) step();
        await client.query('rollback').then(
          () => client.release(),
          () => client.release(true),
        );
        const code = errorCode(error);
        if (attempt >= MAX_ATTEMPTS || ![NO_PARTITION, FOREIGN_KEY, DEADLOCK].includes(code ?? '')) throw error;
        // FOREIGN_KEY: a monitor was deleted meanwhile. The next attempt leaves its payloads out.
        if (code === NO_PARTITION) await ensurePartitions(this.#pool, new Date());
      }
    }
  }

  async #write(client: PoolClient, arrived: readonly Arrived[], undo: (() => void)[]): Promise<Stored[]> {
    const monitorIds = [...new Set(arrived.map(({ monitor }) => monitor.id))];
    const living = new Set(
      (await client.query<{ id: string }>('select id from monitor where id = any($1)', [monitorIds])).rows.map(({ id }) => id),
    );
    const kept = arrived.filter(({ monitor }) => living.has(monitor.id));
    const ended = await endedSessions(client, kept);
    const isEnded = ({ monitor, payload }: Arrived): boolean => ended.has(`${monitor.id} ${payload.session}`);
    const names = await this.#names.load(client, [...living]);
    undo.push(names.forget);
    const batch: Batch = batchOf(kept, { names, isEnded });
    await insertBatch(client, batch);
    return arrived.map((one) => (!living.has(one.monitor.id) ? 'gone' : isEnded(one) ? 'invalid' : 'valid'));
  }
}

/** A session ends four hours after its start, or after 15 minutes without a payload. */
const endedSessions = async (client: PoolClient, arrived: readonly Arrived[]): Promise<ReadonlySet<string>> => {
  const asked = arrived.filter(({ payload }) => payload.session !== '');
  if (asked.length === 0) return new Set();
  const { rows } = await client.query<{ key: string }>(
    `select monitor_id || ' ' || id as key from monitor_session join unnest($1::text[], $2::text[]) as asked (monitor_id, id) using (monitor_id, id)
     where started_at < now() - make_interval(hours => ${SESSION_HOURS}) or last_at < now() - make_interval(mins => ${IDLE_MINUTES})`,
    [asked.map(({ monitor }) => monitor.id), asked.map(({ payload }) => payload.session)],
  );
  return new Set(rows.map(({ key }) => key));
};
