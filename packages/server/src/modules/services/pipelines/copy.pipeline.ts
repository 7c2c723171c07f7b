/** Copies to a new service, or copies settings with a tag to deploy. Copying only settings to an existing service is a settings change. */
import { transaction } from '#db/database.ts';
import { attachGroups, detachGroups, type GroupToAttach } from '#modules/secret-groups/index.ts';
import { connectRepository, restoreConnection, type ConnectInput, type ConnectState } from './connect.steps.ts';
import { createService, lacksCredential, makeCredential, uncreateService, validateNew } from './create.steps.ts';
import { creationFinished } from '../creation-guard.ts';
import { hint } from './rollout.sql.ts';
import {
  createRevision,
  findImage,
  giveRevisionUp,
  rolloutImpactIn,
  rollsOut,
  shiftRows,
  validateService,
  type RolloutImpact,
} from './rollout.steps.ts';
import { recordOutcome, requireRow, servicePipeline, type ServiceContext, type ServicePipeline, type StepRow } from './service-pipeline.ts';
import type { ServiceEngines } from './services.pipeline.ts';
import { restoreSettings, save, type SettingsInput, type SettingsState } from './settings.steps.ts';

export interface CopyInput extends SettingsInput, ConnectInput {
  readonly isNew: boolean;
  readonly groups: readonly GroupToAttach[];
  /** Null if nothing is deployed. */
  readonly imageTag: string | null;
}
export type CopyState = SettingsState & ConnectState;
export interface CopyImpact {
  readonly isNew: boolean;
  readonly isConnected: boolean;
  readonly attaches: boolean;
  readonly needsCredential: boolean;
  /** Null if nothing is deployed. */
  readonly rollout: RolloutImpact | null;
}
export type CopyPipeline = ServicePipeline<CopyInput, CopyState, CopyImpact>;
type Context = ServiceContext<CopyInput, CopyState>;

const table = (engines: ServiceEngines): StepRow<CopyInput, CopyState, CopyImpact>[] => [
  { code: 'CreateService', when: ({ isNew }) => isNew, run: createService(engines), undo: uncreateService(engines) },
  { code: 'ConnectRepository', when: ({ isConnected }) => isConnected, run: connectRepository(engines), undo: restoreConnection(engines) },
  { code: 'AttachSecretGroups', when: ({ attaches }) => attaches, run: attach(engines), undo: detach(engines) },
  { code: 'UpdateService', when: ({ isNew }) => !isNew, run: saveCopied(engines), undo: restoreSettings(engines) },
  { code: 'ConfigureCredentials', when: ({ needsCredential }) => needsCredential, run: makeCredential(engines) },
  { code: 'ValidateService', run: validate(engines) },
  {
    code: 'ValidateContainerImage',
    when: rollsOut,
    run: findImage(engines, ({ input }: Context) => ({ tag: input.imageTag ?? '', digest: input.imageDigest })),
  },
  { code: 'CreateRevision', when: rollsOut, run: createRevision(engines), undo: giveRevisionUp(engines) },
  ...shiftRows(engines),
];

const impactIn =
  (engines: ServiceEngines) =>
  async (c: Context): Promise<CopyImpact> => ({
    isNew: c.input.isNew,
    isConnected: c.input.repository !== null,
    attaches: c.input.groups.length > 0,
    needsCredential: await lacksCredential(engines.db, c.service),
    rollout: c.input.imageTag === null ? null : await rolloutImpactIn(engines)(c),
  });

const attach =
  ({ db }: ServiceEngines) =>
  async ({ service, input, log }: Context): Promise<void> => {
    await requireRow(db, service);
    const attached = await transaction(db, async (trx) => {
      await hint(trx, service);
      return attachGroups(trx, service.id, input.groups);
    });
    for (const group of attached) log(`It reads ${group}`);
  };
const detach =
  ({ db }: ServiceEngines) =>
  ({ service, input }: Context): Promise<void> =>
    detachGroups(db, service.id, input.groups);

/** Saves with a rollout: the service is not stopped, and traffic shifts. */
const saveCopied = (engines: ServiceEngines) => (c: Context) => save(engines, c, { isRollout: true, isStop: false });

/** Runs the additional checks of a deploy only if there is a deploy. */
const validate = (engines: ServiceEngines) => (c: Context) =>
  c.input.imageTag === null ? validateNew(engines)(c) : validateService(engines)(c);

export const copyPipeline = (engines: ServiceEngines): CopyPipeline =>
  servicePipeline({
    type: 'CopyService',
    steps: table(engines),
    impactIn: impactIn(engines),
    // An existing service must not get the outcome of a creation.
    onFinished: (trx, run) => (run.input.isNew ? creationFinished : recordOutcome)('CopyService')(trx, run),
  });
