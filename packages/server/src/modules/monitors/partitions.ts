/** Partitions of events: one per retention and day (UTC). */
import { retentionDays } from '@slipway/contract/monitoring/monitor.ts';
import { DayPartitions } from '#kernel/ingest/day-partitions.ts';

export const monitorPartitions = new DayPartitions(
  'monitor_event',
  retentionDays.map((days) => ({ parent: `monitor_event_${days}`, retentionDays: days })),
);
