/**
 * Rows as a platform of many apps has them, without running it: for what lists cost. The same `apps` make the same rows; made by the
 * database itself, hundreds of thousands in seconds.
 */
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type pg from 'pg';

/**
 * For each app: two services of three revisions, a pipeline of three steps for each revision, ten entries of activity, and a secret group
 * of two versions, and a registry project with an image of three tags.
 */
export interface ListLoad {
  readonly apps: number;
  /** Becomes a member of three teams. */
  readonly member: string;
}

const spec = JSON.stringify(newServiceSpec('localhost/load/load'));
const statuses = `(array['HEALTHY','HEALTHY','HEALTHY','HEALTHY','HEALTHY','HEALTHY','HEALTHY','NO_INSTANCES','PENDING','FAILING'])`;

/** `$1` is the number of apps; teams have 25 on average, and some many more than others. */
const statements: readonly string[] = [
  `insert into team (id, display_name, created_by) select 'team-' || n, 'Team ' || n, 'load' from generate_series(0, $1 / 25 + 3) n`,
  `insert into app (id, display_name, team_id, mac_id, state, created_at, created_by)
     select 'load-' || substr(md5(n::text), 1, 8) || '-' || n, 'Load ' || n, 'team-' || floor(($1 / 25 + 1) * power(abs(hashtext(n::text)) % 10000 / 10000.0, 2)),
       case when n % 10 = 0 then 'MAC-' || n end, case when n % 500 = 0 then 'NOT_CREATED' else 'ACTIVE' end, now() - interval '400 days', 'load'
     from generate_series(1, $1) n`,
  `insert into service (id, app_id, environment, name, active, spec, serving, routed, created_by)
     select 'svc-' || app.id || '-' || left(env, 3), app.id, env, 'web', hashtext(app.id || env) % 20 <> 0, '${spec}', '{web-2}', '{web-2}', 'load'
     from app cross join unnest(array['development', 'production']) env where app.created_by = 'load'`,
  `insert into revision (id, service_id, number, name, image_tag, image_repository, image_digest, spec, reason, pipeline_id, replicas_wanted,
       status, created_at, created_by, created_by_name)
     select 'rev-' || service.id || '-' || n, service.id, n, 'web-' || n, 'v' || n, service.app_id || '/web', 'sha256:' || repeat('0', 64), '${spec}',
       '{"type": "DEPLOY", "text": null, "commit": null, "commitMessage": null}', 'pl-' || service.id || '-' || n, 0,
       case n when 1 then 'DELETED' else ${statuses}[1 + abs(hashtext(service.id)) % 10] end,
       now() - make_interval(hours => abs(hashtext(service.id)) % 2000 + 24 * (3 - n)), 'load', 'Loada Loader'
     from service cross join generate_series(1, 3) n where service.created_by = 'load'`,
  `insert into pipeline (id, type, subject, team_id, app_id, environment, service, trigger, created_by, created_by_name, created_at)
     select revision.pipeline_id, 'Deploy', 'service:' || service.app_id || '/' || service.environment || '/web', app.team_id, app.id,
       service.environment, 'web', (array['person', 'push', 'token'])[1 + abs(hashtext(revision.id)) % 3], 'load', 'Loada Loader', revision.created_at
     from revision join service on service.id = revision.service_id join app on app.id = service.app_id where revision.created_by = 'load'`,
  `insert into pipeline_run (run_id, pipeline_id, number, type, subject, state, input, created_by, created_by_name, created_at, started_at, ended_at)
     select 'run-' || id || '-' || n, id, n, type, subject,
       case when n = 1 and abs(hashtext(id)) % 10 = 0 then 'FAILED' else 'COMPLETED' end, '{}', 'load', 'Loada Loader',
       created_at + make_interval(mins => n), created_at + make_interval(mins => n), created_at + make_interval(mins => n + 1)
     from pipeline cross join generate_series(1, 2) n where created_by = 'load' and (n = 1 or abs(hashtext(id)) % 20 = 0)`,
  `insert into pipeline_step (run_id, index, code, state, attempt, started_at, ended_at)
     select run_id, step - 1, (array['ReadSource', 'BuildImage', 'StartInstances'])[step],
       case when state = 'FAILED' and step = 3 then 'FAILED' else 'COMPLETED' end, 1, started_at, ended_at
     from pipeline_run cross join generate_series(1, 3) step where created_by = 'load'`,
  `update pipeline_run set state = 'RUNNING', ended_at = null
     where run_id in (select max(run_id) from pipeline_run where created_by = 'load' and pipeline_id like '%-3' group by subject order by 1 limit 30)`,
  `insert into activity (id, at, type, reason, level, message, actor_id, actor_name, origin, outcome, team_id, app_id, environment, service)
     select 'act-' || app.id || '-' || n, now() - make_interval(mins => abs(hashtext(app.id || n)) % 500000), 'serviceDeploy', 'Deployed', 'INFO',
       'Loada Loader deployed web of ' || app.id, 'load-' || n, 'Loada Loader ' || n, 'console', 'DONE', app.team_id, app.id, 'development', 'web'
     from app cross join generate_series(1, 10) n where app.created_by = 'load'`,
  `insert into secret_group (id, app_id, environment, name, auto_attach, last_version, created_by, created_by_name)
     select 'sg-' || id, id, 'development', 'database', true, 2, 'load', 'Loada Loader' from app where created_by = 'load'`,
  `insert into secret_version (group_id, version, origin, kid, wrapped, seal, created_by, created_by_name)
     select id, n, 'CREATED', 'k', '', '', 'load', 'Loada Loader' from secret_group cross join generate_series(1, 2) n where created_by = 'load'`,
  `insert into secret_value (group_id, version, key, sealed, hash, size_bytes)
     select group_id, version, 'PASSWORD', '', '', 12 from secret_version where created_by = 'load'`,
  `insert into registry_project (name, owner, created_at) select id, 'app:' || id, now() from app where created_by = 'load'`,
  `insert into registry_repository (name, project, created_at, updated_at) select name || '/web', name, now(), now() from registry_project`,
  `insert into registry_blob (digest, size_bytes, stored_at) select 'sha256:' || repeat(n::text, 64), 1000, now() from generate_series(0, 2) n`,
  `insert into registry_blob_link (repository, digest, linked_at) select name, 'sha256:' || repeat('1', 64), now() from registry_repository`,
  `insert into registry_manifest (repository, digest, media_type, size_bytes, content_bytes, pushed_at)
     select name, 'sha256:' || repeat('0', 64), 'application/vnd.oci.image.manifest.v1+json', 500, 1000, now() from registry_repository`,
  `insert into registry_tag (repository, name, digest, pushed_at)
     select name, 'v' || n, 'sha256:' || repeat('0', 64), now() from registry_repository cross join generate_series(1, 3) n`,
  `insert into image_scan (digest, state, since, turn, renew_at)
     select 'sha256:' || repeat('0', 64), 'COMPLETED', now(), 1, now() + interval '1 year'
     union all select 'sha256:' || md5(id) || md5(id), 'COMPLETED', now(), 1, now() + interval '1 year' from app where created_by = 'load'`,
  `insert into image_scan_place (digest, repository, project, seen_at)
     select 'sha256:' || repeat('0', 64), name, project, now() from registry_repository`,
  `insert into image_package (digest, number, ecosystem, name, version, purl, path, platforms, vulnerabilities, worst)
     select digest, n, 'npm', 'package-' || n, '1.0.0', 'pkg:npm/package-' || n || '@1.0.0', 'app/node_modules/package-' || n, '{linux/amd64}', 1, 'high'
     from image_scan cross join lateral generate_series(0, case when digest = 'sha256:' || repeat('0', 64) then 29 else 2 end) n`,
  `insert into image_vulnerability (digest, number, ids, severity, is_fixable, package, entry)
     select digest, number, array['CVE-2026-' || number], 'high', true, name, jsonb_build_object('id', 'CVE-2026-' || number,
       'aliases', jsonb_build_array('CVE-2026-' || number), 'severity', 'high', 'score', 7.5, 'vector', null, 'title', 'About ' || name, 'url', null,
       'ecosystem', 'npm', 'package', name, 'installed', version, 'fixedIn', '2.0.0', 'path', path, 'layer', null, 'platforms', jsonb_build_array())
     from image_package`,
];

/** Four requests for each app, one of them pending, by its neighbor. */
const requests = `insert into request (kind, subject_kind, subject_id, title, environment, requested_by, requested_by_name, deciders, askers,
    status, actioned_at, actioned_by, actioned_by_name, payload, due_on)
  select 'TOPIC_ACCESS', 'topicGrant', 'tg-' || id || '-' || n, 'load reads ' || id, 'production', 'load-' || id || '-' || n, 'Loada Loader',
    array['app:' || id], array['person:load', 'app:' || lead(id) over (order by id)], case n when 1 then 'PENDING' else 'APPROVED' end,
    case when n > 1 then now() end, case when n > 1 then 'load' end, case when n > 1 then 'Loada Loader' end,
    jsonb_build_object('operation', 'READ', 'environment', 'production', 'account', jsonb_build_object('app', 'load', 'name', 'a', 'user', 'load.a'),
      'topic', jsonb_build_object('app', id, 'name', 't', 'topicName', id || '.t')), current_date + n
  from app cross join generate_series(1, 4) n where created_by = 'load'`;

const tables = ['team', 'app', 'service', 'revision', 'pipeline_run'];
/** Statements that do the work of this version's triggers at once. An earlier version has no such triggers. */
const made: readonly string[] = [
  `update pipeline_run set is_latest = false where number = 1 and abs(hashtext(pipeline_id)) % 20 = 0 and created_by = 'load'`,
  `update pipeline set names = array[type, app_id, service] where created_by = 'load'`,
  `insert into pipeline_name select distinct unnest(names) from pipeline where created_by = 'load' on conflict do nothing`,
  'select rebuild_app_overview()',
];

export const seedListLoad = async (client: pg.ClientBase, { apps, member }: ListLoad): Promise<void> => {
  await client.query('set statement_timeout = 0');
  await client.query('begin');
  const { rows } = await client.query(`select 1 from pg_proc where proname = 'rebuild_app_overview'`);
  const hasOverview = rows.length > 0;
  if (hasOverview) await client.query('alter table pipeline disable trigger pipeline_words');
  // What triggers keep is made at once below, not row by row.
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  const { rows: scans } = await client.query(`select 1 where to_regclass('image_scan') is not null`);
  const known = scans.length > 0 ? statements : statements.filter((statement) => !statement.startsWith('insert into image_'));
  // An earlier version has no requests.
  const { rows: inbox } = await client.query(`select 1 where to_regclass('request') is not null`);
  for (const statement of inbox.length > 0 ? [...known, requests] : known) {
    const hasApps = statement.includes('$1');
    await client.query(hasApps ? statement.replaceAll('$1', String(apps)) : statement);
  }
  await client.query(
    `insert into team_member (team_id, identity_id, role) select 'team-' || n, $1, 'OWNER' from generate_series(1, 3) n on conflict do nothing`,
    [member],
  );
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
  if (hasOverview) for (const statement of made) await client.query(statement);
  if (hasOverview) await client.query('alter table pipeline enable trigger pipeline_words');
  await client.query('commit');
  await client.query('analyze');
};
