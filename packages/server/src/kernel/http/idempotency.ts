/**
 * Implements the Idempotency-Key header: the first request does the work, a retry gets the same answer, and a different request with the
 * key is rejected. If the first request was interrupted between commit and answer, a retry is answered from what it committed
 * (write-claim.ts).
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Problem } from '#kernel/problem.ts';
import { ClaimLost, withClaim, type Made, type WriteClaim } from './write-claim.ts';

interface Request {
  readonly identityId: string;
  readonly key: string;
  readonly route: string;
  readonly request: unknown;
  /** The answer is not stored. Each retry is answered from what the request created. */
  readonly isAnswerSecret: boolean;
}
interface Answer {
  readonly status: number;
  readonly answer: unknown;
}
export interface Idempotency {
  /** Runs `work` once per key. `again` answers a retry from what an earlier attempt committed, and runs instead of `work`. */
  once(request: Request, work: () => Promise<Answer>, again: (made: readonly Made[]) => Promise<Answer>): Promise<Answer>;
  /** The same for a request that can no longer be executed. Undefined if it was not executed before. */
  past(request: Request, again: (made: readonly Made[]) => Promise<Answer>): Promise<Answer | undefined>;
  /** Returns what a request with this key committed, whatever its route. */
  made(asked: Pick<Request, 'identityId' | 'key'>): Promise<readonly Made[]>;
}

/** Heartbeat interval of an attempt. Heartbeats end after the longest time that a request may take. */
const BEAT_MS = 1000;
const LONGEST_SECONDS = 45;
/** After this long without a heartbeat, a retry takes over the claim. A slow attempt can no longer commit then, see `noteMade`. */
const ABANDONED_SECONDS = 5;
const POLL_MS = 100;
const KEEP_HOURS = 24;
/** Every claim deletes more old rows than it adds, so the table stays small without a timer. */
const FORGET_AT_ONCE = 10;

/** Returns the header of any length. Only its hash is stored, so keys are never truncated and cannot collide. */
export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' && key.length > 0 ? key : undefined;
};

const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex');

interface Hashed extends Request {
  readonly hash: string;
}
interface Claimed {
  readonly claim: WriteClaim;
  readonly made: readonly Made[];
}

/** Undefined if the request has its answer, another attempt is running, or the key belongs to another request. */
const take = async (pool: Pool, { identityId, key, route, hash }: Hashed): Promise<Claimed | undefined> => {
  const token = randomUUID();
  const { rows } = await pool.query<{ made: Made[] }>(
    `insert into idempotency as claim (identity_id, key, route, request_hash, token) values ($1, $2, $3, $4, $5)
     on conflict (identity_id, key) do update set token = $5, seen_at = now(), created_at = now()
       where claim.status is null and claim.route = $3 and claim.request_hash = $4
         and claim.seen_at < now() - make_interval(secs => $6)
     returning made`,
    [identityId, key, route, hash, token, ABANDONED_SECONDS],
  );
  return rows[0] && { claim: { identityId, key, token, isOpen: true }, made: rows[0].made };
};

interface Known {
  readonly answer: Answer | undefined;
  readonly made: readonly Made[];
}
const known = async (pool: Pool, { identityId, key, route, hash }: Hashed): Promise<Known | undefined> => {
  const { rows } = await pool.query<{ route: string; request_hash: string; status: number | null; response: unknown; made: Made[] }>(
    'select route, request_hash, status, response, made from idempotency where identity_id = $1 and key = $2',
    [identityId, key],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.route !== route || row.request_hash !== hash) throw new Problem('IdempotencyKeyReused');
  return { answer: row.status === null ? undefined : { status: row.status, answer: row.response }, made: row.made };
};

const forgetOld = (pool: Pool): Promise<unknown> =>
  pool.query(
    `delete from idempotency where (identity_id, key) in (select identity_id, key from idempotency
       where created_at < now() - make_interval(hours => $1) order by created_at limit $2 for update skip locked)`,
    [KEEP_HOURS, FORGET_AT_ONCE],
  );

const OURS = 'identity_id = $1 and key = $2 and token = $3';
const oursOf = ({ identityId, key, token }: WriteClaim): string[] => [identityId, key, token];

/**
 * Releases the claim, so that the next retry takes it immediately. The retry runs the work if nothing was committed, or answers from what
 * was.
 */
const letGo = (pool: Pool, claim: WriteClaim): Promise<unknown> =>
  pool.query(
    `with untouched as (delete from idempotency where ${OURS} and made = '[]' returning 1)
     update idempotency set seen_at = '-infinity' where ${OURS} and not exists (select from untouched)`,
    oursOf(claim),
  );

const attempt = async (pool: Pool, request: Hashed, claim: WriteClaim, work: () => Promise<Answer>): Promise<Answer> => {
  const say = `update idempotency set seen_at = now() where ${OURS} and created_at > now() - make_interval(secs => $4)`;
  // Ignored: the outage ends, or another attempt takes over the claim.
  const beat = setInterval(() => void pool.query(say, [...oursOf(claim), LONGEST_SECONDS]).catch(() => undefined), BEAT_MS);
  try {
    const answer = await withClaim(claim, work);
    const response = JSON.stringify(answer.answer ?? null);
    if (request.isAnswerSecret) await letGo(pool, claim);
    else await pool.query(`update idempotency set status = $4, response = $5 where ${OURS}`, [...oursOf(claim), answer.status, response]);
    await forgetOld(pool);
    return answer;
  } catch (error) {
    // If the database is down, the missing heartbeats release the claim too.
    await letGo(pool, claim).catch(() => undefined);
    throw error;
  } finally {
    claim.isOpen = false;
    clearInterval(beat);
  }
};

const hashed = (asked: Request): Hashed => ({ ...asked, key: hashOf(asked.key), hash: hashOf(JSON.stringify(asked.request)) });

export const createIdempotency = (pool: Pool): Idempotency => ({
  async made({ identityId, key }) {
    const { rows } = await pool.query<{ made: Made[] }>('select made from idempotency where identity_id = $1 and key = $2', [
      identityId,
      hashOf(key),
    ]);
    return rows[0]?.made ?? [];
  },
  async past(asked, again) {
    const found = await known(pool, hashed(asked));
    if (!found || found.answer) return found?.answer;
    return found.made.length > 0 ? again(found.made) : undefined;
  },
  async once(asked, work, again) {
    const request = hashed(asked);
    for (;;) {
      const taken = await take(pool, request);
      if (taken) {
        const { claim, made } = taken;
        try {
          return await attempt(pool, request, claim, made.length === 0 ? work : () => again(made));
        } catch (error) {
          // Rolled back because another attempt took over. Its answer counts.
          if (!(error instanceof ClaimLost)) throw error;
        }
      }
      const found = await known(pool, request);
      if (found?.answer) return found.answer;
      await delay(POLL_MS);
    }
  },
});
