/** Compares two services for a copy: lists every difference and selects the ones to carry over. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type * as z from 'zod/mini';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { carriedOnDemand, type ServiceCopy } from '@slipway/contract/service/service-operations.ts';
import { carryChanges, serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import { settingsFieldOf, ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { Problem } from '#kernel/problem.ts';
import { blankSpec, checkName, type CreationDeps } from '../create-service.ts';
import { copiedSecrets, type CopiedSecrets } from './copy-secrets.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import { requireReady, type By } from '../service-context.ts';
import { settingsOf } from '../settings/settings.sql.ts';

export type WantedCopy = z.output<typeof ServiceCopy>;
type Row = NonNullable<Awaited<ReturnType<typeof serviceRow>>>;

/** A copy that has been computed, but not yet applied. */
export interface Copy {
  readonly by: By;
  readonly from: ServiceKey;
  readonly key: ServiceKey;
  /** Settings of the target as it is, or defaults for a new service. */
  readonly before: ServiceSettings;
  /** Settings of the target after the copy. */
  readonly after: ServiceSettings;
  /** Undefined if the copy creates the target. */
  readonly target: Row | undefined;
  /** All differences. */
  readonly changes: readonly ServiceChange[];
  /** The differences that are carried over. */
  readonly carried: readonly ServiceChange[];
  readonly secrets: CopiedSecrets;
  readonly imageTag: string | null;
}

/** Rejects unknown paths. Unchanged paths are allowed. */
const requirePaths = (paths: readonly string[]): void => {
  const errors = paths.flatMap((path, index): FieldError[] =>
    settingsFieldOf(path) ? [] : [{ field: `carry.${index}`, code: 'InvalidValue', context: { label: 'Carry', value: path } }],
  );
  if (errors.length > 0) throw Problem.fields(errors);
};

/** Validates again: two valid lists may exceed the limits when merged. */
const joined = (settings: ServiceSettings): ServiceSettings => {
  const parsed = ServiceSettings.safeParse(settings, { reportInput: true });
  if (!parsed.success) throw Problem.fields(fieldErrors(parsed.error));
  return parsed.data;
};

export const compare = async (deps: CreationDeps, by: By, from: ServiceKey, wanted: WantedCopy): Promise<Copy> => {
  const key: ServiceKey = { app: from.app, environment: wanted.environment, service: wanted.name };
  if (key.environment === from.environment && key.service === from.service) throw new Problem('CopyOntoItself', { field: 'name' });
  const source = settingsOf(await requireReady(deps.db, from, false));
  const target = wanted.overwrite ? await serviceRow(deps.db, key) : undefined;
  if (target) await requireReady(deps.db, key, false);
  else await checkName(deps.db, key);
  const before = target ? settingsOf(target) : { githubRepositoryName: null, active: true, spec: blankSpec(deps, key) };
  const changes = serviceChanges(before, source);
  const all = changes.map(({ path }) => path).filter((path) => !carriedOnDemand.includes(path));
  requirePaths(wanted.carry === 'all' ? [] : wanted.carry);
  const after = joined(carryChanges(before, source, wanted.carry === 'all' ? all : wanted.carry));
  return {
    by,
    from,
    key,
    before,
    after,
    target,
    changes,
    carried: serviceChanges(before, after),
    secrets: await copiedSecrets(deps.db, from, key, source.spec),
    imageTag: wanted.imageTag,
  };
};
