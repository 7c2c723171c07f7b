/** A new blank service: its name and settings are checked, its row reserved, and a pipeline makes the rest. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { FieldError } from '@slipway/contract/errors.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import type { ServiceCreate } from '@slipway/contract/service-change.ts';
import { serviceChanges } from '@slipway/contract/service-changes.ts';
import { serviceSettingsErrors } from '@slipway/contract/service-rules.ts';
import type { ServiceSettings } from '@slipway/contract/service-settings.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import type { SourceHost } from '#ports/source.ts';
import type { CreationPipelines } from './creation.pipeline.ts';
import { rememberCreation, reserveService } from './creation.ts';
import { note, type Prepared } from './plan.ts';
import { productionNotes } from './rollout-plan.ts';
import { imageRepository } from './rollout.steps.ts';
import { serviceRow, type ServiceKey } from './services.sql.ts';
import { recordServiceWrite, startServicePipeline, teamFact, type By, type ServiceDeps } from './services.ts';

export interface CreationDeps extends ServiceDeps {
  readonly source: SourceHost;
  readonly creation: CreationPipelines;
}
/** The engines were asked already: what is left is checked and done in one transaction. */
export type Prepare = (trx: Transaction<DB>) => Promise<Prepared>;
export type WantedService = z.output<typeof ServiceCreate>;

/** What a service of this name begins with: its own image, which the other environment's service of the name shares. */
export const blankSpec = ({ registry }: Pick<ServiceDeps, 'registry'>, key: ServiceKey): ServiceSpec =>
  newServiceSpec(`${registry.host}/${imageRepository(key)}`);

/** The app is there, and the name good and free. */
export const checkName = async (db: Db, key: ServiceKey): Promise<void> => {
  const app = await db.selectFrom('app').select('state').where('id', '=', key.app).executeTakeFirst();
  if (app?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  const verdict = serviceNameRule(key.app, key.service);
  if (verdict !== true) throw new Problem(verdict, { field: 'name' });
  if (await serviceRow(db, key)) throw new Problem('ServiceAlreadyExists', { field: 'name' });
};

/** Asks the source host, so never inside a transaction. */
export const repositoryErrors = async (source: SourceHost, app: string, repository: string | null): Promise<FieldError[]> => {
  if (repository === null || (await source.repository({ owner: app, name: repository }))) return [];
  return [{ field: 'githubRepositoryName', code: 'ChooseExistingRepository' }];
};

/** The settings that it would have. Throws what is wrong with them, all of it at its fields. */
export const checkCreate = async (deps: CreationDeps, key: ServiceKey, wanted: WantedService): Promise<ServiceSettings> => {
  await checkName(deps.db, key);
  const settings: ServiceSettings = {
    githubRepositoryName: wanted.githubRepositoryName,
    active: true,
    spec: wanted.spec ?? blankSpec(deps, key),
  };
  const facts = { imagePrefix: `${deps.registry.host}/${key.app}/`, secretGroups: undefined, appliedBasePath: null, hasVaultProxy: false };
  const errors = [
    ...serviceSettingsErrors(settings, facts),
    ...(await repositoryErrors(deps.source, key.app, wanted.githubRepositoryName)),
  ];
  if (errors.length > 0) throw Problem.fields(errors);
  return settings;
};

/** Nothing runs before the service's first pipeline. */
export const prepareCreate = async (deps: CreationDeps, by: By, key: ServiceKey, wanted: WantedService): Promise<Prepare> => {
  const settings = await checkCreate(deps, key, wanted);
  const repository = settings.githubRepositoryName;
  const blank = { githubRepositoryName: null, active: true, spec: blankSpec(deps, key) };
  return async () => ({
    draft: {
      pipelineType: deps.creation.create.type,
      steps: deps.creation.create.steps.map(({ code }) => code).filter((code) => code !== 'ConnectRepository' || repository !== null),
      changes: serviceChanges(blank, settings),
      consequences: [note('MakesService', { service: key.service, environment: key.environment }), note('NothingRuns')],
      warnings: productionNotes(key),
    },
    start: (trx) => startCreation(deps, trx, { by, key, settings }),
  });
};

const startCreation = async (
  deps: CreationDeps,
  trx: Transaction<DB>,
  { by, key, settings }: { by: By; key: ServiceKey; settings: ServiceSettings },
): Promise<string> => {
  const { spec, githubRepositoryName: repository } = settings;
  // Locked, so that it is not deleted meanwhile.
  if ((await lockApp(trx, key.app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  await reserveService(trx, { key, spec, createdBy: by.id, field: 'name' });
  const pipelineId = await startServicePipeline(deps, trx, deps.creation.create, {
    input: { ...key, repository, connectedBefore: { repository: null, commit: null } },
    by,
    trigger: 'person',
    ...(await teamFact(trx, key)),
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
