/**
 * Joins the transaction of a write with the Idempotency-Key of its request: what the write makes is noted in the claim's row by the same
 * transaction. So either both are there after a crash, or neither.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

/** What a request has committed. */
export interface Made {
  /** The entry of the activity log. */
  readonly entry: string;
  /** Null where no pipeline was started. */
  readonly pipelineId: string | null;
}

export interface WriteClaim {
  readonly identityId: string;
  readonly key: string;
  /** Of this attempt; another attempt of the request has another. */
  readonly token: string;
  /** False once the request has its answer: what goes on in the background afterwards is not the request's. */
  isOpen: boolean;
}

const claims = new AsyncLocalStorage<WriteClaim>();

export const withClaim = <Result>(claim: WriteClaim, work: () => Promise<Result>): Promise<Result> => claims.run(claim, work);

/** Another attempt has taken the claim: the transaction of this one must not commit. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Called in the write's transaction. Does nothing for a request without a key. Throws ClaimLost. */
export const noteMade = async (trx: Kysely<DB>, made: Made): Promise<void> => {
  const claim = claims.getStore();
  if (!claim?.isOpen) return;
  const { rows } = await sql`update idempotency set made = made || ${JSON.stringify([made])}::jsonb
    where identity_id = ${claim.identityId} and key = ${claim.key} and token = ${claim.token} returning 1`.execute(trx);
  if (rows.length === 0) throw new ClaimLost('Another attempt of this request has taken its claim');
};
