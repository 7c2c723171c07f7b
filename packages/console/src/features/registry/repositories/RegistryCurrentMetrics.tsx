/** The project in four metrics: storage, images that need a look, tags that retention deletes next, and the last push. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { retentionPreview } from '@slipway/contract/registry/retention.ts';
import { scanOverviewView } from '@slipway/contract/registry/scan.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { MetricRow, type MetricReading } from '@slipway/ui/figures/MetricRow.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import type { ReactNode } from 'react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import css from './RegistryCurrentMetrics.module.css';

interface NowProps {
  place: RegistryPlace;
  registry: ContainerRegistry;
}

export function RegistryCurrentMetrics({ place, registry }: NowProps) {
  return (
    <MetricRow
      label="Container registry now"
      readings={[storageReading(registry), useScanReading(place), useRetentionReading({ place, registry }), pushReading(place, registry)]}
    />
  );
}

const foot = (children: ReactNode) => <span className={css.foot}>{children}</span>;
/** Above this share, the team is warned. */
const warnShare = 0.8;

const storageReading = ({ storage: { usedBytes, uploadingBytes, quotaBytes } }: ContainerRegistry): MetricReading => {
  const [amount = '0', unit = 'B'] = bytes(usedBytes + uploadingBytes).split(' ');
  return {
    label: 'Storage',
    value: amount,
    unit: `${unit}, shared layers once`,
    ...(quotaBytes === null
      ? { note: 'no quota', chart: foot('Limited by disk') }
      : {
          note: `of ${bytes(quotaBytes)}`,
          chart: (
            <span className={css.gauge}>
              <Gauge
                label={`${bytes(usedBytes + uploadingBytes)} of ${bytes(quotaBytes)}, with a warning from 80 percent on`}
                value={usedBytes + uploadingBytes}
                of={Math.max(quotaBytes, usedBytes + uploadingBytes, 1)}
                limit={quotaBytes * warnShare}
              />
            </span>
          ),
        }),
  };
};

const useScanReading = (place: RegistryPlace): MetricReading => {
  const { data } = useQuery(scanOverviewView, { params: { ...place } });
  const label = 'Needs a look';
  if (!data) return { label, value: '–' };
  const { worst, outcomes, images } = data;
  const loud = worst.critical + worst.high;
  const unknown = (outcomes.NOT_SCANNED ?? 0) + (outcomes.FAILED ?? 0) + (outcomes.PARTLY ?? 0);
  const moving = (outcomes.QUEUED ?? 0) + (outcomes.SCANNING ?? 0);
  const words = [
    worst.critical > 0 ? `${worst.critical} critical` : '',
    worst.high > 0 ? `${worst.high} high` : '',
    unknown > 0 ? `${unknown} not fully scanned` : '',
    moving > 0 ? `${moving} being scanned` : '',
  ].filter(Boolean);
  return {
    label,
    note: 'tagged images',
    value: loud.toLocaleString('en'),
    unit: `of ${count(images, 'image')}`,
    chart: foot(
      <>
        {loud > 0 && <StatusIcon tone="bad" />} {words.length > 0 ? words.join(', ') : 'Nothing critical or high'}
      </>,
    ),
  };
};

const useRetentionReading = ({ place, registry }: NowProps): MetricReading => {
  const isOn = registry.policy.retention !== null;
  const { data } = useQuery(retentionPreview, isOn && { params: { ...place } });
  const shared = { label: 'Retention', href: `${paths.containerRegistry(place, 'policy')}#retention` };
  if (!isOn) return { ...shared, value: 'Off', chart: foot('Every tag is kept') };
  return {
    ...shared,
    ...(registry.nextRetentionAt === null ? {} : { note: <RelativeTime at={registry.nextRetentionAt} /> }),
    value: data ? `${data.tags.toLocaleString('en')}${data.isAtLeast ? '+' : ''}` : '–',
    unit: data ? `${data.tags === 1 ? 'tag' : 'tags'}, ${bytes(data.sizeBytes)}` : '',
    chart: foot('Nothing that runs, see which'),
  };
};

const pushReading = (place: RegistryPlace, { lastPush, project }: ContainerRegistry): MetricReading => {
  const label = 'Last push';
  if (lastPush === null) return { label, value: '–', chart: foot('Nothing was pushed yet') };
  const { repository, tag, at, by } = lastPush;
  const name = repository.startsWith(`${project}/`) ? repository.slice(project.length + 1) : repository;
  return {
    label,
    href: paths.image({ ...place, repository: name, tag }),
    value: <RelativeTime at={at} isShort />,
    chart: foot(
      <span className="ell">
        {name}:{tag}, {by}
      </span>,
    ),
  };
};
