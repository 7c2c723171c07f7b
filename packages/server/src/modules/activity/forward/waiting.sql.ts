/** The queue of the audit log's receiver: entries that wait, the lease of the sending worker, and the outcome of the last try. */
import { sql, type Selectable } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { retryAfter } from '#modules/deliveries/index.ts';

/** Three times the longest duration of a try. Each try renews the lease. */
const LEASE_SECONDS = 30;
/** Entries never expire, so the last pause repeats. */
const RETRY_SECONDS = [5, 10, 20, 40, 80, 160, 300];

const leaseEnd = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;

/** Entries are queued only while a receiver is configured. Those that wait stay until one is configured again. */
export const setForwarding = async (db: Db, isOn: boolean): Promise<void> => {
  await sql`update audit_forward set is_on = ${isOn} where is_on <> ${isOn}`.execute(db);
};
/** A new configuration is tried at once. */
export const tryNow = async (db: Db): Promise<void> => {
  await sql`update audit_forward set next_try_at = null where next_try_at is not null`.execute(db);
};

/** Leases the queue if it is due and no other worker sends. */
export const takeQueue = async (db: Db, token: string): Promise<boolean> => {
  const { rows } = await sql`update audit_forward set lease = ${token}, leased_until = ${leaseEnd}
    where (leased_until is null or leased_until < now()) and (next_try_at is null or next_try_at <= now())
      and exists (select from audit_waiting) returning 1`.execute(db);
  return rows.length > 0;
};

export const releaseQueue = async (db: Db, token: string): Promise<void> => {
  await sql`update audit_forward set lease = null, leased_until = null where lease = ${token}`.execute(db);
};

type Waiting = Selectable<DB['activity']> & { readonly position: string };
/** Returns the entries to send next. */
export const nextWaiting = async (db: Db, limit: number): Promise<readonly Waiting[]> => {
  const { rows } = await sql<Waiting>`select activity.*, position from audit_waiting join activity on activity.id = activity_id
    order by position limit ${limit}`.execute(db);
  return rows;
};

/** Removes what the receiver has, and renews the lease. Returns false if another worker has taken the lease. */
export const recordSent = (db: Db, token: string, positions: readonly string[]): Promise<boolean> =>
  transaction(db, async (trx) => {
    const { rows } = await sql`update audit_forward set leased_until = ${leaseEnd}, tries = 0, next_try_at = null, failing_since = null,
      failure = null, sent_at = now() where lease = ${token} returning 1`.execute(trx);
    if (rows.length === 0) return false;
    await sql`delete from audit_waiting where position = any(${positions}::bigint[])`.execute(trx);
    return true;
  });

/** Ends the lease and sets the next try. Returns true for the first failure after a success. */
export const recordFailure = (db: Db, token: string, failure: string): Promise<boolean> =>
  transaction(db, async (trx) => {
    const { rows } = await sql<{
      tries: number;
    }>`update audit_forward set tries = tries + 1, failing_since = coalesce(failing_since, now()),
      failure = ${failure}, lease = null, leased_until = null where lease = ${token} returning tries`.execute(trx);
    const [row] = rows;
    if (!row) return false;
    const seconds = retryAfter(RETRY_SECONDS, row.tries, undefined);
    await sql`update audit_forward set next_try_at = now() + make_interval(secs => ${seconds})`.execute(trx);
    return row.tries === 1;
  });

/** Returns why the last try failed. Undefined if it succeeded. */
export const forwardFailure = async (db: Db): Promise<string | undefined> => {
  const row = await db.selectFrom('audit_forward').select('failure').executeTakeFirst();
  return row?.failure ?? undefined;
};
