// Slows guessing down: at most ten tries a minute at one thing, counted in the database over all replicas.
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

const MAX_TRIES = 10;

export interface Attempt {
  readonly isAllowed: boolean;
  /** Until tries count from nought again. */
  readonly secondsLeft: number;
  /** Takes the tries back, once the right answer was given. */
  forgive(): Promise<void>;
}

const COUNT = `insert into sign_in_attempt as known (subject, tries, resets_at) values ($1, 1, now() + interval '1 minute')
  on conflict (subject) do update set
    tries = case when known.resets_at <= now() then 1 else known.tries + 1 end,
    resets_at = case when known.resets_at <= now() then excluded.resets_at else known.resets_at end
  returning tries, ceil(extract(epoch from resets_at - now()))::integer as seconds_left`;

/** Counts before anything is compared, so that a hundred tries at once are a hundred tries. */
export const countAttempt = async (pool: Pool, ...subject: readonly string[]): Promise<Attempt> => {
  const key = createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
  const { rows } = await pool.query<{ tries: number; seconds_left: number }>(COUNT, [key]);
  return {
    isAllowed: (rows[0]?.tries ?? 1) <= MAX_TRIES,
    secondsLeft: Math.max(1, rows[0]?.seconds_left ?? 60),
    async forgive() {
      await pool.query('delete from sign_in_attempt where subject = $1', [key]);
    },
  };
};
