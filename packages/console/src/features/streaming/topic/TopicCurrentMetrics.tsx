/** The topic's current metrics, each with its limit. Shows only observed values, never estimates. */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import type { TopicStatus } from '@slipway/contract/streaming/topic-status.ts';
import { InstanceDots } from '@slipway/ui/figures/InstanceDots.tsx';
import { MetricRow, type MetricReading } from '@slipway/ui/figures/MetricRow.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { RateSpark } from '#features/streaming/parts/RateSpark.tsx';
import { behindOf, keptLabel, rateLabel, retentionMs } from '#features/streaming/streaming-labels.ts';

const none = '–';

const slowest = (topic: Topic, { readers }: TopicStatus): MetricReading => {
  const kept = retentionMs(topic.spec);
  const note = `of ${keptLabel(topic.spec)}`;
  const worst = readers.toSorted((a, b) => (b.lagMs ?? 0) - (a.lagMs ?? 0) || b.lagMessages - a.lagMessages)[0];
  if (!worst) return { label: 'Slowest reader', note, value: none, unit: 'nobody reads it' };
  const { label } = behindOf(worst.lagMs, worst.lagMessages, kept);
  return { label: 'Slowest reader', note, value: label, unit: worst.group };
};

const clientsOf = ({ readers }: TopicStatus): string =>
  readers.some(({ members }) => members === null)
    ? 'clients not known'
    : count(
        readers.reduce((sum, { members }) => sum + (members ?? 0), 0),
        'client',
      );

/** More dots would be too small. */
const mostDots = 24;

const partitions = ({ partitions: all, replication }: TopicStatus): MetricReading => {
  const inSync = all.filter((partition) => partition.leader !== null && partition.inSync >= partition.replicas);
  return {
    label: 'Partitions',
    note: count(replication, 'replica'),
    value: `${inSync.length} of ${all.length}`,
    unit: 'in sync',
    ...(all.length <= mostDots
      ? { chart: <InstanceDots berths={all.map((partition) => (inSync.includes(partition) ? 'ready' : 'empty'))} /> }
      : {}),
  };
};

export function TopicCurrentMetrics({
  topic,
  status,
  isAway,
}: {
  topic: Topic | undefined;
  status: TopicStatus | undefined;
  isAway: boolean;
}) {
  const labels = ['Written', 'Readers', 'Slowest reader', 'Size', 'Partitions'];
  if (!topic || !status) {
    return (
      <MetricRow label="Now" readings={labels.map((label) => ({ label, value: none, ...(isAway ? { note: 'not known now' } : {}) }))} />
    );
  }
  const rate = topic.observed?.messagesPerSecond ?? null;
  const [value = none, unit = ''] = status.sizeBytes === null ? [none] : bytes(status.sizeBytes).split(' ');
  return (
    <MetricRow
      label="Now"
      readings={[
        {
          label: 'Written',
          value: rate === null ? none : rateLabel(rate),
          unit: 'per s',
          note: `${count(status.messages, 'message')} kept`,
          ...(topic.observed && { chart: <RateSpark rates={topic.observed.rates} />, isEdge: true }),
        },
        {
          label: 'Readers',
          value: status.readers.length,
          unit: 'groups',
          note: clientsOf(status),
        },
        slowest(topic, status),
        { label: 'Size', value, unit, note: 'on disk' },
        partitions(status),
      ]}
    />
  );
}
