/** Service rows, and services in the form of the contract. */
import { sql } from 'kysely';
import type { Environment, Page } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { memberRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import { revisionKind } from '@slipway/contract/kinds/revision.kind.ts';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import { newServiceSpec, type ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import { areReadableSettings } from '#modules/runtime/index.ts';
import { countTotal, likeOf, orderOf, pageOf } from '#kernel/page.ts';
import { placeSql, rowAt } from '#modules/resources/index.ts';

export interface RevisionRef {
  readonly id: string;
  readonly name: string;
}
export interface ServiceKey {
  readonly app: string;
  readonly environment: Environment;
  readonly service: string;
}
/** A service by id. A name can be reused, an id cannot. Pipelines read and write rows by id. */
export interface ServiceRef extends ServiceKey {
  readonly id: string;
}
/** Addresses of the engines, which the response adds to a row. */
export interface ServiceLinks {
  url(service: ServiceKey, basePath: string): string;
  repositoryUrl(app: string, repository: string): string;
  /** The platform's own host names, without ports. */
  readonly hosts: readonly string[];
}

const selectServices = (db: Db) =>
  db
    .selectFrom('service')
    .innerJoin('app', 'app.id', 'service.app_id')
    .leftJoin('edge_stat', 'edge_stat.service_id', 'service.id')
    .selectAll('service')
    .select([
      'app.team_id',
      'edge_stat.requests',
      'edge_stat.errors',
      'edge_stat.p95_ms',
      'edge_stat.last_request_at',
      sql<string | null>`(select pipeline.id from pipeline join pipeline_run run on run.pipeline_id = pipeline.id
        where (run.subject = 'service:' || service.app_id || '/' || service.environment || '/' || service.name
            or run.pipeline_id = service.creation_pipeline_id and service.state = 'CREATING')
          and run.state in ('QUEUED', 'PENDING', 'RUNNING') limit 1)`.as('active_pipeline'),
      sql<ServingRow | null>`(select to_jsonb(shown) from (
          select revision.name, revision.image_tag, revision.status, revision.replicas_wanted, revision.replicas_ready, revision.created_at, revision.failed_at,
            (select max(memory_megabytes) from instance where instance.revision_id = revision.id) as memory
          from revision where revision.service_id = service.id and revision.status <> 'DELETED'
          order by (revision.name = any (service.serving)) desc, revision.number desc limit 1) shown)`.as('shown'),
      sql<string | null>`(select max(created_at) from revision where revision.service_id = service.id)`.as('last_deploy_at'),
      sql<number>`(select count(*) from revision where revision.service_id = service.id and status <> 'DELETED')`.as('revision_count'),
    ]);
interface ServingRow {
  name: string;
  image_tag: string;
  status: RevisionStatus;
  replicas_wanted: number;
  replicas_ready: number;
  failed_at: string | null;
  memory: number | null;
}
type Row = Awaited<ReturnType<ReturnType<typeof selectServices>['executeTakeFirstOrThrow']>>;

const healthOf = (row: Row): RevisionStatus => {
  if (!row.active || !row.shown) return 'NO_INSTANCES';
  if (row.shown.failed_at && !row.serving.includes(row.shown.name)) return 'FAILING';
  return row.shown.status;
};

/** Replaces an unreadable spec, so that the page can still show everything else. Page and diagnosis report the unreadable spec. */
export const shownSpec = (stored: ServiceSpec): ServiceSpec =>
  areReadableSettings({ spec: stored, edge: null }) ? stored : newServiceSpec('unreadable');

/**
 * Removes the parts that only team members may see: environment variables and file mounts (decisions §9), and the health check's command,
 * which may contain a password.
 */
export const specFor = (spec: ServiceSpec, isMember: boolean): ServiceSpec => {
  if (isMember) return spec;
  const { template } = spec;
  const healthCheck = { ...template.healthCheck, exec: { command: [] } };
  return { ...spec, template: { ...template, healthCheck, envVars: [], secretFileMounts: [] } };
};

const canOf = (row: Row, actor: Actor): Service['can'] => {
  const member = memberRule(actor, row.team_id);
  const gated = (code: string | undefined) => (member === true && code ? code : member);
  const busy = row.active_pipeline ? 'DeployPipelineAlreadyRunning' : undefined;
  const missing = row.state === 'ACTIVE' ? (areReadableSettings(row) ? undefined : 'SettingsUnreadable') : 'ServiceNotCreated';
  const revisions = Number(row.revision_count) > 0 && row.state !== 'NOT_CREATED' ? 'ExistingRevisions' : undefined;
  return {
    deploy: gated(missing ?? (row.active ? undefined : 'ServiceInactive') ?? busy),
    activate: gated(missing ?? busy),
    delete: gated(busy ?? revisions),
    readLogs: member,
    update: gated(missing ?? busy),
  };
};

const serviceOf = (row: Row, actor: Actor, links: ServiceLinks): Service => {
  const { environment } = row;
  const spec = shownSpec(row.spec);
  const key = { app: row.app_id, environment, service: row.name };
  const hasUrl = spec.exposedPort !== null && spec.externalTraffic.type !== 'NONE';
  return {
    name: row.name,
    metadata: { name: row.name, environment },
    app: row.app_id,
    environment,
    active: row.active,
    state: row.state,
    areSettingsReadable: areReadableSettings(row),
    region: spec.region,
    githubRepositoryName: row.repository_name,
    repositoryUrl: row.repository_name && links.repositoryUrl(row.app_id, row.repository_name),
    spec: specFor(spec, memberRule(actor, row.team_id) === true),
    status: {
      url: hasUrl && row.state === 'ACTIVE' ? links.url(key, spec.externalTraffic.basePath) : null,
      health: healthOf(row),
      serving: row.serving[0] ?? null,
      imageTag: row.shown?.image_tag ?? null,
      replicasWanted: row.shown?.replicas_wanted ?? 0,
      replicasReady: row.shown?.replicas_ready ?? 0,
      requestsPerMinute: row.requests,
      errorsPerMinute: row.errors,
      p95Ms: row.p95_ms,
      memoryMegabytes: row.shown?.memory ?? null,
      lastDeployAt: row.last_deploy_at && new Date(row.last_deploy_at).toISOString(),
      pipelineId: row.active_pipeline,
      scaledDownAt: row.scaled_down_at?.toISOString() ?? null,
      lastRequestAt: row.last_request_at?.toISOString() ?? null,
    },
    settingsVersion: row.settings_version,
    creationPipelineId: row.creation_pipeline_id,
    creationTimestamp: row.created_at.toISOString(),
    can: canOf(row, actor),
  };
};

export const serviceByKey = async (db: Db, key: ServiceKey, actor: Actor, links: ServiceLinks): Promise<Service | undefined> => {
  const row = await selectServices(db)
    .where(placeSql(key, 'service', key.service))
    .executeTakeFirst();
  return row && serviceOf(row, actor, links);
};

const columns = { name: 'service.name', createdAt: 'service.created_at' } as const;

export const servicePage = async (
  db: Db,
  filter: { app: string; environment: Environment; query?: string | undefined; sort?: string | undefined; page: number; size: number },
  actor: Actor,
  links: ServiceLinks,
): Promise<Page<Service>> => {
  let rows = db.selectFrom('service').where(placeSql(filter, 'service'));
  if (filter.query) rows = rows.where('service.name', 'ilike', likeOf(filter.query));
  const total = await countTotal(db, rows.select('service.id'));
  const order = orderOf(filter.sort, columns, { column: 'service.name', direction: 'asc' });
  const found = await selectServices(db)
    .where('service.id', 'in', rows.select('service.id'))
    .orderBy(order.column, order.direction)
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  return pageOf(
    found.map((row) => serviceOf(row, actor, links)),
    total,
    filter,
  );
};

/** Returns the raw row, for use cases. */
export const serviceRow = (db: Db, key: ServiceKey) =>
  db
    .selectFrom('service')
    .selectAll()
    .where(({ and }) => and(rowAt(key, key.service)))
    .executeTakeFirst();

/** Returns the raw row, for pipelines. */
export const serviceById = (db: Db, id: string) => db.selectFrom('service').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks the row to serialize changes of the service. */
export const lockService = (trx: Db, key: ServiceKey) =>
  trx
    .selectFrom('service')
    .select('id')
    .where(({ and }) => and(rowAt(key, key.service)))
    .forUpdate()
    .executeTakeFirst();

export const teamOf = async (db: Db, app: string): Promise<string | undefined> =>
  (await db.selectFrom('app').select('team_id').where('id', '=', app).executeTakeFirst())?.team_id;

/**
 * Returns the key that allows one run at a time. It contains the name, because engines know a service by name, and a run of a deleted
 * service with this name may still be retried.
 */
export const lockOf = ({ app, environment: env, service }: ServiceKey): string => subjectKey(subjectOf(serviceKind, { app, env, service }));

/** Returns the subject of pipelines and activity: name, id and team of the service, and optionally a revision. */
export const serviceSubject = async (db: Db, { app, environment, service }: ServiceKey, revision?: RevisionRef): Promise<Subject> => {
  const row = await db
    .selectFrom('app')
    .leftJoin('service', (on) =>
      on.onRef('service.app_id', '=', 'app.id').on('service.environment', '=', environment).on('service.name', '=', service),
    )
    .select(['app.team_id as team', 'service.id'])
    .where('app.id', '=', app)
    .executeTakeFirst();
  const names = { app, env: environment, service };
  const ids = row?.id ? { [serviceKind.kind]: row.id } : {};
  const team = row?.team;
  if (!revision) return subjectOf(serviceKind, names, { team, ids });
  return subjectOf(revisionKind, { ...names, revision: revision.name }, { team, ids: { ...ids, [revisionKind.kind]: revision.id } });
};
