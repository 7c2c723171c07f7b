/** Tells every replica that something changed, so that browsers that may see it hear of it at once. */
import type { ChangeHint } from '@slipway/contract/kernel/hint.ts';
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

/** Payloads are ChangeHint as JSON. */
export const CHANGE_CHANNEL = 'slipway_change';
/** Instead of a hint: somebody signed out or a token was revoked, and who listens is to be looked at again. */
export const CREDENTIALS_CHANGED = '{"credentials":"changed"}';

/** In the transaction of the change, as `notifyChange`. */
export async function notifyCredentials(trx: Kysely<DB>): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${CREDENTIALS_CHANGED})`.execute(trx);
}

/** In the transaction of the change: listeners hear it when, and only when, that commits. PostgreSQL drops repeated hints. */
export async function notifyChange(trx: Kysely<DB>, hint: ChangeHint): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${JSON.stringify(hint)})`.execute(trx);
}
/** Many at once. */
export async function notifyChanges(trx: Kysely<DB>, hints: readonly ChangeHint[]): Promise<void> {
  if (hints.length === 0) return;
  const payloads = hints.map((hint) => JSON.stringify(hint));
  await sql`select pg_notify(${CHANGE_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(trx);
}
