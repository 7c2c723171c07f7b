/** How long each step of a pipeline type usually takes: the screen tells "slow" from "stuck" by it. */
import { sql, type Kysely } from 'kysely';
import type { DB } from '#db/types.ts';

const RECENT_RUNS = 20;
/** From so many on, a subject's own runs tell more than those of others. */
const ENOUGH_RUNS = 3;
const MAX_CACHED = 5000;
const CACHE_MS = 60_000;

/** Step code → milliseconds. */
export type UsualMs = ReadonlyMap<string, number>;

const caches = new WeakMap<Kysely<DB>, Map<string, { at: number; usual: Promise<UsualMs> }>>();

/**
 * Medians of the last completed runs of the type, at most a minute old: those of the same subject where it has had enough, since one
 * service starts in a second and another in a minute; else everybody's.
 */
export function usualMsOf(db: Kysely<DB>, type: string, subject?: string): Promise<UsualMs> {
  let cache = caches.get(db);
  if (!cache) caches.set(db, (cache = new Map()));
  const key = `${type} ${subject ?? ''}`;
  const known = cache.get(key);
  if (known && performance.now() - known.at < CACHE_MS) return known.usual;
  if (cache.size > MAX_CACHED) cache.clear();
  const usual = measure(db, type, subject ?? '');
  cache.set(key, { at: performance.now(), usual });
  usual.catch(() => cache.delete(key));
  return usual;
}

async function measure(db: Kysely<DB>, type: string, subject: string): Promise<UsualMs> {
  const { rows } = await sql<{ code: string; ms: number }>`
    with own as (select run_id from pipeline_run where type = ${type} and subject = ${subject} and state = 'COMPLETED'
        order by created_at desc limit ${RECENT_RUNS}),
      everybodys as (select run_id from pipeline_run where type = ${type} and state = 'COMPLETED' order by ended_at desc limit ${RECENT_RUNS}),
      recent as (select run_id from own where (select count(*) from own) >= ${ENOUGH_RUNS}
        union all select run_id from everybodys where (select count(*) from own) < ${ENOUGH_RUNS})
    select step.code, percentile_cont(0.5) within group (order by extract(epoch from step.ended_at - step.started_at) * 1000)::float8 as ms
    from recent join pipeline_step as step on step.run_id = recent.run_id
    where step.state = 'COMPLETED' and step.ended_at is not null
    group by step.code`.execute(db);
  return new Map(rows.map(({ code, ms }) => [code, Math.round(ms)]));
}
