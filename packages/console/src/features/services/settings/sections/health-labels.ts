/** What the numbers of a health check mean in time. Pure. */
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';

type Loose<T> = { [Key in keyof T]: T[Key] | null };
export type CheckTimes = Loose<ServiceSpec['template']['healthCheck']['config']>;

const seconds = (count: number): string => (count === 0 ? 'at once' : `after ${count} s`);

/** "Healthy at the earliest after 21 s; taken out of rotation after 10 s." Undefined while a number is missing. */
export const checkTimesLabel = (times: CheckTimes): string | undefined => {
  const { initialDelaySeconds, periodSeconds, successThreshold, failureThreshold } = times;
  if (initialDelaySeconds === null || periodSeconds === null || successThreshold === null || failureThreshold === null) return undefined;
  const healthy = initialDelaySeconds + periodSeconds * (successThreshold - 1);
  return `Healthy at the earliest ${seconds(healthy)}; taken out of rotation after ${periodSeconds * failureThreshold} s of failing.`;
};
