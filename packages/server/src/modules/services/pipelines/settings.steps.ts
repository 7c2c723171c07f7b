/** First steps of a settings change: compute the impact, validate, and save the settings. */
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { EdgeSettings } from '@slipway/contract/service/service-spec.ts';
import { transaction, type Db } from '#db/database.ts';
import { missingVersion } from '#modules/secret-groups/index.ts';
import { StepFailure, type StepResult } from '#modules/pipelines/index.ts';
import type { SourceHost } from '#ports/source.ts';
import { policySeen } from '../repository/image-policy.ts';
import { impactOf, rollbackImpact, type SettingsImpact } from '../settings/impact.ts';
import { restartImage } from '../settings/restart-image.ts';
import { addressInUse, settingsOf, type SettingsRow } from '../settings/settings.sql.ts';
import { revisionById, serviceState, type RunnableRevision } from '../settings/state.sql.ts';
import { serviceById, type ServiceKey, type ServiceRef } from '../services.sql.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { requireAllowed } from './allowed-image.ts';
import { hint, wantRevision } from './rollout.sql.ts';
import { before, requireSecrets, type RolloutEngines, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { requireRow, type ServiceContext } from './service-pipeline.ts';

export interface SettingsInput extends RolloutInput {
  readonly before: ServiceSettings;
  readonly after: ServiceSettings;
  /** The approved image for a restart in another repository. Defaults to the image that the tag names at the time of the run. */
  readonly imageDigest?: string;
  /** For rollbacks: the earlier revision, whose image and secret versions are pinned. */
  readonly target?: { readonly id: string; readonly name: string };
  /** Impact that the request computed, with the settings version it is based on. Missing in runs of older platform versions. */
  readonly found?: { readonly impact: SettingsImpact; readonly settingsVersion: number };
}
export interface SettingsState extends RolloutState {
  readonly impact?: SettingsImpact;
  /** Edge settings before the run. */
  readonly edgeBefore?: EdgeSettings | null;
  /** The same settings were already saved before the run. */
  readonly wasSaved?: boolean;
}
export interface SettingsEngines extends RolloutEngines {
  readonly source: SourceHost;
  /** Creates missing basic authentication credentials for the edge. */
  readonly credentials: (key: ServiceKey) => Promise<void>;
}
type Context = ServiceContext<SettingsInput, SettingsState>;
type Result = Promise<StepResult<SettingsState>>;

/** Compares without `active`, which is listed separately because it changes when instances start or stop. */
const isSame = (a: ServiceSettings, b: ServiceSettings): boolean => serviceChanges({ ...a, active: b.active }, b).length === 0;

/**
 * Returns the request's impact in the first run. If the settings version changed since, another write interfered and the run fails. A rerun
 * computes the impact again, since the service may have changed for days.
 */
const currentImpact = async (db: Db, c: Context, row: SettingsRow & { settings_version: number }): Promise<SettingsImpact> => {
  const { found } = c.input;
  if (!found || c.runNumber > 1) return workOut(db, c, row);
  if (found.settingsVersion !== row.settings_version) throw new StepFailure('SettingsChangedMeanwhile');
  return found.impact;
};
const workOut = async (db: Db, { input, service }: Context, row: SettingsRow): Promise<SettingsImpact> => {
  const state = await serviceState(db, service, row);
  return input.target ? rollbackImpact(input.after, state, input.target) : impactOf(input.before, input.after, state);
};
/** Returns the impact that `ValidateService` stored. Runs of older platform versions have not stored it. */
export const impactIn =
  ({ db }: Pick<SettingsEngines, 'db'>) =>
  async (c: Context): Promise<SettingsImpact> =>
    c.state.impact ?? workOut(db, c, await requireRow(db, c.service));

export const validateSettings =
  ({ db }: SettingsEngines) =>
  async (c: Context): Result => {
    const { input, service, log } = c;
    const row = await requireRow(db, service);
    const now = settingsOf(row);
    if (!isSame(now, input.before) && !isSame(now, input.after)) throw new StepFailure('SettingsChangedMeanwhile');
    const impact = await currentImpact(db, c, row);
    if (impact.rollout && !input.after.spec.template.healthCheck.enabled) throw new StepFailure('HealthCheckRequired');
    if (input.target) await requireTarget(db, c, input.target);
    else await requireSecrets(db, service, input.after.spec, log);
    log(input.target ? `Back to ${input.target.name}` : `To be changed: ${input.reason.text ?? ''}`);
    return { state: { impact } };
  };
/** Does nothing. The presence of an undo makes reruns start at this step, so they compute the impact again. */
export const lookAnew = async (): Promise<void> => {};

export const requireTarget = async (
  db: Db,
  { service, log }: Context,
  { id, name }: { id: string; name: string },
): Promise<RunnableRevision> => {
  const target = await revisionById(db, service.id, id);
  if (!target) throw new StepFailure('RevisionDoesNotExist', { revision: name });
  const missing = await missingVersion(db, service, target.secretVersions);
  if (!missing) return target;
  // Only the team reads the log. The message is visible to everyone, so it names no group.
  log(`Version ${missing.version} of ${missing.group} was deleted`, 'ERROR');
  throw new StepFailure('RollbackSecretGone', { version: String(missing.version) });
};

/** Resolves the image again when the revision is made: a rerun must not use the image from the time of the request. */
export const imageFor = async (engines: SettingsEngines, c: Context): Promise<{ image: string; tag: string; digest: string }> => {
  const { restarts } = await impactIn(engines)(c);
  if (!restarts) throw new Error('There is no revision whose image is used again');
  const { image, tag, digest } = await restartImage(engines, c.service.id, restarts.id, c.input.after.spec, c.input.imageDigest);
  const isMoved = c.input.after.spec.containerImageName !== c.input.before.spec.containerImageName;
  if (!digest) throw isMoved ? new StepFailure('ContainerImageWrong') : new StepFailure('ImageDoesNotExist', { image });
  return { image, tag, digest };
};

export const findRestartImage =
  (engines: SettingsEngines) =>
  async (c: Context): Promise<void> => {
    const found = await imageFor(engines, c);
    c.log(`${found.image} is ${found.digest}`);
    await requireAllowed(engines.registry, c, { ...found, repository: imageRepositoryOf(c.input.after.spec) });
  };

/** A service that should stop stays active until its instances stop. */
const write = (
  engines: SettingsEngines,
  service: ServiceRef,
  from: ServiceSettings,
  to: ServiceSettings,
  commit: string | null | undefined,
): Promise<boolean> =>
  transaction(engines.db, async (trx) => {
    const row = await trx.selectFrom('service').selectAll().where('id', '=', service.id).forUpdate().executeTakeFirst();
    if (!row) return false;
    const now = settingsOf(row);
    if (isSame(now, to) && now.active === to.active) return true;
    if (!isSame(now, from)) return isSame(now, to);
    await trx
      .updateTable('service')
      .set({
        spec: JSON.stringify(to.spec),
        repository_name: to.githubRepositoryName,
        active: to.active,
        ...policySeen(now.spec, to.spec),
        settings_version: row.settings_version + 1,
        ...(commit === undefined ? {} : { built_commit: commit }),
      })
      .where('id', '=', row.id)
      .execute();
    await hint(trx, service);
    return true;
  });

/** Returns the newest commit of a newly connected repository. It counts as built, so connecting alone deploys nothing. */
const headOf = async (
  { source }: SettingsEngines,
  { app }: ServiceKey,
  from: ServiceSettings,
  to: ServiceSettings,
): Promise<string | null | undefined> => {
  const name = to.githubRepositoryName;
  if (name === from.githubRepositoryName) return undefined;
  return name === null ? null : ((await source.repository({ owner: app, name }))?.headCommit ?? null);
};

/** Fails if someone has taken the address since the request. */
export const requireAddress = async (
  { db, runtime }: Pick<SettingsEngines, 'db' | 'runtime'>,
  { input, service }: Context,
): Promise<void> => {
  const address = await addressInUse(db, { url: runtime.url.bind(runtime) }, service, input.after.spec);
  if (address !== undefined) throw new StepFailure('DomainInUse', { address });
};

interface Saving {
  /** With a rollout, the address moves with the traffic, when a conflict could no longer be rejected. So it is checked on save. */
  readonly isRollout: boolean;
  readonly isStop: boolean;
}
export const save = async (engines: SettingsEngines, c: Context, { isRollout, isStop }: Saving): Result => {
  const { input, service, attempt } = c;
  const row = await requireRow(engines.db, service);
  const wanted = { ...input.after, active: input.after.active || isStop };
  // On a retry, the step itself may have saved the settings.
  const wasSaved = attempt === 1 && serviceChanges(settingsOf(row), wanted).length === 0;
  if (isRollout) await requireAddress(engines, c);
  const head = await headOf(engines, service, input.before, wanted);
  if (!(await write(engines, service, input.before, wanted, head))) throw new StepFailure('SettingsChangedMeanwhile');
  const count = String(serviceChanges(input.before, input.after).length);
  c.log(`${count} settings saved`);
  return {
    state: { wasSaved, edgeBefore: row.edge },
    message: { code: 'SettingsSaved', context: { count } },
  };
};
export const saveSettings =
  (engines: SettingsEngines) =>
  async (c: Context): Result => {
    const { rollout, isStop, starts } = await impactIn(engines)(c);
    const { state, ...saved } = await save(engines, c, { isRollout: rollout !== null, isStop });
    return { ...saved, state: { ...state, ...(starts ? await selectRevision(engines.db, c.service, starts) : {}) } };
  };
/** Restores the former settings, but keeps a later change by someone else. */
export const restoreSettings =
  (engines: SettingsEngines) =>
  async ({ input, service, state }: Context): Promise<void> => {
    if (state.wasSaved) return;
    const row = await serviceById(engines.db, service.id);
    if (!row) return;
    // A service that has begun to stop stays inactive.
    const former = { ...input.before, active: input.before.active && row.active };
    await write(engines, service, input.after, former, await headOf(engines, service, input.after, input.before));
  };

/** Selects the existing revision for an activation without a new revision. */
const selectRevision = async (db: Db, service: ServiceRef, { id, name }: { id: string; name: string }): Promise<RolloutState> => {
  await wantRevision(db, service, id, { enabled: true });
  return { revisionId: id, revision: name, ...(await before(db, service, id)) };
};
