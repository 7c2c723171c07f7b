/** Chooses the revision that an activation starts: the last one that ran, or a new one with its image if the settings have changed. */
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { Db } from '#db/database.ts';
import { plainSpec } from '#modules/secret-groups/index.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { restartImage } from '../settings/restart-image.ts';
import { requireAllowed } from './allowed-image.ts';
import { insertRevision, wantRevision } from './rollout.sql.ts';
import type { RolloutEngines } from './rollout.steps.ts';
import type { ServiceContext } from './service-pipeline.ts';
import { isOutdated } from '../settings/impact.ts';
import { settingsOf, type SettingsRow } from '../settings/settings.sql.ts';
import { startableRevision, revisionById, type RunnableRevision } from '../settings/state.sql.ts';
import type { ServiceKey } from '../services.sql.ts';

/** Returns undefined if no revision can be started. `isNew`: the settings differ from those of the revision. */
export const revisionToStart = async (
  db: Db,
  key: ServiceKey,
  row: SettingsRow,
): Promise<{ revision: RunnableRevision; settings: ServiceSettings; isNew: boolean } | undefined> => {
  const revision = await startableRevision(db, row.id);
  if (!revision) return undefined;
  const settings = settingsOf(row);
  const plain = { ...revision, spec: await plainSpec(db, key, row.id, revision.spec) };
  return { revision, settings, isNew: isOutdated(plain, settings) };
};

/** Returns the revision to start, a new one if needed. A repeated step finds the new revision as the newest with these settings. */
export const startAgain = async (
  engines: RolloutEngines,
  c: ServiceContext<ServiceKey, object>,
  row: SettingsRow,
): Promise<RunnableRevision | undefined> => {
  const found = await revisionToStart(engines.db, c.service, row);
  if (!found?.isNew) return found?.revision;
  const { spec } = found.settings;
  if (!spec.template.healthCheck.enabled) throw new StepFailure('HealthCheckRequired');
  const { image, tag, digest } = await restartImage(engines, row.id, found.revision.id, spec);
  if (!digest) throw new StepFailure('ImageDoesNotExist', { image });
  await requireAllowed(engines.registry, c, { repository: imageRepositoryOf(spec), digest, image });
  const made = await insertRevision(engines.db, c.service, {
    id: `rev_${c.runId}`,
    imageTag: tag,
    imageRepository: imageRepositoryOf(spec),
    imageDigest: digest,
    spec,
    reason: { type: 'SETTINGS', text: `Settings changed since ${found.revision.name}`, commit: null, commitMessage: null },
    pipelineId: c.pipelineId,
    createdBy: c.createdBy,
  });
  await c.setFacts({ revision: made.name });
  c.log(`The settings are others than those of ${found.revision.name}: revision ${made.name}`);
  return revisionById(engines.db, row.id, made.id);
};

/** Retires the stopped revisions that the new revision replaces, as after a rollout. */
export const retireStopped = async (db: Db, c: ServiceContext<ServiceKey, object>, row: SettingsRow): Promise<void> => {
  const { strategy } = settingsOf(row).spec.rollout;
  const made = await revisionById(db, row.id, `rev_${c.runId}`);
  if (!made) return;
  const stopped = await db
    .selectFrom('revision')
    .select('id')
    .where('service_id', '=', row.id)
    .where('id', '!=', made.id)
    .where('enabled', '=', true)
    .where('status', '!=', 'DELETED')
    .execute();
  for (const { id } of stopped)
    await wantRevision(db, c.service, id, { replicas: 0, enabled: false, ...(strategy === 'RED_BLACK' ? {} : { isDeleting: true }) });
};
