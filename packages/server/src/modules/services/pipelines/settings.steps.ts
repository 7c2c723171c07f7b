/** The first steps of a change of settings: what there is to do, whether it can be done, and the settings themselves. */
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
  /** A rollback's: the revision that it goes back to, whose image and secret versions it pins. */
  readonly target?: { readonly id: string; readonly name: string };
  /** What the request found, and of which version of the settings. Left out by versions of the platform before. */
  readonly found?: { readonly impact: SettingsImpact; readonly settingsVersion: number };
}
export interface SettingsState extends RolloutState {
  readonly impact?: SettingsImpact;
  /** What the edge had before. */
  readonly edgeBefore?: EdgeSettings | null;
  /** Somebody else has saved the same before. */
  readonly wasSaved?: boolean;
}
export interface SettingsEngines extends RolloutEngines {
  readonly source: SourceHost;
  /** Makes user name and password for the edge where they are missing. */
  readonly credentials: (key: ServiceKey) => Promise<void>;
}
type Context = ServiceContext<SettingsInput, SettingsState>;
type Result = Promise<StepResult<SettingsState>>;

/** Whether a service is active is listed separately: it changes when instances start or stop. */
const isSame = (a: ServiceSettings, b: ServiceSettings): boolean => serviceChanges({ ...a, active: b.active }, b).length === 0;

/**
 * The first run goes by what the request found: nothing else works on the service in between, and another version of the settings
 * means that something did, which fails the run. A re-run works it out anew, since others may have worked on the service for days.
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
/** As `ValidateService` found it. A run that a version of the platform before began has not kept it. */
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
/** Nothing is made. That there is an undo makes a re-run begin here, and look anew at what there is to do. */
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
  // The log is the team's own; the message is everybody's, and names no group.
  log(`Version ${missing.version} of ${missing.group} was deleted`, 'ERROR');
  throw new StepFailure('RollbackSecretGone', { version: String(missing.version) });
};

/** Looked up again where the revision is made: a re-run must not bring back the image of the day when it was started. */
export const imageFor = async (engines: SettingsEngines, c: Context): Promise<{ image: string; tag: string; digest: string }> => {
  const { restarts } = await impactIn(engines)(c);
  if (!restarts) throw new Error('There is no revision whose image is used again');
  const { image, tag, digest } = await restartImage(engines, c.service.id, restarts.id, c.input.after.spec);
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

/** A service that is to be stopped stays active until its instances stop. */
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

/** A commit that counts as built is not built by the next sweep: connecting alone deploys nothing. */
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

/** Somebody may have taken it since the request. */
export const requireAddress = async (
  { db, runtime }: Pick<SettingsEngines, 'db' | 'runtime'>,
  { input, service }: Context,
): Promise<void> => {
  const address = await addressInUse(db, { url: runtime.url.bind(runtime) }, service, input.after.spec);
  if (address !== undefined) throw new StepFailure('DomainInUse', { address });
};

interface Saving {
  /** Its address moves with the traffic, when it is too late to say no. */
  readonly isRollout: boolean;
  readonly isStop: boolean;
}
export const save = async (engines: SettingsEngines, c: Context, { isRollout, isStop }: Saving): Result => {
  const { input, service, attempt } = c;
  const row = await requireRow(engines.db, service);
  const wanted = { ...input.after, active: input.after.active || isStop };
  // Tried again it finds what it has saved itself.
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
/** Somebody else's later change stays. */
export const restoreSettings =
  (engines: SettingsEngines) =>
  async ({ input, service, state }: Context): Promise<void> => {
    if (state.wasSaved) return;
    const row = await serviceById(engines.db, service.id);
    if (!row) return;
    // What has begun to stop stays stopped.
    const former = { ...input.before, active: input.before.active && row.active };
    await write(engines, service, input.after, former, await headOf(engines, service, input.after, input.before));
  };

/** An activation without a new revision goes on with the one that there is. */
const selectRevision = async (db: Db, service: ServiceRef, { id, name }: { id: string; name: string }): Promise<RolloutState> => {
  await wantRevision(db, service, id, { enabled: true });
  return { revisionId: id, revision: name, ...(await before(db, service, id)) };
};
