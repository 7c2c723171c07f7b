/**
 * Records what a write committed in the row of its request's Idempotency-Key, in the same transaction. After a crash, either both exist or
 * neither.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

/** The write that a request has committed. */
export interface Made {
  /** Id of the entry in the activity log. */
  readonly entry: string;
  /** Null if no pipeline was started. */
  readonly pipelineId: string | null;
}

export interface WriteClaim {
  readonly identityId: string;
  readonly key: string;
  /** Unique for each attempt of the request. */
  readonly token: string;
  /** False once the request is answered. Later background work does not belong to the request. */
  isOpen: boolean;
}

const claims = new AsyncLocalStorage<WriteClaim>();

export const withClaim = <Result>(claim: WriteClaim, work: () => Promise<Result>): Promise<Result> => claims.run(claim, work);

/** Thrown when another attempt has taken over the claim. The transaction of this attempt must not commit. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Call it in the write's transaction. Does nothing for a request without a key. Throws ClaimLost. */
export const noteMade = async (trx: Kysely<DB>, made: Made): Promise<void> => {
  const claim = claims.getStore();
  if (!claim?.isOpen) return;
  const { rows } = await sql`update idempotency set made = made || ${JSON.stringify([made])}::jsonb
    where identity_id = ${claim.identityId} and key = ${claim.key} and token = ${claim.token} returning 1`.execute(trx);
  if (rows.length === 0) throw new ClaimLost('Another attempt of this request has taken its claim');
};
