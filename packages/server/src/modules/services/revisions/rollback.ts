/** Rolls back to an earlier revision: a new revision gets its image, settings and secret versions, and the service its settings. */
import type { Transaction } from 'kysely';
import type { Plan, PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { revisionRollbackRule, type Revision } from '@slipway/contract/service/revision.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { missingVersion, plainSpec, serviceGroups } from '#modules/secret-groups/index.ts';
import { planned, requireIdle, type Prepare, type Prepared } from '../operation.ts';
import { productionNotes } from '../rollout-plan.ts';
import { auditOf, type SettingsDeps } from '../settings/settings.ts';
import { rowErrors, throwFieldErrors } from '../settings/settings-rules.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { impactNotes, rollbackImpact } from '../settings/impact.ts';
import { revisionById, serviceState, type RunnableRevision } from '../settings/state.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireReady, requireRevision, startServicePipeline, type By } from '../service-context.ts';

export interface WantedRollback {
  readonly revision: string;
  readonly reason: string;
}
const OLD_DAYS = 30;
const DAY_MS = 86_400_000;

/** Throws RollbackImageGone. Calls the registry, so it must not run inside a transaction. */
const imageNotes = async ({ db, registry }: SettingsDeps, key: ServiceKey, name: string): Promise<PlanNote[]> => {
  const { row } = await requireRevision(db, key, name);
  const image = await registry.image(row.image_repository, row.image_digest);
  if (!image) throw new Problem('RollbackImageGone', { context: { image: `${registry.host}/${row.image_repository}:${row.image_tag}` } });
  const days = Math.floor((Date.now() - image.pushedAt.getTime()) / DAY_MS);
  return days >= OLD_DAYS ? [note('ImageIsOld', { tag: row.image_tag, days: String(days) })] : [];
};

/**
 * Returns the settings of the earlier revision. The snapshot lacks repository and `active`, and the registry's address may have changed.
 */
const targetSettings = async (
  db: Db,
  key: ServiceKey,
  { now, serviceId, revision }: { now: ServiceSettings; serviceId: string; revision: RunnableRevision },
): Promise<ServiceSettings> => {
  const spec = await plainSpec(db, key, serviceId, revision.spec);
  const [host = ''] = now.spec.containerImageName.split('/');
  return { ...now, spec: { ...spec, containerImageName: `${host}/${revision.imageRepository}` } };
};

const versionsBetween = (from: Readonly<Record<string, number>>, to: Readonly<Record<string, number>>): Plan['secretVersions'] =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((group) => from[group] !== to[group])
    .toSorted()
    .map((group) => ({ group, before: from[group] ?? null, after: to[group] ?? null }));

const oldVersions = async (db: Db, key: ServiceKey, versions: Readonly<Record<string, number>>): Promise<PlanNote[]> => {
  const groups = await serviceGroups(db, key, key.service);
  return groups.flatMap(({ group, version: newest }) => {
    const version = versions[group];
    if (version === undefined || version >= newest) return [];
    return [note('SecretVersionsOld', { group, version: String(version), newest: String(newest) })];
  });
};

const requireTarget = async (trx: Db, key: ServiceKey, name: string) => {
  const { service, row } = await requireRevision(trx, key, name);
  const isServing = service.serving.includes(name);
  const verdict = revisionRollbackRule({ isServing, isActive: service.active });
  if (verdict !== true) throw new Problem(verdict);
  const revision = await revisionById(trx, service.id, row.id);
  if (!revision) throw new Problem('RevisionDoesNotExist');
  const missing = await missingVersion(trx, key, revision.secretVersions);
  if (missing) throw new Problem('RollbackSecretGone', { context: { group: missing.group, version: String(missing.version) } });
  return revision;
};

const prepared = async (
  deps: SettingsDeps,
  by: By,
  key: ServiceKey,
  { revision: name, reason: text, images }: WantedRollback & { images: readonly PlanNote[] },
  trx: Transaction<DB>,
): Promise<Prepared> => {
  const row = await requireReady(trx, key, true);
  await requireIdle(trx, key);
  const revision = await requireTarget(trx, key, name);
  const before = settingsOf(row);
  const after = await targetSettings(trx, key, { now: before, serviceId: row.id, revision });
  throwFieldErrors(await rowErrors(trx, deps, key, { settings: after, service: row }));
  const changes = serviceChanges(before, after);
  const state = await serviceState(trx, key, row);
  const target = { id: revision.id, name };
  const impact = rollbackImpact(after, state, target);
  const made = note('MakesRevision', { image: `${after.spec.containerImageName}:${revision.imageTag}` });
  return {
    draft: {
      ...planned(deps.pipelines.rollback, impact),
      changes,
      image: { before: state.serving?.imageTag ?? null, after: revision.imageTag },
      secretVersions: versionsBetween(state.serving?.secretVersions ?? {}, revision.secretVersions),
      consequences: [made, ...impactNotes({ key, links: deps.links, before, after, changes, state, impact })],
      warnings: [...(await oldVersions(trx, key, revision.secretVersions)), ...images, ...productionNotes(key)],
    },
    start: async (tx) => {
      const reason: Revision['reason'] = { type: 'ROLLBACK', text, from: name, commit: null, commitMessage: null };
      const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.rollback, {
        input: { ...key, reason, before, after, target, found: { impact, settingsVersion: row.settings_version } },
        by,
        trigger: 'rollback',
        facts: { from: name, reason: text, imageTag: revision.imageTag },
      });
      const served = { revision: state.serving?.name ?? null, imageTag: state.serving?.imageTag ?? null };
      await recordServiceWrite(tx, key, by, {
        type: 'serviceRollback',
        reason: 'RolledBack',
        message: `${by.displayName} rolls ${key.service} back to ${name}: ${text}`,
        pipelineId,
        before: { ...served, ...auditOf(changes, 'before') },
        after: { revision: name, imageTag: revision.imageTag, reason: text, ...auditOf(changes, 'after') },
      });
      return pipelineId;
    },
  };
};

export const prepareRollback = async (deps: SettingsDeps, by: By, key: ServiceKey, wanted: WantedRollback): Promise<Prepare> => {
  const images = await imageNotes(deps, key, wanted.revision);
  return (trx) => prepared(deps, by, key, { ...wanted, images }, trx);
};
