/** Prometheus text of this replica and the platform. */
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import type { Metric } from '#modules/resources/index.ts';
import { unreadableCounts } from './unreadable.sql.ts';

const line = (name: string, help: string, samples: Metric['samples'], type: Metric['type'] = 'gauge'): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(([labels, value]) => `${name}${labels} ${value}`)].join('\n');

export const metricsText = async (db: Db, streams: number, own: readonly Metric[]): Promise<string> => {
  const runs = await sql<{ state: string; count: number }>`select state, count(*) from pipeline_run group by state`.execute(db);
  const revisions = await sql<{
    status: string;
    count: number;
  }>`select status, count(*) from revision where status <> 'DELETED' group by status`.execute(db);
  const { heapUsed, rss } = process.memoryUsage();
  return [
    line('process_resident_memory_bytes', 'Resident memory of this replica.', [['', rss]]),
    line('nodejs_heap_size_used_bytes', 'Heap in use.', [['', heapUsed]]),
    line('process_uptime_seconds', 'Time since the start.', [['', process.uptime()]]),
    line('slipway_event_streams', 'Browsers that hold a stream of live changes open at this replica.', [['', streams]]),
    line(
      'slipway_pipeline_runs',
      'Pipeline runs by state.',
      runs.rows.map((row) => [`{state="${row.state}"}`, row.count]),
    ),
    line(
      'slipway_revisions',
      'Revisions by status.',
      revisions.rows.map((row) => [`{status="${row.status}"}`, row.count]),
    ),
    line(
      'slipway_unreadable_rows',
      'Rows that are left out since they cannot be read, by kind.',
      (await unreadableCounts(db)).map(({ kind, count }) => [`{kind="${kind}"}`, count]),
    ),
    ...own.map(({ name, help, samples, type }) => line(name, help, samples, type)),
    '',
  ].join('\n');
};
