/** Rows of revisions that want no instances, in every state that a crash or an older version may have left them in. */
import type pg from 'pg';

const SERVICES_BY_APP = 10;
const REVISIONS_BY_SERVICE = 100;

/** Needs a service that runs: its revision is copied. Of each hundred one is being deleted, and one has a spec that cannot be read. */
export const seedRevisions = async (pool: pg.Pool, services: number): Promise<void> => {
  for (let app = 1; app <= services / SERVICES_BY_APP; app++) {
    await pool.query(
      `insert into app (id, display_name, team_id, state, created_by) select 'pier-' || $1::text, 'Pier', team_id, 'ACTIVE', 'load' from app limit 1`,
      [app],
    );
    await pool.query(
      `insert into service (id, app_id, environment, name, spec, created_by)
         select 'svc-' || $1::text || '-' || n, 'pier-' || $1::text, 'development', 's' || n, (select spec from service limit 1), 'load'
         from generate_series(1, $2::int) n`,
      [app, SERVICES_BY_APP],
    );
    await pool.query(
      `insert into revision (id, service_id, number, name, image_tag, image_repository, image_digest, spec, reason, replicas_wanted, status,
           deleting_at, created_by, created_by_name)
         select 'rev-' || $1::text || '-' || s || '-' || n, 'svc-' || $1::text || '-' || s, n, 's' || s || '-' || n, image_tag, image_repository,
           image_digest, case when n = 50 then '{}' else spec end, reason, 0,
           (array['HEALTHY', 'PENDING', 'FAILING', 'UNKNOWN', 'HEALTHY', 'NO_INSTANCES', 'DELETED'])[1 + n % 7],
           case when n = 3 then now() end, 'load', 'Load'
         from generate_series(1, $2::int) s, generate_series(1, $3::int) n, (select * from revision order by created_at limit 1) kept`,
      [app, SERVICES_BY_APP, REVISIONS_BY_SERVICE],
    );
  }
};
