/**
 * The dashboard's read model: apps with the health of both environments, the last deploy, running revisions, and two weeks of deploys.
 * Writers keep all of it in rows (migration 0017), so a page's cost depends only on its size.
 */
import { sql, type RawBuilder } from 'kysely';
import type { ApplicationSummary } from '@slipway/contract/application.ts';
import type { PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import type { Db } from '#db/database.ts';
import type { Total } from '#kernel/page.ts';
import { countDashboard, type Counted, type DashboardCounts } from './dashboard-counts.sql.ts';
import { hasText, healthOf, inScope, listScope, type DashboardFilter } from './dashboard-filter.ts';

export interface DashboardPage {
  readonly total: Total;
  readonly content: ApplicationSummary[];
  readonly counts: DashboardCounts;
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
  last_at: Date | null;
  last_by: string;
  last_revision: string;
  last_environment: string;
  last_pipeline_id: string | null;
  last_state: PipelineState | null;
  running: ApplicationSummary['running'];
  deploys: { day: number; completed: number; failed: number }[] | null;
}

const runningSql = sql`select jsonb_build_object('pipelineId', run.pipeline_id, 'pipelineType', run.type,
      'stepsDone', (select count(*) from pipeline_step where run_id = run.run_id and state in ('COMPLETED', 'SKIPPED')),
      'stepsTotal', (select count(*) from pipeline_step where run_id = run.run_id))
    from pipeline_run run where run.run_id = overview.running_run_id`;

const deploysSql = sql`select jsonb_agg(jsonb_build_object('day', (now() at time zone 'UTC')::date - day, 'completed', completed, 'failed', failed))
    from app_deploy_day where app_id = overview.app_id and day > (now() at time zone 'UTC')::date - 14`;

/** Each order has an index, which is read in both directions. */
const orders: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`overview.app_id asc`,
  '-name': sql`overview.app_id desc`,
  team: sql`overview.team_name asc, overview.app_id asc`,
  '-team': sql`overview.team_name desc, overview.app_id desc`,
  lastDeploy: sql`overview.last_at asc nulls first, overview.app_id`,
  '-lastDeploy': sql`overview.last_at desc nulls last, overview.app_id desc`,
};
/** Sorts by urgency (needs attention, deploying, healthy), then by name. */
const urgent = sql`overview.urgency, overview.app_id`;

const summaryOf = (row: Row): ApplicationSummary => ({
  id: row.id,
  displayName: row.display_name,
  teamId: row.team_id,
  teamName: row.team_name,
  macId: row.mac_id,
  state: row.state,
  isMine: row.is_mine,
  health: { development: healthOf(row.development), production: healthOf(row.production) },
  lastDeploy: row.last_at && {
    at: row.last_at.toISOString(),
    by: row.last_by,
    revision: row.last_revision,
    pipelineId: row.last_pipeline_id,
    env: row.last_environment,
    state: row.last_state ?? 'COMPLETED',
  },
  running: row.running,
  deploys: Array.from({ length: 14 }, (_, index) => {
    const found = row.deploys?.find((item) => item.day === 13 - index);
    return { completed: found?.completed ?? 0, failed: found?.failed ?? 0 };
  }),
});

/** A few candidates are selected first and then sorted. If there are many, they are read in order until the page is full. */
const chosenSql = (filter: DashboardFilter, few: Counted['few'], mine: readonly string[]) => {
  if (typeof few === 'object') return sql`select * from app_overview where app_id = any (${few.ids})`;
  const chosen = sql`select * from app_overview as overview where ${inScope(listScope(filter, mine))} and ${hasText(filter.query)}`;
  return few === 'scope' ? sql`select * from (${chosen} offset 0) as few` : chosen;
};

export const dashboardPage = async (db: Db, filter: DashboardFilter): Promise<DashboardPage> => {
  const { counts, total, few, mine } = await countDashboard(db, filter);
  const { sort = '' } = filter;
  const order = (Object.hasOwn(orders, sort) && orders[sort]) || urgent;
  const { rows } = await sql<Row>`
    select app.id, app.display_name, app.team_id, overview.team_name, app.mac_id, app.state, overview.development, overview.production,
      app.team_id = any (${mine}) as is_mine, overview.last_at, overview.last_by, overview.last_revision, overview.last_environment,
      overview.last_pipeline_id,
      (select state from pipeline_run where pipeline_id = overview.last_pipeline_id order by number desc limit 1) as last_state,
      (${runningSql}) as running, (${deploysSql}) as deploys
    from (select * from (${chosenSql(filter, few, mine)}) as overview order by ${order} limit ${filter.size} offset ${filter.page * filter.size}) as overview
    join app on app.id = overview.app_id order by ${order}`.execute(db);
  return { total, content: rows.map(summaryOf), counts };
};
