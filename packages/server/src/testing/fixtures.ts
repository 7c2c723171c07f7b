/** Rows as the product would have left them, without running it: for tests of what is read and refused. */
import type { Application } from '@slipway/contract/application.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { transaction, type Db } from '#db/database.ts';

export const seedApp = async (
  db: Db,
  app: { id: string; team?: string; state?: Application['state']; macId?: string; createdAt?: Date },
): Promise<void> => {
  const { id, team = 'cranes', state = 'ACTIVE', macId = null, createdAt = new Date() } = app;
  await db
    .insertInto('app')
    .values({ id, display_name: `App ${id}`, team_id: team, state, mac_id: macId, created_by: 'olga', created_at: createdAt })
    .execute();
};

/** A catalog of a portfolio and a platform that olga owns, and an application. The rest can be repeated for more applications. */
export const seedCatalogApplication = async (
  db: Db,
  application: {
    id: string;
    name?: string;
    status?: 'PENDING' | 'ACTIVE' | 'REJECTED' | 'DECOMMISSIONED';
    owners?: string[];
    platform?: string;
  },
): Promise<void> => {
  const { id, name = `Application ${id}`, status = 'ACTIVE', owners = ['olga'], platform = 'PLT-0901' } = application;
  const shared = { description: 'Plans which vessel is moored where, and for how long.', created_by: 'olga', modified_by: 'olga' };
  const active = { ...shared, status: 'ACTIVE' as const, owners: ['olga'], activated_at: new Date() };
  await db
    .insertInto('catalog_entry')
    .values([
      { ...active, id: 'PFO-901', kind: 'portfolio', name: 'Ports', code: 'POR', type: 'BUSINESS' },
      { ...active, id: 'PLT-0901', kind: 'platform', name: 'Terminal Operations', type: 'OPERATIONS', portfolio_id: 'PFO-901' },
      {
        ...active,
        id: 'PLT-0902',
        kind: 'platform',
        name: 'Voyage Planning',
        type: 'OPERATIONS',
        portfolio_id: 'PFO-901',
        owners: ['stig'],
      },
    ])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  await db
    .insertInto('catalog_entry')
    .values({ ...active, id, kind: 'application', name, status, owners, platform_id: platform })
    .execute();
};

export interface SeededService {
  readonly app: string;
  readonly name?: string;
  readonly environment?: Environment;
  readonly state?: Service['state'];
  readonly active?: boolean;
  readonly serving?: readonly string[];
  readonly change?: (spec: ServiceSpec) => ServiceSpec;
}
export const seedService = async (db: Db, service: SeededService): Promise<string> => {
  const { app, name = app, environment = 'development', state = 'ACTIVE', active = true, serving = [], change } = service;
  const spec = newServiceSpec(`localhost/${app}/${name}`);
  const id = `svc-${app}-${environment}-${name}`;
  await db
    .insertInto('service')
    .values({
      id,
      app_id: app,
      environment,
      name,
      state,
      active,
      serving: [...serving],
      routed: [...serving],
      spec: JSON.stringify(change ? change(spec) : spec),
      created_by: 'olga',
    })
    .execute();
  return id;
};

export interface SeededRevision {
  readonly serviceId: string;
  readonly service: string;
  readonly number: number;
  readonly status?: RevisionStatus;
  readonly enabled?: boolean;
  readonly isFailed?: boolean;
  /** An image that is there, where the revision shall run. */
  readonly imageDigest?: string;
  readonly imageTag?: string;
  readonly createdAt?: Date;
  readonly change?: (spec: ServiceSpec) => ServiceSpec;
}
export const seedRevision = async (db: Db, revision: SeededRevision): Promise<string> => {
  const { serviceId, service, number, status = 'HEALTHY', enabled = true, isFailed = false, createdAt = new Date(), change } = revision;
  const { imageTag = `v${number}`, imageDigest = `sha256:${String(number).padStart(64, '0')}` } = revision;
  const spec = newServiceSpec(`localhost/${service}/${service}`);
  await db
    .insertInto('revision')
    .values({
      id: `rev-${serviceId}-${number}`,
      service_id: serviceId,
      number,
      name: `${service}-${number}`,
      image_tag: imageTag,
      image_repository: `${service}/${service}`,
      image_digest: imageDigest,
      spec: JSON.stringify(change ? change(spec) : spec),
      reason: JSON.stringify({ type: 'DEPLOY', text: null, commit: null, commitMessage: null }),
      status,
      enabled,
      replicas_wanted: status === 'HEALTHY' ? 1 : 0,
      replicas_ready: status === 'HEALTHY' ? 1 : 0,
      failed_at: isFailed ? createdAt : null,
      created_at: createdAt,
      created_by: 'olga',
      created_by_name: 'Olga Owner',
    })
    .execute();
  return `rev-${serviceId}-${number}`;
};

export interface SeededPipeline {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly team?: string;
  readonly app?: string;
  readonly service?: string;
  readonly state: PipelineState;
  readonly endedAt?: Date;
  /** Another type for its run, which no worker knows: it takes it for no run of its own, and what is under way stays so. */
  readonly runType?: string;
}
/** A pipeline with one run of one step. */
export const seedPipeline = async (db: Db, pipeline: SeededPipeline): Promise<void> => {
  const { id, type, subject, state, team = 'cranes', app = null, service = null, endedAt = new Date(), runType = type } = pipeline;
  const isEnded = ['COMPLETED', 'FAILED', 'CANCELED'].includes(state);
  const by = { created_by: 'olga', created_by_name: 'Olga Owner', created_at: endedAt };
  // At once: the sweep takes a pipeline without a run for an old one.
  await transaction(db, async (trx) => {
    await trx
      .insertInto('pipeline')
      .values({ id, type, subject, team_id: team, app_id: app, environment: service && 'development', service, trigger: 'person', ...by })
      .execute();
    await trx
      .insertInto('pipeline_run')
      .values({
        run_id: `run-${id}`,
        pipeline_id: id,
        number: 1,
        type: runType,
        subject,
        state,
        input: '{}',
        started_at: endedAt,
        ended_at: isEnded ? endedAt : null,
        ...by,
      })
      .execute();
    await trx
      .insertInto('pipeline_step')
      .values({ run_id: `run-${id}`, index: 0, code: 'CheckNames', state: state === 'QUEUED' ? 'PENDING' : state, attempt: 1 })
      .execute();
  });
};

/** A group of one version whose value nothing opens: for what is read without opening it. */
export const seedSecretGroup = async (db: Db, group: { app: string; name: string; services?: readonly string[] }): Promise<void> => {
  const { app, name, services = [] } = group;
  const id = `sg-${app}-${name}`;
  const by = { created_by: 'olga', created_by_name: 'Olga Owner' };
  await db
    .insertInto('secret_group')
    .values({ id, app_id: app, environment: 'development', name, last_version: 1, ...by })
    .execute();
  const sealed = Buffer.alloc(40);
  await db
    .insertInto('secret_version')
    .values({ group_id: id, version: 1, origin: 'CREATED', kid: 'k', wrapped: sealed, seal: sealed, ...by })
    .execute();
  await db.insertInto('secret_value').values({ group_id: id, version: 1, key: 'PASSWORD', sealed, hash: sealed, size_bytes: 12 }).execute();
  for (const service of services) await db.insertInto('service_secret_group').values({ service_id: service, group_id: id }).execute();
};
