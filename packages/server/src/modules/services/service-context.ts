/** Shared by the use cases of services: dependencies, lookup, starting pipelines, and recording activity. */
import type { Transaction } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { areReadableSettings } from '#modules/runtime/index.ts';
import { PipelineActive, type PipelineDefinition, type PipelineEngine, triggerBy } from '#modules/pipelines/index.ts';
import type { Requests } from '#modules/requests/index.ts';
import type { Registry } from '#ports/registry.ts';
import { hint } from './pipelines/rollout.sql.ts';
import type { ServicePipelines } from './pipelines/services.pipeline.ts';
import { serviceRow, serviceSubject, type RevisionRef, type ServiceKey, type ServiceLinks } from './services.sql.ts';

export interface ServiceDeps {
  readonly db: Db;
  readonly engine: PipelineEngine;
  readonly pipelines: ServicePipelines;
  readonly registry: Registry;
  readonly links: ServiceLinks;
  readonly requests: Requests;
}
export interface By {
  readonly id: string;
  readonly displayName: string;
  readonly origin: Caller['origin'] | 'platform';
}

export const requireService = async (db: Db, key: ServiceKey) => {
  const row = await serviceRow(db, key);
  if (!row) throw new Problem('ServiceDoesNotExist');
  return row;
};

export const startServicePipeline = async <I extends ServiceKey, S extends object>(
  deps: Pick<ServiceDeps, 'engine'>,
  trx: Transaction<DB>,
  definition: PipelineDefinition<I, S>,
  options: { input: I; by: By; trigger: string; facts?: Record<string, string>; revision?: RevisionRef },
): Promise<string> => {
  const service = await serviceSubject(trx, options.input);
  try {
    const { pipelineId } = await deps.engine.start(trx, definition, {
      input: options.input,
      subject: options.revision ? await serviceSubject(trx, options.input, options.revision) : service,
      lock: service,
      createdBy: { id: options.by.id, displayName: options.by.displayName },
      trigger: options.trigger === 'person' ? triggerBy(options.by) : options.trigger,
      ...(options.facts ? { facts: options.facts } : {}),
    });
    await hint(trx, options.input);
    return pipelineId;
  } catch (error) {
    if (error instanceof PipelineActive) throw new Problem('DeployPipelineAlreadyRunning', { cause: error });
    throw error;
  }
};

export interface ServiceEntry {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly pipelineId: string;
  /** Set if the entry concerns a single revision. */
  readonly revision?: RevisionRef;
  readonly before?: unknown;
  readonly after?: unknown;
}
export const recordServiceWrite = async (
  trx: Transaction<DB>,
  key: ServiceKey,
  by: By,
  { revision, ...entry }: ServiceEntry,
): Promise<void> => recordWrite(trx, by, { ...entry, subject: await serviceSubject(trx, key, revision) });

/** Throws ServiceDoesNotExist, ServiceNotCreated, SettingsUnreadable and, if `isActiveNeeded`, ServiceInactive. */
export const requireReady = async (db: Db, key: ServiceKey, isActiveNeeded: boolean) => {
  const row = await requireService(db, key);
  if (row.state !== 'ACTIVE') throw new Problem('ServiceNotCreated');
  if (!areReadableSettings(row)) throw new Problem('SettingsUnreadable');
  if (isActiveNeeded && !row.active) throw new Problem('ServiceInactive');
  return row;
};

export const requireRevision = async (db: Db, key: ServiceKey, name: string) => {
  const service = await requireService(db, key);
  const row = await db.selectFrom('revision').selectAll().where('service_id', '=', service.id).where('name', '=', name).executeTakeFirst();
  if (!row) throw new Problem('RevisionDoesNotExist');
  return { service, row };
};
