/** The queue of deliveries: the next one that is due, the outcome of a try, and old deliveries. Each kind of target has its own tables. */
import { sql } from 'kysely';
import type { DeliveryState } from '@slipway/contract/kernel/delivery.ts';
import type { Db } from '#db/database.ts';

export interface DeliveryTables {
  readonly target: 'webhook' | 'notification_channel';
  readonly delivery: 'webhook_delivery' | 'notification_delivery';
  /** Column of a delivery with its target's id. */
  readonly key: 'webhook_id' | 'channel_id';
  /** Seconds from each try to the next. */
  readonly retrySeconds: readonly number[];
}

export interface DueDelivery {
  readonly id: string;
  readonly event: string;
  readonly tries: number;
  readonly max_tries: number;
}
export const nextDue = async <Due extends DueDelivery>(db: Db, of: DeliveryTables, targetId: string): Promise<Due | undefined> => {
  const { rows } = await sql<Due>`select * from ${sql.table(of.delivery)}
    where ${sql.ref(of.key)} = ${targetId} and state = 'PENDING' and next_try_at <= now() order by next_try_at, id limit 1`.execute(db);
  return rows[0];
};

const JITTER = 0.1;
const MAX_RETRY_AFTER_SECONDS = 3600;
/** Returns the seconds until the next try. Honors the target's `Retry-After` up to one hour. */
export const retryAfter = (retrySeconds: readonly number[], tries: number, asked: number | undefined): number => {
  const planned = retrySeconds[Math.min(tries, retrySeconds.length) - 1] ?? 0;
  return Math.max(planned * (1 + Math.random() * JITTER), Math.min(asked ?? 0, MAX_RETRY_AFTER_SECONDS));
};

/** The result of one try. */
export interface Outcome {
  readonly status: number | null;
  readonly failure: string | undefined;
  readonly durationMs: number;
  /** True if the target will never accept this delivery. */
  readonly isGone: boolean;
  readonly retryAfterSeconds: number | undefined;
}

/** Stores the outcome of a try in its delivery. Returns the delivery's new state. */
export const recordOutcome = async (trx: Db, of: DeliveryTables, due: DueDelivery, made: Outcome): Promise<DeliveryState> => {
  const tries = due.tries + 1;
  const failed = made.isGone || tries >= due.max_tries ? 'FAILED' : 'PENDING';
  const state = made.failure === undefined ? 'DELIVERED' : failed;
  await sql`update ${sql.table(of.delivery)} set state = ${state}, tries = ${tries}, status = ${made.status}, failure = ${made.failure ?? null},
      duration_ms = ${made.durationMs},
      next_try_at = ${state === 'PENDING' ? sql`now() + make_interval(secs => ${retryAfter(of.retrySeconds, tries, made.retryAfterSeconds)})` : null}
    where id = ${due.id}`.execute(trx);
  return state;
};

const TEST_PAUSE_SECONDS = 60;
/** Claims a target's test, once a minute. Returns undefined if there is no such target, or if it is too soon. */
export const claimTest = async <Row>(
  trx: Db,
  { target }: DeliveryTables,
  where: ReturnType<typeof sql<boolean>>,
): Promise<Row | undefined> => {
  const { rows } = await sql<Row>`update ${sql.table(target)} set tested_at = now() where ${where}
    and (tested_at is null or tested_at < now() - make_interval(secs => ${TEST_PAUSE_SECONDS})) returning *`.execute(trx);
  return rows[0];
};
/** Returns the seconds until the next test is allowed, at least one. */
export const testPauseSeconds = (testedAt: Date | null): number =>
  Math.max(1, Math.ceil(TEST_PAUSE_SECONDS - (Date.now() - (testedAt?.getTime() ?? 0)) / 1000));

const SWEPT_AT_ONCE = 1000;
/** Deletes one batch of deliveries older than `days`. Returns the number deleted. */
export const sweepDeliveries = async (db: Db, { delivery }: Pick<DeliveryTables, 'delivery'>, days: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from ${sql.table(delivery)} where id in (
    select id from ${sql.table(delivery)} where created_at < now() - make_interval(days => ${days})
    order by created_at limit ${SWEPT_AT_ONCE})`.execute(db);
  return Number(numAffectedRows ?? 0n);
};
