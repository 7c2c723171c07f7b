/** Copies a service to another name or environment. Copied settings obey the same rules as any other change. */
import type { Transaction } from 'kysely';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { lockApp } from '#modules/apps/index.ts';
import { attachGroups } from '#modules/secret-groups/index.ts';
import { checkName, type CreationDeps } from '../create-service.ts';
import { compare, type Copy, type WantedCopy } from './copy-comparison.ts';
import { copyDraft, copyWarnings } from './copy-plan.ts';
import { rememberCreation, reserveService } from '../creation-guard.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { requireIdle, type Pinned, type Prepare, type Prepared } from '../operation.ts';
import type { ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireReady, startServicePipeline, type By } from '../service-context.ts';
import { askEngines, rowErrors, throwFieldErrors, type EngineFindings } from '../settings/settings-rules.ts';
import { auditOf, prepareUpdate } from '../settings/settings.ts';

/** Returns the digest of the image. Calls the registry, so it must not run inside a transaction. */
const requireImage = async ({ registry }: CreationDeps, { after, imageTag }: Copy): Promise<string | undefined> => {
  if (imageTag === null) return undefined;
  if (!after.active) throw new Problem('ServiceInactive');
  const repository = imageRepositoryOf(after.spec);
  const image = await registry.image(repository, imageTag);
  if (image) return image.digest;
  const context = { tag: imageTag, repository: `${registry.host}/${repository}` };
  throw new Problem('ImageTagDoesNotExist', { field: 'imageTag', context });
};

/** Maps a field error to the path of the carried change: `spec.template.envVars.3.secretKey` → `spec.template.envVars.DATABASE_URL`. */
const asChange = (error: FieldError, { spec }: ServiceSettings): FieldError => {
  const [, list, index] = /^spec\.template\.(envVars|secretFileMounts)\.(\d+)/.exec(error.field ?? '') ?? [];
  if (list === undefined) return error;
  const { envVars, secretFileMounts } = spec.template;
  const item = list === 'envVars' ? envVars[Number(index)]?.name : secretFileMounts[Number(index)]?.mountPath;
  return { ...error, field: `spec.template.${list}.${item ?? ''}` };
};
const atChanges = async <T>(settings: ServiceSettings, check: () => Promise<T>): Promise<T> => {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors.some(({ field }) => field?.startsWith('spec.template.'))) throw error;
    throw Problem.fields(error.errors.map((one) => asChange(one, settings)));
  }
};

/** Prepares a copy. A dry run compares even if nothing is carried over; only carried changes are validated. */
export const prepareCopy = async (
  deps: CreationDeps,
  { by, isPinned }: { readonly by: By } & Pinned,
  from: ServiceKey,
  wanted: WantedCopy,
): Promise<Prepare> => {
  const copy = await compare(deps, by, from, wanted);
  const digest = await requireImage(deps, copy);
  if (copy.target && copy.imageTag === null) return prepareChange(deps, copy, isPinned);
  const found = await askEngines(deps, copy.key, copy.after, copy.before);
  return (trx) => atChanges(copy.after, () => prepared(deps, copy, { ...found, digest, isPinned }, trx));
};

interface Found extends EngineFindings, Pinned {
  readonly digest: string | undefined;
}
const prepared = async (deps: CreationDeps, copy: Copy, found: Found, trx: Transaction<DB>): Promise<Prepared> => {
  const { key, target, after, secrets } = copy;
  if (target) {
    const now = await requireReady(trx, key, false);
    if (now.settings_version !== target.settings_version) throw new Problem('SettingsChangedMeanwhile');
    await requireIdle(trx, key);
  } else await checkName(trx, key);
  throwFieldErrors(await rowErrors(trx, deps, key, { settings: after, service: target, secretGroups: secrets.readable }), found.errors);
  const warnings = await copyWarnings(trx, deps.links, copy);
  return {
    draft: await copyDraft(trx, deps, copy, [...warnings, ...found.warnings]),
    carried: copy.carried,
    ...(found.digest === undefined ? {} : { digest: found.digest }),
    start: (tx) => startCopy(deps, tx, copy, found.isPinned ? found.digest : undefined),
  };
};

/** Prepares a copy of settings to an existing service: a settings change that also attaches the needed secret groups. */
const prepareChange = async (deps: CreationDeps, copy: Copy, isPinned: boolean | undefined): Promise<Prepare> => {
  const { by, key, target, after, carried, changes, secrets } = copy;
  const attaches = secrets.groups.map(({ name }) => note('AttachesSecretGroup', { group: name }));
  if (carried.length === 0)
    return async (trx) => {
      await requireIdle(trx, key);
      return {
        draft: { pipelineType: 'UpdateService', steps: [], changes: [...changes], warnings: await copyWarnings(trx, deps.links, copy) },
        start: () => Promise.reject(new Problem('NothingChanged')),
      };
    };
  const wanted = { settings: after, version: target?.settings_version, secretGroups: secrets.readable, isPinned };
  const prepare = await atChanges(after, () => prepareUpdate(deps, by, key, wanted));
  return async (trx) => {
    const { draft, start, digest } = await atChanges(after, () => prepare(trx));
    const { changes: _carried, consequences = [], warnings = [], ...rest } = draft;
    return {
      draft: {
        ...rest,
        changes: [...changes],
        consequences: [...consequences, ...attaches],
        warnings: [...(await copyWarnings(trx, deps.links, copy, { isNoted: true })), ...warnings],
      },
      carried,
      ...(digest === undefined ? {} : { digest }),
      start: async (tx) => {
        if (target) await attachGroups(tx, target.id, secrets.groups);
        const pipelineId = await start(tx);
        await recordCopy(tx, copy, pipelineId);
        return pipelineId;
      },
    };
  };
};

const recordCopy = (trx: Transaction<DB>, { by, from, key, carried, secrets, imageTag }: Copy, pipelineId: string) =>
  recordServiceWrite(trx, key, by, {
    type: 'serviceCopy',
    reason: 'Copied',
    message: `${by.displayName} copied ${from.service} of ${from.environment} to ${key.service} in ${key.environment}`,
    pipelineId,
    before: auditOf(carried, 'before'),
    after: { ...auditOf(carried, 'after'), secretGroups: secrets.groups.map(({ name }) => name), imageTag },
  });

const startCopy = async (deps: CreationDeps, trx: Transaction<DB>, copy: Copy, imageDigest: string | undefined): Promise<string> => {
  const { by, from, key, before, after, target, secrets, imageTag } = copy;
  if (!target) {
    if ((await lockApp(trx, key.app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
    await reserveService(trx, { key, spec: after.spec, active: after.active, createdBy: by.id, field: 'name' });
  }
  const reason: Revision['reason'] = { type: 'COPY', text: `${from.service} of ${from.environment}`, commit: null, commitMessage: null };
  const pipelineId = await startServicePipeline(deps, trx, deps.creation.copy, {
    input: {
      ...key,
      reason,
      before,
      after,
      isNew: !target,
      groups: secrets.groups,
      imageTag,
      ...(imageDigest === undefined ? {} : { imageDigest }),
      repository: target ? null : after.githubRepositoryName,
      connectedBefore: { repository: null, commit: null },
    },
    by,
    trigger: 'person',
    facts: { from: `${from.environment}/${from.service}`, ...(imageTag === null ? {} : { imageTag }) },
  });
  if (!target) await rememberCreation(trx, key, pipelineId);
  await recordCopy(trx, copy, pipelineId);
  return pipelineId;
};
