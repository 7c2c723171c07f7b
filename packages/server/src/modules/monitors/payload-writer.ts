/** Writes payloads of browsers in batches. */
import type { Pool, PoolClient } from 'pg';
import { BatchWriter, commitBatch } from '#kernel/ingest/batch-writer.ts';
import { insertBatch, type Batch } from './batch-rows.sql.ts';
import { batchOf, type Arrived } from './batch.ts';
import type { KnownNames } from './known-names.ts';
import { monitorPartitions } from './partitions.ts';

/** `invalid`: the session has ended. `gone`: the monitor was deleted. */
export type Stored = 'valid' | 'invalid' | 'gone';

const MAX_BATCH = 1000;
const SESSION_HOURS = 4;
const IDLE_MINUTES = 15;
const FOREIGN_KEY = '23503';

export class PayloadWriter {
  readonly #pool: Pool;
  readonly #names: KnownNames;
  readonly #batches: BatchWriter<Arrived, Stored>;

  constructor(pool: Pool, names: KnownNames) {
    this.#pool = pool;
    this.#names = names;
    this.#batches = new BatchWriter({ commit: (batch) => this.#commit(batch), maxBatch: MAX_BATCH });
  }

  /** Resolves when the payload is committed. */
  write(arrived: Arrived): Promise<Stored> {
    return this.#batches.write(arrived);
  }

  #commit(batch: readonly Arrived[]): Promise<Stored[]> {
    const undo: (() => void)[] = [];
    return commitBatch(this.#pool, {
      // A monitor was deleted meanwhile. The next attempt leaves its payloads out.
      retried: [FOREIGN_KEY],
      write: (client) => this.#write(client, batch, undo),
      undo: () => {
        for (const step of undo.splice(0)) step();
      },
      partitions: () => monitorPartitions.ensure(this.#pool, new Date()),
    });
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
