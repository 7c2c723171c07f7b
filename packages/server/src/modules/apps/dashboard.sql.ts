/** The dashboard's read model: apps with the health of both environments, the last deploy, what runs now, and two weeks of deploys. */
import { sql } from 'kysely';
import type { ApplicationSummary, Health } from '@slipway/contract/application.ts';
import type { PipelineState } from '@slipway/contract/pipeline.ts';
import type { Db } from '#db/database.ts';
import { likeOf } from '#kernel/page.ts';

export interface DashboardFilter {
  readonly identityId: string;
  readonly mine: boolean;
  readonly query: string | undefined;
  readonly teams: readonly string[];
  readonly health: readonly Health[];
  readonly sort: string | undefined;
  readonly page: number;
  readonly size: number;
}
export interface DashboardPage {
  readonly total: number;
  readonly content: ApplicationSummary[];
  readonly counts: { mine: number; all: number; teams: { id: string; name: string; count: number }[]; health: Record<string, number> };
}

interface Row {
  id: string;
  display_name: string;
  team_id: string;
  team_name: string;
  mac_id: string | null;
  state: ApplicationSummary['state'];
  is_mine: boolean;
  development: number;
  production: number;
  last: { at: string; by: string; revision: string; pipelineId: string | null; env: string; state: PipelineState | null } | null;
  running: { pipelineId: string; pipelineType: string; stepsDone: number; stepsTotal: number } | null;
  deploys: { day: number; completed: number; failed: number }[] | null;
}

/** Health as a rank, worst first; the position in this list is what SQL computes with. */
const ranks: readonly Health[] = ['FAILING', 'PENDING', 'HEALTHY', 'NO_INSTANCES', 'INACTIVE', 'NONE'];
const noneRank = ranks.indexOf('NONE');

/** The worst of an environment's services: of what serves, else of the newest revision. */
const healthSql = sql`
  select service.app_id, service.environment, min(case
      when not service.active then 4
      when latest.status is null then 5
      when coalesce(serving.status, latest.status) = 'FAILING' or latest.failed_at is not null and serving.status is null then 0
      when coalesce(serving.status, latest.status) in ('PENDING', 'UNKNOWN') then 1
      when coalesce(serving.status, latest.status) = 'HEALTHY' then 2
      else 3 end) as rank
  from service
  left join lateral (select status, failed_at from revision where service_id = service.id and status <> 'DELETED' order by number desc limit 1) latest on true
  left join lateral (select status from revision where service_id = service.id and name = any (service.serving) order by number desc limit 1) serving on true
  group by service.app_id, service.environment`;

const lastSql = sql`select jsonb_build_object('at', revision.created_at, 'by', revision.created_by_name, 'revision', revision.name,
      'pipelineId', revision.pipeline_id, 'env', service.environment,
      'state', (select state from pipeline_run where pipeline_id = revision.pipeline_id order by number desc limit 1))
    from revision join service on service.id = revision.service_id where service.app_id = app.id order by revision.created_at desc limit 1`;

const runningSql = sql`select jsonb_build_object('pipelineId', pipeline.id, 'pipelineType', pipeline.type,
      'stepsDone', (select count(*) from pipeline_step where run_id = run.run_id and state in ('COMPLETED', 'SKIPPED')),
      'stepsTotal', (select count(*) from pipeline_step where run_id = run.run_id))
    from pipeline join pipeline_run run on run.pipeline_id = pipeline.id
    where pipeline.app_id = app.id and run.state in ('QUEUED', 'PENDING', 'RUNNING') order by run.created_at desc limit 1`;

const deploysSql = sql`select jsonb_agg(jsonb_build_object('day', day, 'completed', completed, 'failed', failed)) from (
      select (current_date - run.ended_at::date) as day, count(*) filter (where run.state = 'COMPLETED') as completed,
        count(*) filter (where run.state = 'FAILED') as failed
      from pipeline join pipeline_run run on run.pipeline_id = pipeline.id
      where pipeline.app_id = app.id and pipeline.service is not null and run.ended_at > current_date - 14 group by 1) daily`;

const orders: Readonly<Record<string, ReturnType<typeof sql>>> = {
  name: sql`base.id asc`,
  '-name': sql`base.id desc`,
  team: sql`base.team_name asc, base.id asc`,
  '-team': sql`base.team_name desc, base.id asc`,
  lastDeploy: sql`last_at asc nulls first, base.id`,
  '-lastDeploy': sql`last_at desc nulls last, base.id`,
};
/** Needs a look, deploying now, running well (the looks' sixth principle); the alphabet comes second. */
const urgent = sql`case when least(base.development, base.production) = 0 or base.state = 'NOT_CREATED' then 0
  when exists (select 1 from pipeline join pipeline_run run on run.pipeline_id = pipeline.id
    where pipeline.app_id = base.id and run.state in ('QUEUED', 'PENDING', 'RUNNING')) then 1 else 2 end, base.id`;

const baseSql = (filter: DashboardFilter) => sql`
  with health as (${healthSql}), base as (
    select app.id, app.display_name, app.team_id, team.display_name as team_name, app.mac_id, app.state,
      exists (select 1 from team_member where team_id = app.team_id and identity_id = ${filter.identityId}) as is_mine,
      coalesce((select rank from health where app_id = app.id and environment = 'development'), ${noneRank}) as development,
      coalesce((select rank from health where app_id = app.id and environment = 'production'), ${noneRank}) as production
    from app join team on team.id = app.team_id
    where ${filter.query ? sql`(app.id ilike ${likeOf(filter.query)} or app.display_name ilike ${likeOf(filter.query)} or team.display_name ilike ${likeOf(filter.query)} or app.mac_id ilike ${likeOf(filter.query)})` : sql`true`}
  ), tab as (select * from base where ${filter.mine ? sql`is_mine` : sql`true`}), chosen as (
    select * from tab where
      ${filter.teams.length > 0 ? sql`team_id = any (${filter.teams})` : sql`true`} and
      ${filter.health.length > 0 ? sql`least(development, production) = any (${filter.health.map((item) => ranks.indexOf(item))})` : sql`true`}
  )`;

const summaryOf = (row: Row): ApplicationSummary => ({
  id: row.id,
  displayName: row.display_name,
  teamId: row.team_id,
  teamName: row.team_name,
  macId: row.mac_id,
  state: row.state,
  isMine: row.is_mine,
  health: { development: ranks[row.development] ?? 'NONE', production: ranks[row.production] ?? 'NONE' },
  lastDeploy: row.last && { ...row.last, at: new Date(row.last.at).toISOString(), state: row.last.state ?? 'COMPLETED' },
  running: row.running,
  deploys: Array.from({ length: 14 }, (_, index) => {
    const found = row.deploys?.find((item) => item.day === 13 - index);
    return { completed: found?.completed ?? 0, failed: found?.failed ?? 0 };
  }),
});

export const dashboardPage = async (db: Db, filter: DashboardFilter): Promise<DashboardPage> => {
  const base = baseSql(filter);
  const { sort = '' } = filter;
  const order = (Object.hasOwn(orders, sort) && orders[sort]) || urgent;
  const rows = await sql<Row>`${base} select base.*, (${lastSql}) as last, (${runningSql}) as running, (${deploysSql}) as deploys,
      (select max(revision.created_at) from revision join service on service.id = revision.service_id where service.app_id = app.id) as last_at
    from chosen base join app on app.id = base.id order by ${order} limit ${filter.size} offset ${filter.page * filter.size}`.execute(db);
  const counted = await sql<{
    total: number;
    mine: number;
    all: number;
    teams: DashboardPage['counts']['teams'] | null;
    health: Record<string, number> | null;
  }>`${base}
    select (select count(*) from chosen) as total, (select count(*) from base where is_mine) as mine, (select count(*) from base) as all,
      (select jsonb_agg(jsonb_build_object('id', team_id, 'name', team_name, 'count', n) order by n desc, team_name)
         from (select team_id, team_name, count(*) as n from tab group by 1, 2) teams) as teams,
      (select jsonb_object_agg(rank::text, n) from (select least(development, production) as rank, count(*) as n from tab group by 1) ranks) as health`.execute(
    db,
  );
  const counts = counted.rows[0];
  return {
    total: Number(counts?.total ?? 0),
    content: rows.rows.map(summaryOf),
    counts: {
      mine: Number(counts?.mine ?? 0),
      all: Number(counts?.all ?? 0),
      teams: counts?.teams ?? [],
      health: Object.fromEntries(Object.entries(counts?.health ?? {}).map(([rank, count]) => [ranks[Number(rank)] ?? 'NONE', count])),
    },
  };
};
