/** Use cases of the quickstart: rows that reserve the names, and the pipeline that creates the rest. */
import type { Transaction } from 'kysely';
import type * as z from 'zod/mini';
import {
  quickstartParts,
  serviceNameRule,
  type QuickstartApplicationCreate,
  type QuickstartServiceCreate,
} from '@slipway/contract/quickstart.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { appEntity, appFacts, appSubject, lockApp, reserveApp } from '#modules/apps/index.ts';
import { refuseFrozen } from '#modules/freezes/index.ts';
import { triggerBy, type PipelineEngine } from '#modules/pipelines/index.ts';
import { startOn } from '#modules/resources/index.ts';
import {
  imageRepository,
  rememberCreation,
  reserveService,
  serviceRow,
  serviceSubject,
  startServicePipeline,
  type ServiceKey,
  approvingTeam,
} from '#modules/services/index.ts';
import type { SourceHost } from '#ports/source.ts';
import type { QuickstartParts } from './quickstart-parts.ts';
import type { QuickstartInput, QuickstartPipelines } from './quickstart.pipeline.ts';
import { templateList } from './templates.ts';

export interface QuickstartDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: QuickstartPipelines;
  readonly registryHost: string;
  readonly source: Pick<SourceHost, 'repository'>;
  readonly parts: Pick<QuickstartParts, 'reserve' | 'note'>;
}

const checkTemplate = (id: string): void => {
  if (!templateList().some((template) => template.id === id)) throw new Problem('TemplateDoesNotExist', { field: 'template' });
};

/** Reserves a template's service with its initial spec and its image name. */
const reserve = (deps: QuickstartDeps, trx: Transaction<DB>, key: ServiceKey, caller: Caller, field: string): Promise<void> =>
  reserveService(trx, { key, spec: newServiceSpec(`${deps.registryHost}/${imageRepository(key)}`), createdBy: caller.id, field });

/** Reports the only refusal that a new app can meet at the choice that causes it. */
const reserveParts = async ({ parts }: QuickstartDeps, trx: Transaction<DB>, input: QuickstartInput, caller: Caller): Promise<void> => {
  try {
    await parts.reserve(trx, input, caller);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ConnectionsNotLeft') throw error;
    throw new Problem('ConnectionsNotLeft', { field: 'withDatabase', context: error.errors[0]?.context ?? {}, cause: error });
  }
};

/** The first service has the app's name, in development (decisions §7). */
export const quickstartApplication = (
  deps: QuickstartDeps,
  caller: Caller,
  wanted: z.output<typeof QuickstartApplicationCreate>,
): Promise<string> =>
  transaction(deps.db, async (trx) => {
    checkTemplate(wanted.template);
    const displayName = wanted.displayName ?? wanted.id;
    if (!(await reserveApp(trx, caller, { id: wanted.id, displayName, teamId: wanted.teamId })))
      throw new Problem('ApplicationAlreadyExists', { field: 'id' });
    const key: ServiceKey = { app: wanted.id, environment: 'development', service: wanted.id };
    await reserve(deps, trx, key, caller, 'id');
    const input: QuickstartInput = {
      ...key,
      template: wanted.template,
      displayName,
      isNewApp: true,
      team: wanted.teamId,
      withDatabase: wanted.withDatabase === true,
      withStream: wanted.withStream === true,
      reason: { type: 'QUICKSTART', text: null, commit: null, commitMessage: null },
    };
    const hasParts = input.withDatabase === true || input.withStream === true;
    if (hasParts) await reserveParts(deps, trx, input, caller);
    const pipelineId = await startOn(deps.engine, trx, appEntity, {
      names: { app: wanted.id },
      definition: hasParts ? deps.pipelines.applicationParts : deps.pipelines.application,
      input,
      subject: await serviceSubject(trx, key),
      lock: appSubject(wanted.id, wanted.teamId),
      createdBy: { id: caller.id, displayName: caller.displayName },
      trigger: triggerBy(caller),
      facts: {
        template: wanted.template,
        ...(input.withDatabase && { database: quickstartParts(wanted.id).database }),
        ...(input.withStream && { topic: quickstartParts(wanted.id).topic }),
      },
    });
    if (hasParts) await deps.parts.note(trx, input, pipelineId);
    await rememberCreation(trx, key, pipelineId);
    await recordWrite(trx, caller, {
      type: 'quickstartApplicationCreate',
      reason: 'Created',
      message: `${caller.displayName} made the app ${wanted.id} from the template ${wanted.template}`,
      subject: appSubject(wanted.id, wanted.teamId),
      pipelineId,
      after: wanted,
    });
    return pipelineId;
  });

/** A template creates a repository. If the repository exists, the service must be created without a template and connected to it. */
const checkRepository = async ({ db, source }: QuickstartDeps, key: ServiceKey): Promise<void> => {
  if (await serviceRow(db, key)) throw new Problem('ServiceAlreadyExists', { field: 'name' });
  if (await source.repository({ owner: key.app, name: key.service }))
    throw new Problem('AppRepositoryAlreadyExists', {
      field: 'name',
      context: { repository: `${key.app}/${key.service}` },
      also: 'GithubRepositoryAlreadyExists',
    });
};

export const quickstartService = async (
  deps: QuickstartDeps,
  caller: Caller,
  wanted: z.output<typeof QuickstartServiceCreate>,
): Promise<string> => {
  checkTemplate(wanted.template);
  const app = await appFacts(deps.db, wanted.app);
  if (!app) throw new Problem('ApplicationDoesNotExists', { field: 'app' });
  if (memberRule(caller, app.teamId) !== true) throw new Problem('NotAMember', { field: 'app', context: { team: app.teamName } });
  const verdict = serviceNameRule(app.id, wanted.name);
  if (verdict !== true) throw new Problem(verdict, { field: 'name' });
  const key: ServiceKey = { app: app.id, environment: wanted.environment, service: wanted.name };
  await refuseFrozen(deps.db, key, { field: 'environment' });
  const approving = await approvingTeam(deps.db, key);
  if (approving) throw new Problem('QuickstartNeedsApproval', { field: 'environment', context: { team: approving.name } });
  await checkRepository(deps, key);
  return transaction(deps.db, async (trx) => {
    // Locks the app, so that it is not deleted meanwhile.
    const row = await lockApp(trx, app.id);
    if (row?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated', { field: 'app' });
    await reserve(deps, trx, key, caller, 'name');
    const input: QuickstartInput = {
      ...key,
      template: wanted.template,
      displayName: wanted.name,
      isNewApp: false,
      reason: { type: 'QUICKSTART', text: null, commit: null, commitMessage: null },
    };
    const by = { id: caller.id, displayName: caller.displayName, origin: caller.origin };
    const pipelineId = await startServicePipeline(deps, trx, deps.pipelines.service, {
      input,
      by,
      trigger: triggerBy(caller),
      facts: { template: wanted.template },
    });
    await rememberCreation(trx, key, pipelineId);
    await recordWrite(trx, caller, {
      type: 'quickstartServiceCreate',
      reason: 'Created',
      message: `${caller.displayName} made the service ${wanted.name} from the template ${wanted.template}`,
      subject: await serviceSubject(trx, key),
      pipelineId,
      after: wanted,
    });
    return pipelineId;
  });
};
