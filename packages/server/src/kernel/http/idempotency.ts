/** The Idempotency-Key header: the first request does the work, a repeat gets the same answer, another request with the key is refused. */
import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
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

/** How long a repeat waits for the first request, which is still at work. */
const waitMs = 10_000;

export const idempotencyKeyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' && key.length > 0 && key.length <= 200 ? key : undefined;
};

const stored = async (pool: Pool, request: Request, hash: string): Promise<Answer | 'working' | undefined> => {
  const { rows } = await pool.query<{ route: string; request_hash: string; status: number | null; response: unknown }>(
    'select route, request_hash, status, response from idempotency where identity_id = $1 and key = $2',
    [request.identityId, request.key],
  );
  const row = rows[0];
  if (!row) return undefined;
  if (row.route !== request.route || row.request_hash !== hash) throw new Problem('IdempotencyKeyReused');
  return row.status === null ? 'working' : { status: row.status, answer: row.response };
};

export const createIdempotency = (pool: Pool): Idempotency => ({
  async once(request, work) {
    const hash = createHash('sha256').update(JSON.stringify(request.request)).digest('hex');
    const deadline = Date.now() + waitMs;
    for (;;) {
      const claimed = await pool.query(
        'insert into idempotency (identity_id, key, route, request_hash) values ($1, $2, $3, $4) on conflict do nothing',
        [request.identityId, request.key, request.route, hash],
      );
      if (claimed.rowCount === 1) break;
      const found = await stored(pool, request, hash);
      if (found && found !== 'working') return found;
      if (Date.now() > deadline) {
        // The first request's replica died: its claim is given up, and this request does the work.
        await pool.query('delete from idempotency where identity_id = $1 and key = $2 and status is null', [
          request.identityId,
          request.key,
        ]);
      } else await new Promise((resolve) => setTimeout(resolve, 100));
    }
    try {
      const answer = await work();
      await pool.query('update idempotency set status = $3, response = $4 where identity_id = $1 and key = $2', [
        request.identityId,
        request.key,
        answer.status,
        JSON.stringify(answer.answer ?? null),
      ]);
      return answer;
    } catch (error) {
      // A failed request may be tried again with the same key.
      await pool.query('delete from idempotency where identity_id = $1 and key = $2', [request.identityId, request.key]);
      throw error;
    }
  },
});
