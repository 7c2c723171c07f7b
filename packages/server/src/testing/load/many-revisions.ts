/** Rows of revisions that want no instances, in every state that a crash or an older version may have left them in. */
import type pg from 'pg';

export const REVISIONS_BY_SERVICE = 100;

/** Needs a service that runs: its revision is copied. Of each hundred, one is being deleted and one cannot be read. */
export const seedRevisions = async (pool: pg.Pool, services: number): Promise<void> => {
  await pool.query(
    `insert into app (id, display_name, team_id, state, created_by) select 'pier', 'Pier', team_id, 'ACTIVE', 'load' from app limit 1`,
  );
  await pool.query(
    `insert into service (id, app_id, environment, name, spec, created_by)
       select 'svc-' || n, 'pier', 'development', 's' || n, (select spec from service limit 1), 'load' from generate_series(1, $1::int) n`,
    [services],
  );
  for (let from = 1; from <= services; from += 60)
    await pool.query(
      `insert into revision (id, service_id, number, name, image_tag, image_repository, image_digest, spec, reason, replicas_wanted, status,
           deleting_at, created_by, created_by_name)
         select 'rev-' || s || '-' || n, 'svc-' || s, n, 's' || s || '-' || n, image_tag, image_repository, image_digest,
           case when n = 50 then '{}' else spec end, reason, 0,
           (array['HEALTHY', 'PENDING', 'FAILING', 'UNKNOWN', 'HEALTHY', 'NO_INSTANCES', 'DELETED'])[1 + n % 7],
           case when n = 3 then now() end, 'load', 'Load'
         from generate_series($1::int, $2::int) s, generate_series(1, $3::int) n, (select * from revision order by created_at limit 1) kept`,
      [from, Math.min(services, from + 59), REVISIONS_BY_SERVICE],
    );
};
