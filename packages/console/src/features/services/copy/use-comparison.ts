/** Reads what differs between a service and what it would be copied to: the dry run of a copy that carries nothing tells it all. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { isPlan, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { serviceCopy } from '@slipway/contract/service/service-operations.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import useSWR from 'swr';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery, type FailedQuery, type QueryError } from '#kit/api/query.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { dryRun } from '#entities/plan/dry-run.ts';

export interface CopyTarget {
  environment: Environment;
  name: string;
}

export interface Comparison {
  /** Every difference, and what to look at before it is carried; undefined while it is being read. */
  plan: Plan | undefined;
  /** The service that is there already and would be changed; null where the copy is a new one. */
  existing: Service | null | undefined;
  /** There is none: the server says why. */
  failed: FailedQuery | undefined;
}

/** Undefined `target`: its name is not one yet, and nothing is asked. */
export const useComparison = (place: ServiceRef, source: Service, target: CopyTarget | undefined): Comparison => {
  const there = useQuery(serviceView, target && { params: { app: place.app, env: target.environment, service: target.name } });
  const existing = isStatus(there.error, 404) ? null : there.data;
  const body = target && existing !== undefined && { ...target, carry: [], imageTag: null, overwrite: existing !== null };
  // Settings that change on either side are compared anew.
  const versions = `${source.settingsVersion}/${existing?.settingsVersion ?? 0}`;
  const comparison = useSWR<Plan | undefined, QueryError>(body ? ['serviceCopyComparison', place, body, versions] : null, async () => {
    const answer = body ? await dryRun(serviceCopy, { params: { ...place }, body }) : undefined;
    return answer && isPlan(answer) ? answer : undefined;
  });
  const { error, data: plan } = comparison;
  const failed = error && !plan ? { error, attempt: 0, mutate: () => comparison.mutate() } : undefined;
  return { plan, existing, failed };
};
