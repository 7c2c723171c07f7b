/** The Idempotency-Key header: the first request does the work, a repeat gets the same answer, another request with the key is refused. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { isDatabaseOutage } from '#db/outage.ts';
import { Problem } from '../problem.ts';

interface Request {
  readonly identityId: string;
  readonly key: string;
  readonly route: string;
  readonly request: unknown;
}
interface Answer {
  readonly status: number;
  readonly answer: unknown;
}
export interface Idempotency {
  once(request: Request, work: () => Promise<Answer>): Promise<Answer>;
}

/** After this a request without an answer is taken for one whose replica died: longer than any request may take. */
const ABANDONED_SECONDS = 45;
const POLL_MS = 100;
const RELEASE_MS = 500;
const KEEP_HOURS = 24;
/** So that the table stays small without a timer of its own: every claim removes more than it adds. */
const FORGET_AT_ONCE = 10;

/** Of any length: what is kept is a hash, so two keys never meet because one was cut. */
export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' && key.length > 0 ? key : undefined;
};

const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex');

/** Answers the token of the claim when this request is to do the work; a claim that was given up is taken over. */
const claim = async (pool: Pool, request: Request, hash: string): Promise<string | undefined> => {
  const { rows } = await pool.query<{ token: string }>(
    `insert into idempotency as claim (identity_id, key, route, request_hash) values ($1, $2, $3, $4)
     on conflict (identity_id, key) do update set created_at = now()
       where claim.status is null and claim.route = $3 and claim.request_hash = $4
         and claim.created_at < now() - make_interval(secs => $5)
     returning created_at::text as token`,
    [request.identityId, request.key, request.route, hash, ABANDONED_SECONDS],
  );
  return rows[0]?.token;
};

const stored = async (pool: Pool, request: Request, hash: string): Promise<Answer | undefined> => {
  const { rows } = await pool.query<{ route: string; request_hash: string; status: number | null; response: unknown }>(
    'select route, request_hash, status, response from idempotency where identity_id = $1 and key = $2',
    [request.identityId, request.key],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.route !== request.route || row.request_hash !== hash) throw new Problem('IdempotencyKeyReused');
  return row.status === null ? undefined : { status: row.status, answer: row.response };
};

const forgetOld = (pool: Pool): Promise<unknown> =>
  pool.query(
    `delete from idempotency where (identity_id, key) in (select identity_id, key from idempotency
       where created_at < now() - make_interval(hours => $1) order by created_at limit $2 for update skip locked)`,
    [KEEP_HOURS, FORGET_AT_ONCE],
  );

/** A database that was away takes the claim back when it is there again; until then a repeat would wait for an answer that never comes. */
const releaseLater = async (release: () => Promise<unknown>): Promise<void> => {
  const until = Date.now() + ABANDONED_SECONDS * 1000;
  for (let isDone = false; !isDone && Date.now() < until;) {
    await delay(RELEASE_MS, undefined, { ref: false });
    isDone = await release().then(
      () => true,
      (failure: unknown) => !isDatabaseOutage(failure),
    );
  }
};

export const createIdempotency = (pool: Pool): Idempotency => ({
  async once(asked, work) {
    const request = { ...asked, key: hashOf(asked.key) };
    const hash = hashOf(JSON.stringify(request.request));
    let token = await claim(pool, request, hash);
    while (token === undefined) {
      const found = await stored(pool, request, hash);
      if (found) return found;
      await delay(POLL_MS);
      token = await claim(pool, request, hash);
    }
    // With the token, since another request may have taken the claim over meanwhile.
    const ours = [request.identityId, request.key, token];
    const isOurs = 'identity_id = $1 and key = $2 and created_at = $3::timestamptz';
    try {
      const answer = await work();
      const response = JSON.stringify(answer.answer ?? null);
      await pool.query(`update idempotency set status = $4, response = $5 where ${isOurs}`, [...ours, answer.status, response]);
      await forgetOld(pool);
      return answer;
    } catch (error) {
      // A failed request may be tried again with the same key.
      const release = () => pool.query(`delete from idempotency where ${isOurs}`, ours);
      await release().catch((failure: unknown) => isDatabaseOutage(failure) && void releaseLater(release));
      throw error;
    }
  },
});
