/** Facts beside the fields of a section: peak usage, durations of health checks, URL. Pure. */
import type { MetricPoint } from '@slipway/contract/service/metrics.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Draft } from '#features/services/settings/draft.ts';

export type Peak = number | null;

const greatest = (values: readonly Peak[]): Peak =>
  values.reduce((most, value) => (value === null ? most : Math.max(most ?? 0, value)), null);

/** Undefined if there are no samples. CPU is sampled per service; this is the mean per instance. */
export const peaksOf = (points: readonly MetricPoint[]): { cpu: Peak; memory: Peak } | undefined => {
  const cpu = greatest(
    points.map(({ cpuMillicores, instances }) => (cpuMillicores === null || !instances ? null : cpuMillicores / instances)),
  );
  const memory = greatest(points.map(({ maxMemoryMegabytes }) => maxMemoryMegabytes));
  return cpu === null && memory === null ? undefined : { cpu, memory };
};

type Loose<T> = { [Key in keyof T]: T[Key] | null };
export type CheckTimes = Loose<ServiceSpec['template']['healthCheck']['config']>;

const seconds = (count: number): string => (count === 0 ? 'immediately' : `after ${count} s`);

/** "Ready after 21 s; removed after 10 s of failures." Undefined if a number is missing. */
export const checkTimesLabel = (times: CheckTimes): string | undefined => {
  const { initialDelaySeconds, periodSeconds, successThreshold, failureThreshold } = times;
  if (initialDelaySeconds === null || periodSeconds === null || successThreshold === null || failureThreshold === null) return undefined;
  const healthy = initialDelaySeconds + periodSeconds * (successThreshold - 1);
  return `Ready ${seconds(healthy)}; removed after ${periodSeconds * failureThreshold} s of failures.`;
};

/** `template` is the default URL of a service, with `{service}`, `{app}` and `{env}`. Undefined if the service is not reachable. */
export const serviceAddress = (
  { spec }: Draft,
  place: { readonly service: string; readonly app: string; readonly env: string },
  template: string,
): string | undefined => {
  const { type, domain, basePath } = spec.externalTraffic;
  if (type === 'NONE' || spec.exposedPort === null) return undefined;
  const own = template.replace('{service}', place.service).replace('{app}', place.app).replace('{env}', place.env);
  const url = domain ? own.replace(/^(\w+:\/\/)[^/:]+/, `$1${domain}`) : own;
  return `${url.replace(/\/$/, '')}${basePath === '/' ? '' : basePath}`;
};
