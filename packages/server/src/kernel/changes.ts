/** Notifies all replicas of changes, so that browsers with access see them immediately. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { CHANGE_CHANNEL, CREDENTIALS_CHANGED } from '@slipway/foundation/change-channel.ts';
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

export { CHANGE_CHANNEL, CREDENTIALS_CHANGED };

/** Call it in the transaction of the change, like `notifyChange`. */
export async function notifyCredentials(trx: Kysely<DB>): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${CREDENTIALS_CHANGED})`.execute(trx);
}

/** Call it in the transaction of the change: listeners are notified only if it commits. PostgreSQL drops duplicate hints. */
export async function notifyChange(trx: Kysely<DB>, hint: ChangeHint): Promise<void> {
  await sql`select pg_notify(${CHANGE_CHANNEL}, ${JSON.stringify(hint)})`.execute(trx);
}
/** Sends several hints in one statement. */
export async function notifyChanges(trx: Kysely<DB>, hints: readonly ChangeHint[]): Promise<void> {
  if (hints.length === 0) return;
  const payloads = hints.map((hint) => JSON.stringify(hint));
  await sql`select pg_notify(${CHANGE_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(trx);
}
