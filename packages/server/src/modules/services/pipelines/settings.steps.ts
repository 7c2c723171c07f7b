/** The steps that settings are applied with. Each asks for what is to be done what the plan was made of, see settings-work.ts. */
import { basicAuthGroupOf } from '@slipway/contract/service-access.ts';
import { serviceChanges } from '@slipway/contract/service-changes.ts';
import type { ServiceSettings } from '@slipway/contract/service-settings.ts';
import { transaction, type Db } from '#db/database.ts';
import { missingVersion, pinSecrets } from '#modules/secret-groups/index.ts';
import { StepFailure, type StepDefinition, type StepResult } from '#modules/pipelines/index.ts';
import type { SourceHost } from '#ports/source.ts';
import { applyEdge, edgeOf, hasTraffic, type EdgeSettings } from '../edge-settings.ts';
import { policySeen } from '../repository/image-policy.ts';
import { restartImage } from '../settings/restart-image.ts';
import { hint, wantRevision } from './rollout.sql.ts';
import { before as runningBefore, type RolloutEngines, type RolloutInput, type RolloutState } from './rollout.steps.ts';
import { addressInUse, settingsOf } from '../settings/settings.sql.ts';
import { rollbackWork, workOf, type SettingsWork } from '../settings/settings-work.ts';
import { situationOf } from '../settings/settings-situation.ts';
import { revisionById } from '../situation.sql.ts';
import { lockService, serviceRow, type ServiceKey } from '../services.sql.ts';
import { startInstances } from './start-instances.ts';
import { waitUntilRouted } from './wait.ts';

export interface SettingsInput extends RolloutInput {
  readonly before: ServiceSettings;
  readonly after: ServiceSettings;
  /** A rollback's: the revision that it goes back to, whose image and secret versions it pins. */
  readonly target?: { readonly id: string; readonly name: string };
}
export interface SettingsState extends RolloutState {
  readonly work?: SettingsWork;
  /** What the edge was told before. */
  readonly edgeBefore?: EdgeSettings | null;
  /** Somebody else has saved the same before. */
  readonly wasSaved?: boolean;
}
export interface SettingsEngines extends RolloutEngines {
  readonly source: SourceHost;
  /** Makes user name and password for the edge where they are missing. */
  readonly credentials: (key: ServiceKey) => Promise<void>;
}
export type SettingsStep = StepDefinition<SettingsInput, SettingsState>;

export const requireRow = async (db: Db, input: ServiceKey) => {
  const row = await serviceRow(db, input);
  if (!row) throw new StepFailure('ServiceDoesNotExist', { service: input.service });
  return row;
};
/** Whether a service is active is told apart: it changes when instances start or stop. */
const isSame = (a: ServiceSettings, b: ServiceSettings): boolean => serviceChanges({ ...a, active: b.active }, b).length === 0;

/** As long as nothing was written it is what the plan said; on a re-run it is what there is to do by then. */
const workNow = async (db: Db, input: SettingsInput): Promise<SettingsWork> => {
  const situation = await situationOf(db, input, await requireRow(db, input));
  return input.target ? rollbackWork(input.after, situation, input.target) : workOf(input.before, input.after, situation);
};
export const workIn = ({ work }: SettingsState): SettingsWork => {
  if (!work) throw new Error("The run's state does not say what is to be done");
  return work;
};

const validate = ({ db }: SettingsEngines): SettingsStep => ({
  code: 'ValidateService',
  run: async ({ input, log }) => {
    const row = await requireRow(db, input);
    const now = settingsOf(row);
    if (!isSame(now, input.before) && !isSame(now, input.after)) throw new StepFailure('SettingsChangedMeanwhile');
    const { spec } = input.after;
    const work = await workNow(db, input);
    if ((work.restarts || work.starts) && !spec.template.healthCheck.enabled) throw new StepFailure('HealthCheckRequired');
    await requireSecrets(db, input, row.id, log);
    log(input.target ? `Back to ${input.target.name}` : `To be changed: ${input.reason.text ?? ''}`);
  },
});

/** The log is the team's own; the message is everybody's, and names no group. */
const requireSecrets = async (
  db: Db,
  input: SettingsInput,
  serviceId: string,
  log: (line: string, level: 'ERROR') => void,
): Promise<void> => {
  const target = input.target && (await revisionById(db, serviceId, input.target.id));
  if (input.target && !target) throw new StepFailure('RevisionDoesNotExist', { revision: input.target.name });
  const missing = target && (await missingVersion(db, input, target.secretVersions));
  if (missing) {
    log(`Version ${missing.version} of ${missing.group} was deleted`, 'ERROR');
    throw new StepFailure('RollbackSecretGone', { version: String(missing.version) });
  }
  const pinned = target ? undefined : await pinSecrets(db, input, { id: serviceId, spec: input.after.spec });
  if (!pinned || !('dangling' in pinned)) return;
  log(pinned.told, 'ERROR');
  throw new StepFailure(pinned.dangling);
};

const validateImage = (engines: SettingsEngines): SettingsStep => ({
  code: 'ValidateContainerImage',
  run: async ({ input, log }) => {
    const { restarts } = await workNow(engines.db, input);
    if (!restarts) return { skipped: true };
    const found = await imageFor(engines, input, restarts.id);
    log(`${found.image} is ${found.digest}`);
    return {};
  },
});

/** Looked up again where the revision is made: a re-run must not bring back the image of the day when it was started. */
export const imageFor = async (
  engines: SettingsEngines,
  input: SettingsInput,
  revisionId: string,
): Promise<{ image: string; tag: string; digest: string }> => {
  const { image, tag, digest } = await restartImage(engines, (await requireRow(engines.db, input)).id, revisionId, input.after.spec);
  const isMoved = input.after.spec.containerImageName !== input.before.spec.containerImageName;
  if (!digest) throw isMoved ? new StepFailure('ContainerImageWrong') : new StepFailure('ImageDoesNotExist', { image });
  return { image, tag, digest };
};

const credentials = (engines: SettingsEngines): SettingsStep => ({
  code: 'ConfigureCredentials',
  run: async ({ input, log }): Promise<StepResult<SettingsState>> => {
    if (!(await workNow(engines.db, input)).needsCredential) return { skipped: true };
    await engines.credentials(input);
    const group = basicAuthGroupOf(input.service);
    log(`User name and password are in ${group}`);
    return { message: { code: 'CredentialsMade', context: { group } } };
  },
});

/** A service that is to be stopped stays active until its instances stop. */
const write = (
  engines: SettingsEngines,
  key: ServiceKey,
  from: ServiceSettings,
  to: ServiceSettings,
  commit: string | null | undefined,
): Promise<boolean> =>
  transaction(engines.db, async (trx) => {
    await lockService(trx, key);
    const row = await serviceRow(trx, key);
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
    await hint(trx, key);
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
const requireAddress = async ({ db, runtime }: Pick<SettingsEngines, 'db' | 'runtime'>, input: SettingsInput): Promise<void> => {
  const address = await addressInUse(db, { url: runtime.url.bind(runtime) }, input, input.after.spec);
  if (address !== undefined) throw new StepFailure('DomainInUse', { address });
};

const save = (engines: SettingsEngines): SettingsStep => ({
  code: 'UpdateService',
  run: async ({ input, log, attempt }) => {
    const work = await workNow(engines.db, input);
    const row = await requireRow(engines.db, input);
    const wanted = { ...input.after, active: input.after.active || work.isStop };
    // Tried again it finds what it has saved itself.
    const wasSaved = attempt === 1 && serviceChanges(settingsOf(row), wanted).length === 0;
    // It moves with the traffic then, when it is too late to say no.
    if (work.restarts || work.starts) await requireAddress(engines, input);
    const head = await headOf(engines, input, input.before, wanted);
    if (!(await write(engines, input, input.before, wanted, head))) throw new StepFailure('SettingsChangedMeanwhile');
    const count = String(serviceChanges(input.before, input.after).length);
    log(`${count} settings saved`);
    return {
      state: { work, wasSaved, edgeBefore: row.edge as EdgeSettings | null },
      message: { code: 'SettingsSaved', context: { count } },
    };
  },
  // Somebody else's later change stays.
  undo: async ({ input, state }) => {
    if (state.wasSaved) return;
    const { before, after } = input;
    // What has begun to stop stays stopped.
    const active = before.active && (await requireRow(engines.db, input)).active;
    await write(engines, input, after, { ...before, active }, await headOf(engines, input, after, before));
  },
});

const scale = (engines: SettingsEngines): SettingsStep => ({
  code: 'ScaleInstances',
  run: async (c) => {
    const { scales } = workIn(c.state);
    if (!scales) return { skipped: true };
    await wantRevision(engines.db, c.input, scales.id, { replicas: scales.to });
    c.log(`Wanted: ${scales.to} × ${scales.name}`);
    await startInstances(engines, c, { key: c.input, id: scales.id, spec: c.input.after.spec });
    return { message: { code: 'InstancesScaled', context: { from: String(scales.from), to: String(scales.to) } } };
  },
  undo: async ({ input, state }) => {
    const { scales } = state.work ?? {};
    if (scales) await wantRevision(engines.db, input, scales.id, { replicas: scales.from });
  },
});

const edge = ({ db, runtime }: SettingsEngines): SettingsStep => ({
  code: 'ConfigureExternalTraffic',
  run: async ({ input, state, signal, log, setFacts }): Promise<StepResult<SettingsState>> => {
    if (!workIn(state).isEdge) return { skipped: true };
    const { spec } = input.after;
    await requireAddress({ db, runtime }, input);
    await waitUntilRouted(db, input, await applyEdge(db, input, edgeOf(spec)), signal);
    if (!hasTraffic(spec)) return { message: { code: 'EdgeClosed', context: {} } };
    const url = runtime.url(input, spec.externalTraffic.basePath);
    await setFacts({ url });
    log(`${url} answers with the new settings`);
    return { message: { code: 'EdgeConfigured', context: { url } } };
  },
  undo: async ({ input, state, signal }) => {
    if (!state.work?.isEdge || state.edgeBefore === undefined) return;
    await waitUntilRouted(db, input, await applyEdge(db, input, state.edgeBefore), signal);
  },
});

/** Before anything of a rollout is made. */
export const firstSteps = (engines: SettingsEngines): SettingsStep[] => [
  validate(engines),
  validateImage(engines),
  credentials(engines),
  save(engines),
];
/** For changes that need no new revision. */
export const lightSteps = (engines: SettingsEngines): SettingsStep[] => [scale(engines), edge(engines)];

/** An activation without a new revision goes on with the one that there is. */
export const selectRevision = async (db: Db, input: ServiceKey, { id, name }: { id: string; name: string }): Promise<SettingsState> => {
  await wantRevision(db, input, id, { enabled: true });
  return { revisionId: id, revision: name, ...(await runningBefore(db, input, id)) };
};
