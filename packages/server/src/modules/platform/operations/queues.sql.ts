/** Counts what waits in each queue, from indexes of the waiting rows, up to a limit. */
import { sql, type RawBuilder } from 'kysely';
import { maxCounted, type Queue, type queues } from '@slipway/contract/operations.ts';
import type { Db } from '#db/database.ts';

const active = sql`state in ('QUEUED', 'PENDING', 'RUNNING')`;
/** Rows that wait, oldest first, with the instant since when. The order follows an index, so that the limit ends the scan. */
const waiting: Readonly<Record<keyof typeof queues, RawBuilder<unknown>>> = {
  pipelinesWaiting: sql`select created_at as at from pipeline_run where owner is null and ${active} order by created_at`,
  pipelinesRunning: sql`select created_at as at from pipeline_run where owner is not null and ${active}`,
  notifications: sql`select at from notification_event where expanded_at is null order by at, id`,
  deliveries: sql`select created_at as at from notification_delivery where state = 'PENDING' order by created_at`,
  webhooks: sql`select created_at as at from webhook_delivery where state = 'PENDING' order by created_at`,
  scans: sql`select since as at from image_scan where state in ('QUEUED', 'SCANNING') order by since`,
  backups: sql`select created_at as at from database_backup
    where state in ('PENDING', 'RUNNING') or check_state in ('PENDING', 'RUNNING') order by created_at`,
  audit: sql`select at from audit_waiting join activity on activity.id = activity_id order by position`,
  imports: sql`select created_at as at from catalog_import where state in ('UPLOADING', 'CHECKING', 'APPLYING') order by created_at`,
};

export const queueCounts = async (db: Db): Promise<Queue[]> => {
  const counts = Object.entries(waiting).map(
    ([id, rows]) =>
      sql`select ${id}::text as id, count(*)::integer as count, min(at) as oldest from (${rows} limit ${maxCounted + 1}) as row`,
  );
  const { rows } = await sql<{ id: string; count: number; oldest: Date | null }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return rows.map(({ id, count, oldest }) => ({
    id,
    count: Math.min(count, maxCounted),
    isCountAtLeast: count > maxCounted,
    oldestAt: oldest?.toISOString() ?? null,
  }));
};
