/** How the service does right now, each figure with its context. Only what the platform measures: no figure, no guess. */
import type { Service } from '@slipway/contract/service.ts';
import { Berths, type Berth } from '@slipway/ui/Berths.tsx';
import { Gauge } from '@slipway/ui/Gauge.tsx';
import { Now, type NowReading } from '@slipway/ui/Now.tsx';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import css from './ServiceNow.module.css';

const none = '–';
const berthsShown = 10;

const berthsOf = (ready: number, wanted: number): Berth[] =>
  Array.from({ length: Math.min(berthsShown, Math.max(wanted, ready)) }, (_, index) => (index < ready ? 'ready' : 'starting'));

const number = (value: number | null): string => (value === null ? none : value.toLocaleString('en', { maximumFractionDigits: 1 }));

const instances = ({ active, status: { replicasReady, replicasWanted } }: Service): NowReading => ({
  label: 'Instances',
  note: `wanted ${active ? replicasWanted : 0}`,
  value: `${replicasReady} of ${replicasWanted}`,
  unit: 'ready',
  chart: (
    <span className={css.chart}>
      <Berths berths={berthsOf(replicasReady, replicasWanted)} />
    </span>
  ),
});

const memory = ({ status: { memoryMegabytes }, spec: { resources } }: Service): NowReading => ({
  label: 'Memory',
  note: `of ${megabytes(resources.memoryMegabytes)}`,
  value: memoryMegabytes === null ? none : Math.round(memoryMegabytes),
  unit: memoryMegabytes === null ? undefined : 'MB, the fullest',
  ...(memoryMegabytes === null
    ? { chart: foot }
    : {
        chart: (
          <span className={css.chart}>
            <Gauge
              label={`Memory ${Math.round(memoryMegabytes)} of ${resources.memoryMegabytes} MB`}
              value={memoryMegabytes}
              of={resources.memoryMegabytes}
            />
          </span>
        ),
      }),
});

/** Without a request there is nothing to time, whatever the last minute's zero says. */
const p95 = ({ p95Ms: ms, requestsPerMinute }: Service['status']): Pick<NowReading, 'value' | 'unit'> => {
  if (ms === null || !requestsPerMinute) return { value: none, ...(requestsPerMinute === 0 ? { unit: 'no requests' } : {}) };
  return ms < 1000 ? { value: Math.round(ms), unit: 'ms' } : { value: (ms / 1000).toFixed(2), unit: 's' };
};

const errorUnit = ({ errorsPerMinute: errors, requestsPerMinute: requests }: Service['status']): string | undefined => {
  if (errors === null) return undefined;
  return requests ? `per min, ${((errors / requests) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %` : 'per min';
};

/** The room that a chart would leave at the lower edge. */
const foot = <span className={css.foot} />;

const room = <span className={css.room} />;
const waiting: NowReading[] = [
  { label: 'Instances', value: none, chart: room },
  { label: 'Requests', note: 'last minute', value: none, chart: foot },
  { label: 'Errors', note: '5xx', value: none, chart: foot },
  { label: 'p95', note: 'response time', value: none, chart: foot },
  { label: 'Memory', value: none, chart: room },
];

/** Without a service it keeps the place of the figures. */
export function ServiceNow({ service }: { service: Service | undefined }) {
  if (!service) return <Now label="Now" readings={waiting} />;
  const { requestsPerMinute, errorsPerMinute } = service.status;
  return (
    <Now
      label="Now"
      readings={[
        instances(service),
        {
          label: 'Requests',
          note: 'last minute',
          value: number(requestsPerMinute),
          unit: requestsPerMinute === null ? undefined : 'per min',
          chart: foot,
        },
        { label: 'Errors', note: '5xx', value: number(errorsPerMinute), unit: errorUnit(service.status), chart: foot },
        { label: 'p95', note: 'response time', ...p95(service.status), chart: foot },
        memory(service),
      ]}
    />
  );
}
