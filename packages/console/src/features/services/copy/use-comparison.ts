/** Loads the differences between a service and the target of its copy, through a dry run that copies no change. */
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
  /** All differences, with warnings. Undefined while loading. */
  plan: Plan | undefined;
  /** The existing target service that would change. Null if the copy creates a new service. */
  existing: Service | null | undefined;
  /** Set if the comparison failed, with the server's reason. */
  failed: FailedQuery | undefined;
}

/** `target` is undefined while its name is invalid; nothing is requested then. */
export const useComparison = (place: ServiceRef, source: Service, target: CopyTarget | undefined): Comparison => {
  const there = useQuery(serviceView, target && { params: { app: place.app, env: target.environment, service: target.name } });
  const existing = isStatus(there.error, 404) ? null : there.data;
  const body = target && existing !== undefined && { ...target, carry: [], imageTag: null, overwrite: existing !== null };
  // Compares again when the settings of either side change.
  const versions = `${source.settingsVersion}/${existing?.settingsVersion ?? 0}`;
  const comparison = useSWR<Plan | undefined, QueryError>(body ? ['serviceCopyComparison', place, body, versions] : null, async () => {
    const answer = body ? await dryRun(serviceCopy, { params: { ...place }, body }) : undefined;
    return answer && isPlan(answer) ? answer : undefined;
  });
  const { error, data: plan } = comparison;
  const failed = error && !plan ? { error, attempt: 0, mutate: () => comparison.mutate() } : undefined;
  return { plan, existing, failed };
};
