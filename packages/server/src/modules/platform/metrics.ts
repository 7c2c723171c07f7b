/** Metrics of the platform's database and engines. Each replica returns the same values, except for those of its own process. */
import { sql } from 'kysely';
import type { Database, Db } from '#db/database.ts';
import { labelsOf, type Metric, type Sample } from '#kernel/telemetry/metric.ts';
import { unreadableCounts } from './unreadable.sql.ts';

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({ name, help, type: 'gauge', samples });

interface Waiting {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
}

/** Work that waits or is in progress, and the age of its oldest item. */
const queues = async (db: Db): Promise<readonly Waiting[]> => {
  const { rows } = await sql<Waiting>`
    select name, count(since) as count, coalesce(extract(epoch from now() - min(since)), 0)::float8 as seconds from (
      select 'webhooks' as name, created_at as since from webhook_delivery where state = 'PENDING'
      union all select 'notifications', created_at from notification_delivery where state = 'PENDING'
      union all select 'scans', since from image_scan where state in ('QUEUED', 'SCANNING')
      union all select 'backups', created_at from database_backup where state in ('PENDING', 'RUNNING')
      union all select unnest(array['webhooks', 'notifications', 'scans', 'backups']), null) as item
    group by name order by name`.execute(db);
  return rows;
};

const runs = async (db: Db): Promise<readonly Metric[]> => {
  const { rows } = await sql<Waiting>`select state as name, count(*), extract(epoch from now() - min(created_at))::float8 as seconds
    from pipeline_run group by state order by state`.execute(db);
  const active = await sql<{ retries: number; owned: number }>`
    select coalesce((select sum(attempt - 1) from pipeline_step join pipeline_run using (run_id)
        where pipeline_run.state in ('QUEUED', 'PENDING', 'RUNNING') and attempt > 1), 0)::int as retries,
      (select count(*) from pipeline_run where owner is not null and state in ('QUEUED', 'PENDING', 'RUNNING')) as owned`.execute(db);
  const { retries = 0, owned = 0 } = active.rows[0] ?? {};
  const isActive = ({ name }: Waiting): boolean => ['QUEUED', 'PENDING', 'RUNNING'].includes(name);
  return [
    gauge(
      'slipway_pipeline_runs',
      'Pipeline runs by state.',
      rows.map(({ name, count }) => [labelsOf({ state: name }), count]),
    ),
    gauge(
      'slipway_pipeline_run_oldest_seconds',
      'Age of the oldest active pipeline run by state.',
      rows.filter(isActive).map(({ name, seconds }) => [labelsOf({ state: name }), seconds]),
    ),
    gauge('slipway_pipeline_step_retries', 'Repeated attempts of the steps of active pipeline runs.', [['', retries]]),
    gauge('slipway_pipeline_runs_leased', 'Active pipeline runs that a worker holds.', [['', owned]]),
  ];
};

/** Replicas hold a session of this name each. The leader of the runtime renews its row. */
const replicas = async (db: Db): Promise<readonly Metric[]> => {
  const { rows: sessions } = await sql<{ name: string; count: number }>`select application_name as name, count(*) from pg_stat_activity
    where datname = current_database() and application_name in ('slipway replicas', 'slipway worker') group by 1`.execute(db);
  const { rows: leaders } = await sql<{ kind: string; replica: string; seconds: number }>`
    select kind, replica, extract(epoch from now() - seen_at)::float8 as seconds from runtime_holder`.execute(db);
  const count = (name: string): number => sessions.find((session) => session.name === name)?.count ?? 0;
  return [
    gauge('slipway_replicas', 'Replicas that are connected to the database.', [['', count('slipway replicas')]]),
    gauge('slipway_workers', 'Replicas that work on pipelines.', [['', count('slipway worker')]]),
    gauge(
      'slipway_runtime_leader_seen_seconds',
      'Time since the replica that drives the runtime renewed its lease.',
      leaders.map(({ kind, replica, seconds }) => [labelsOf({ runtime: kind, replica }), Math.max(0, seconds)]),
    ),
  ];
};

const connections = ({ pool }: Database): readonly Metric[] => [
  gauge('slipway_database_connections', "Connections of this replica's main pool by state.", [
    [labelsOf({ state: 'idle' }), pool.idleCount],
    [labelsOf({ state: 'used' }), pool.totalCount - pool.idleCount],
  ]),
  gauge('slipway_database_connections_max', "Largest size of this replica's main pool.", [['', pool.options.max ?? 0]]),
  gauge('slipway_database_connection_waiters', 'Callers that wait for a connection of the main pool.', [['', pool.waitingCount]]),
];

/** `answers` are those of the readiness checks. */
const health = (answers: Readonly<Record<string, string>>): Metric =>
  gauge(
    'slipway_check_status',
    'Readiness checks of this replica, engines included: 1 for the status that applies.',
    Object.entries(answers).flatMap(([check, answer]) => {
      const found = answer === 'ok' || answer === 'low' ? answer : answer.startsWith('degraded') ? 'degraded' : 'failed';
      return ['ok', 'low', 'degraded', 'failed'].map((status): Sample => [labelsOf({ check, status }), status === found ? 1 : 0]);
    }),
  );

/** Metrics of this process. They need no query. */
export const replicaMetrics = (database: Database, streams: number): readonly Metric[] => [
  gauge('slipway_event_streams', 'Browsers that hold a stream of live changes open at this replica.', [['', streams]]),
  ...connections(database),
];

/** Metrics that are read from the database and asked of engines. */
export const platformMetrics = async (db: Db, answers: Readonly<Record<string, string>>): Promise<readonly Metric[]> => {
  const revisions = await sql<{ status: string; count: number }>`
    select status, count(*) from revision where status <> 'DELETED' group by status order by status`.execute(db);
  const waiting = await queues(db);
  const unreadable = await unreadableCounts(db);
  return [
    ...(await runs(db)),
    gauge(
      'slipway_revisions',
      'Revisions by status.',
      revisions.rows.map(({ status, count }) => [labelsOf({ status }), count]),
    ),
    gauge(
      'slipway_queue_items',
      'Deliveries, scans and backups that wait or are in progress.',
      waiting.map(({ name, count }) => [labelsOf({ queue: name }), count]),
    ),
    gauge(
      'slipway_queue_oldest_seconds',
      'Age of the oldest item of a queue.',
      waiting.map(({ name, seconds }) => [labelsOf({ queue: name }), seconds]),
    ),
    ...(await replicas(db)),
    health(answers),
    gauge(
      'slipway_unreadable_rows',
      'Rows that are left out since they cannot be read, by kind.',
      unreadable.map(({ kind, count }) => [labelsOf({ kind }), count]),
    ),
  ];
};

export const ageMetric = (seconds: number): Metric =>
  gauge(
    'slipway_metrics_age_seconds',
    'Age of the values that need queries or calls: the readiness checks and everything of the whole platform.',
    [['', seconds]],
  );
