/** Reads what a copy would change: the server's dry run, and where that refuses, the same comparison made here with the reasons at its lines. */
import type { FieldError } from '@slipway/contract/errors.ts';
import type { Environment } from '@slipway/contract/fields.ts';
import { isPlan } from '@slipway/contract/plan.ts';
import { serviceCopy } from '@slipway/contract/service-change.ts';
import { serviceChanges, type ServiceChange } from '@slipway/contract/service-changes.ts';
import type { ServiceSettings } from '@slipway/contract/service-settings.ts';
import { newServiceSpec } from '@slipway/contract/service-spec.ts';
import { serviceView, type Service } from '@slipway/contract/service.ts';
import useSWR from 'swr';
import { isStatus, ResponseError } from '#api/errors.ts';
import { useQuery, type FailedQuery } from '#api/query.ts';
import { runtimeConfig } from '#api/runtime-config.ts';
import type { ServiceRef } from '#lib/paths.ts';
import { dryRun } from '#lib/planned/dry-run.ts';
import { changePathOf } from './comparison.ts';

export interface CopyTarget {
  environment: Environment;
  name: string;
}

export interface Comparison {
  /** Undefined while it is being read. */
  changes: ServiceChange[] | undefined;
  /** The service that is there already and would be changed; null where the copy is a new one. */
  existing: Service | null | undefined;
  /** What stands against carrying everything, by the path of the change; '' where it concerns none. */
  errors: ReadonlyMap<string, FieldError>;
  /** Neither the server nor this page can compare. */
  failed: FailedQuery | undefined;
}

export const settingsOf = ({ githubRepositoryName, active, spec }: Service): ServiceSettings => ({ githubRepositoryName, active, spec });

/** What the copy of a service that is not there yet begins with. */
const newSettings = ({ app }: ServiceRef, { name }: CopyTarget): ServiceSettings => ({
  githubRepositoryName: null,
  active: true,
  spec: newServiceSpec(`${runtimeConfig().registryHost}/${app}/${name}`),
});

const nothing: ReadonlyMap<string, FieldError> = new Map();

/** Undefined `target`: its name is not one yet, and nothing is asked. */
export const useComparison = (place: ServiceRef, source: Service, target: CopyTarget | undefined): Comparison => {
  const there = useQuery(serviceView, target && { params: { app: place.app, env: target.environment, service: target.name } });
  const existing = isStatus(there.error, 404) ? null : there.data;
  const isKnown = target !== undefined && existing !== undefined;
  const body = target && { ...target, carry: 'all' as const, imageTag: null, overwrite: existing !== null };
  const version = `${source.settingsVersion}/${existing?.settingsVersion ?? 0}`;
  const plan = useSWR(isKnown ? ['serviceCopyPlan', place, body, version] : null, async () => {
    const answer = await dryRun(serviceCopy, { params: { ...place }, body: body ?? { environment: 'development', name: '' } });
    return isPlan(answer) ? answer : undefined;
  });
  if (!isKnown) return { changes: undefined, existing, errors: nothing, failed: undefined };
  if (plan.data) return { changes: plan.data.changes, existing, errors: nothing, failed: undefined };
  const error: unknown = plan.error;
  if (!error) return { changes: undefined, existing, errors: nothing, failed: undefined };
  if (error instanceof ResponseError && error.status < 500 && error.status !== 403) {
    const settings = settingsOf(source);
    const changes = serviceChanges(existing ? settingsOf(existing) : newSettings(place, target), settings);
    return { changes, existing, errors: errorsByPath(error, settings), failed: undefined };
  }
  const failed = { error: error as FailedQuery['error'], attempt: 0, mutate: () => plan.mutate() };
  return { changes: undefined, existing, errors: nothing, failed };
};

/** That nothing differs is no error of a line, and the table says it itself. */
const errorsByPath = ({ errors }: ResponseError, settings: ServiceSettings): ReadonlyMap<string, FieldError> =>
  new Map(
    errors.filter(({ code }) => code !== 'NothingChanged').map((error) => [error.field ? changePathOf(error.field, settings) : '', error]),
  );
