/** Creates a blank service: validates name and settings, reserves the row, and starts the creation pipeline. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import type { ServiceCreate } from '@slipway/contract/service/service-operations.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { lockApp } from '#modules/apps/index.ts';
import { environmentGroups } from '#modules/secret-groups/index.ts';
import type { SourceHost } from '#ports/source.ts';
import { isProtected } from './pipelines/create.steps.ts';
import type { CreationPipelines } from './pipelines/creation.pipeline.ts';
import { rememberCreation, reserveService } from './creation-guard.ts';
import { imageRepository } from './image-repository.ts';
import { planned, type Prepare } from './operation.ts';
import { productionNotes } from './rollout-plan.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';
import { askEngines, rowErrors, throwFieldErrors } from './settings/settings-rules.ts';
import { recordServiceWrite, startServicePipeline, type By, type ServiceDeps } from './service-context.ts';

export interface CreationDeps extends ServiceDeps {
  readonly source: SourceHost;
  readonly creation: CreationPipelines;
}
export type WantedService = z.output<typeof ServiceCreate>;

/** Returns the initial spec of a service. Both environments' services of this name share the image. */
export const blankSpec = ({ registry }: Pick<ServiceDeps, 'registry'>, key: ServiceKey): ServiceSpec =>
  newServiceSpec(`${registry.host}/${imageRepository(key)}`);

/** Requires that the app is active and that the name is valid and free. */
export const checkName = async (db: Db, key: ServiceKey): Promise<void> => {
  const app = await db.selectFrom('app').select('state').where('id', '=', key.app).executeTakeFirst();
  if (app?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  const verdict = serviceNameRule(key.app, key.service);
  if (verdict !== true) throw new Problem(verdict, { field: 'name' });
  if (await serviceRow(db, key)) throw new Problem('ServiceAlreadyExists', { field: 'name' });
};

/** Prepares a service that runs nothing before its first pipeline. Throws all errors of its settings, each at its field. */
export const prepareCreate = async (deps: CreationDeps, by: By, key: ServiceKey, wanted: WantedService): Promise<Prepare> => {
  await checkName(deps.db, key);
  const blank: ServiceSettings = { githubRepositoryName: null, active: true, spec: blankSpec(deps, key) };
  const settings = { ...blank, githubRepositoryName: wanted.githubRepositoryName, spec: wanted.spec ?? blank.spec };
  const found = await askEngines(deps, key, settings, blank);
  return async (trx) => {
    await checkName(trx, key);
    const secretGroups = await autoAttached(trx, key);
    throwFieldErrors(await rowErrors(trx, deps, key, { settings, service: undefined, secretGroups }), found.errors);
    return {
      draft: {
        ...planned(deps.creation.create, {
          needsCredential: isProtected(settings.spec),
          isConnected: settings.githubRepositoryName !== null,
        }),
        changes: serviceChanges(blank, settings),
        consequences: [note('MakesService', { service: key.service, environment: key.environment }), note('NothingRuns')],
        warnings: [...found.warnings, ...productionNotes(key)],
      },
      start: (tx) => startCreation(deps, tx, { by, key, settings }),
    };
  };
};

/** Returns the keys of the secret groups that every new service reads. */
const autoAttached = async (db: Db, key: ServiceKey): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map((await environmentGroups(db, key)).filter(({ isAutoAttached }) => isAutoAttached).map(({ name, keys }) => [name, keys]));

const startCreation = async (
  deps: CreationDeps,
  trx: Transaction<DB>,
  { by, key, settings }: { by: By; key: ServiceKey; settings: ServiceSettings },
): Promise<string> => {
  const { spec, githubRepositoryName: repository } = settings;
  // Locks the app, so that it is not deleted meanwhile.
  if ((await lockApp(trx, key.app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  await reserveService(trx, { key, spec, createdBy: by.id, field: 'name' });
  const pipelineId = await startServicePipeline(deps, trx, deps.creation.create, {
    input: { ...key, repository, connectedBefore: { repository: null, commit: null } },
    by,
    trigger: 'person',
  });
  await rememberCreation(trx, key, pipelineId);
  await recordServiceWrite(trx, key, by, {
    type: 'serviceCreate',
    reason: 'Created',
    message: `${by.displayName} made the service ${key.service} in ${key.environment}`,
    pipelineId,
    after: { githubRepositoryName: repository, containerImageName: spec.containerImageName },
  });
  return pipelineId;
};
