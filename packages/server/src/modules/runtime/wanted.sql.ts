/** Reads the desired state from the rows that pipelines write. */
import { sql } from 'kysely';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import { serviceAudience } from '@slipway/contract/service/service-access.ts';
import type { EdgeSettings, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import { notifyChanges } from '#kernel/changes.ts';
import { mustFit, parseEach, type Parsed } from '#kernel/rows/unreadable.ts';
import type {
  EdgeAuthentication,
  HealthCheck,
  RevisionRef,
  RevisionSpec,
  RuntimeCapabilities,
  ServiceRef,
  ServiceRoute,
} from '#ports/runtime.ts';
import { EdgeShape, isReadableSpec, SpecShape, stoppedSpec, VersionsShape } from './spec-shape.ts';

/** Time that an instance gets between SIGTERM and SIGKILL. */
const stopGraceSeconds = 10;

export interface WantedRevision {
  readonly id: string;
  readonly isDeleting: boolean;
  /** Replicas in the row, even if the service is inactive. */
  readonly replicasWanted: number;
  /** Last observed status in the row. */
  readonly status: RevisionStatus;
  /** Without secrets: those are opened when the runtime first gets the revision. */
  readonly spec: RevisionSpec;
  readonly settings: ServiceSpec;
  /** Whether its instances get a token for traces. */
  readonly sendsTraces: boolean;
  /** Secret group → version. */
  readonly secretVersions: Readonly<Record<string, number>>;
}
export interface WantedRoute {
  readonly serviceId: string;
  readonly service: ServiceRef;
  readonly route: ServiceRoute | undefined;
  readonly serving: readonly string[];
  readonly routed: readonly string[];
}

const healthOf = ({ healthCheck }: ServiceSpec['template']): HealthCheck | undefined =>
  healthCheck.enabled
    ? {
        type: healthCheck.type,
        http: healthCheck.http,
        tcp: healthCheck.tcp,
        exec: healthCheck.exec,
        ...healthCheck.config,
      }
    : undefined;

const envOf = (spec: ServiceSpec): Record<string, string> =>
  Object.fromEntries(spec.template.envVars.filter((item) => item.source === 'STATIC').map((item) => [item.name, item.value ?? '']));

/** Denies egress if the setting is missing: replicas of the previous version do not write it. */
const egressOf = ({ outgoingTraffic }: Partial<Pick<ServiceSpec, 'outgoingTraffic'>>): readonly string[] => {
  if (outgoingTraffic?.type === 'ANY') return ['*'];
  return outgoingTraffic?.type === 'LISTED' ? outgoingTraffic.hosts : [];
};

/** The servers of the databases whose secret groups it pinned: the way to one is made for those who have its password. */
const databasesSql = sql<
  { host: string; port: number }[]
>`(select coalesce(jsonb_agg(distinct jsonb_build_object('host', host, 'port', port)), '[]')
  from database where database.app_id = service.app_id and database.environment = service.environment
    and host is not null and (jsonb_exists(revision.secret_versions, database.secret_group) or jsonb_exists(revision.secret_versions, database.reader_group)))`;

/** The brokers of the accounts whose secret groups it pinned, as the password was given out with them. */
const brokersSql = sql<
  { host: string; port: number }[]
>`(select coalesce(jsonb_agg(distinct jsonb_build_object('host', substring(server from '^(.*):'), 'port', substring(server from ':([0-9]{1,5})$')::int)), '[]')
  from account, jsonb_array_elements_text(case jsonb_typeof(account.connection -> 'bootstrapServers')
      when 'array' then account.connection -> 'bootstrapServers' else '[]' end) as server
  where account.app_id = service.app_id and account.environment = service.environment
    and jsonb_exists(revision.secret_versions, account.secret_group))`;

const selectRevisions = (db: Db) =>
  db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .select([
      'revision.id',
      'revision.name',
      'revision.image_repository',
      'revision.image_digest',
      'revision.spec',
      'revision.secret_versions',
      'revision.sends_traces',
      'revision.deleting_at',
      'revision.replicas_wanted',
      'revision.status',
      'service.active',
      'service.app_id',
      'service.environment',
      'service.name as service',
      databasesSql.as('databases'),
      brokersSql.as('brokers'),
    ])
    .where('revision.status', '!=', 'DELETED')
    .orderBy('revision.id');
type RevisionRow = Awaited<ReturnType<ReturnType<typeof selectRevisions>['execute']>>[number];

const revisionOf = (row: RevisionRow): WantedRevision => {
  const isIdle = row.deleting_at !== null || !row.active || row.replicas_wanted === 0;
  const spec = isIdle && !isReadableSpec(row.spec) ? stoppedSpec : row.spec;
  mustFit(SpecShape, spec, 'spec');
  if (!isIdle) mustFit(VersionsShape, row.secret_versions, 'secret_versions');
  return {
    id: row.id,
    isDeleting: row.deleting_at !== null,
    replicasWanted: row.replicas_wanted,
    status: row.status,
    settings: spec,
    sendsTraces: row.sends_traces,
    secretVersions: row.secret_versions,
    spec: {
      id: row.id,
      app: row.app_id,
      environment: row.environment,
      service: row.service,
      revision: row.name,
      image: { repository: row.image_repository, digest: row.image_digest },
      files: [],
      stopGraceSeconds,
      databases: row.databases,
      brokers: row.brokers,
      env: envOf(spec),
      exposedPort: spec.exposedPort ?? undefined,
      health: healthOf(spec.template),
      cpuMillicores: spec.resources.cpuMillicores,
      memoryMegabytes: spec.resources.memoryMegabytes,
      replicas: row.active ? row.replicas_wanted : 0,
      region: spec.region,
      egress: egressOf(spec),
      isSpot: spec.spotComputeEnabled,
    },
  };
};

export type WantedPage = Parsed<RevisionRow, WantedRevision>;
const pageOf = (rows: RevisionRow[]): WantedPage =>
  parseEach(
    rows,
    (row) => ({ id: row.id, kind: 'revision', name: `${row.app_id}/${row.environment}/${row.service}/${row.name}` }),
    revisionOf,
  );
export const refOfRow = ({ app_id: app, environment, service, name: revision }: RevisionRow): RevisionRef => ({
  app,
  environment,
  service,
  revision,
});

const PAGE = 250;
/**
 * Yields pages of the revisions that want instances or may still have instances to stop. `running` lists the revisions that have instances.
 * The last page contains the revisions being deleted, as many as one pass deletes.
 */
export async function* wantedPages(db: Db, running: readonly string[] = []): AsyncGenerator<WantedPage> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: RevisionRow[] = await selectRevisions(db)
      .where('revision.deleting_at', 'is', null)
      .where('revision.id', '>', after)
      .where(
        sql<boolean>`revision.id in (select id from revision where status <> 'DELETED' and deleting_at is null and replicas_wanted > 0
          union select revision_id from instance union select unnest(${running}::text[]))`,
      )
      .limit(PAGE)
      .execute();
    yield pageOf(rows);
    after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  }
  yield pageOf(await selectRevisions(db).where('revision.deleting_at', 'is not', null).limit(PAGE).execute());
}

/**
 * Records one page of revisions that want no instances as having none. Returns whether there may be more. Needs no call to the runtime,
 * because none of these revisions are in `running`.
 */
export const settleIdle = (db: Db, running: readonly string[]): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<Omit<RevisionRef, 'revision'> & { name: string }>`update revision
      set status = 'NO_INSTANCES', replicas_ready = 0 from service
      where service.id = revision.service_id and revision.id in (select id from revision
          where status not in ('NO_INSTANCES', 'DELETED') and deleting_at is null and replicas_wanted = 0 and id <> all (${running}::text[])
            and not exists (select from instance where instance.revision_id = revision.id)
          order by id limit ${PAGE} for update skip locked)
      returning service.app_id as app, service.environment, service.name as service, revision.name`.execute(trx);
    await notifyChanges(
      trx,
      rows.map(({ app, environment: env, service, name }) => ({ kind: 'revision', app, env, service, revision: name })),
    );
    return rows.length === PAGE;
  });

interface EdgeCredential {
  readonly username: string | null;
  readonly password_hash: string | null;
}

type Engine = Pick<RuntimeCapabilities, 'isNetworkIsolated'>;

/** Fails closed: if the edge cannot enforce the requested sign-in, it answers requests without serving them. */
const authenticationOf = (service: ServiceRef, edge: EdgeSettings, credential: EdgeCredential, engine: Engine): EdgeAuthentication => {
  const { externalTraffic, externalTrafficAuthentication: asked } = edge;
  // Settings validation prevents this combination.
  if (externalTraffic.type === 'API_PROXY' && asked !== 'AZURE_AUTH')
    return { type: 'CLOSED', detail: 'Traffic through the API proxy takes tokens alone, and the settings of the service ask for none.' };
  // Without network isolation, any instance could bypass the edge and claim any identity.
  if (asked !== 'NO_AUTH' && !engine.isNetworkIsolated)
    return {
      type: 'CLOSED',
      detail: 'The service asks for a sign-in, and this machine cannot keep other services from walking around it.',
    };
  switch (asked) {
    case 'NO_AUTH':
      return { type: 'NO_AUTH' };
    case 'BASIC_AUTH': {
      const { username, password_hash: passwordHash } = credential;
      if (username !== null && passwordHash !== null) return { type: 'BASIC_AUTH', username, passwordHash };
      return { type: 'CLOSED', detail: 'The service asks for user name and password, and none have been made for it yet.' };
    }
    case 'AZURE_AUTH':
      return { type: 'AZURE_AUTH', audience: serviceAudience(service.app, service.environment, service.service) };
    default:
      return { type: 'CLOSED', detail: 'The service asks for a sign-in that the edge does not know.' };
  }
};

/** Gives an address that two services request to the older service, so that no service takes over an address in use. */
const domainOf = ({ domain, basePath }: EdgeSettings['externalTraffic'], taken: Set<string>): string | undefined => {
  const address = `${domain}${basePath.replace(/\/+$/, '')}/`;
  if (domain === null || taken.has(address)) return undefined;
  taken.add(address);
  return domain;
};

/** Returns the desired routes. Services with unreadable rows keep their current route. */
export const wantedRoutes = async (db: Db, engine: Engine): Promise<Parsed<{ readonly service: ServiceRef }, WantedRoute>> => {
  const rows = await db
    .selectFrom('service')
    .leftJoin('edge_credential', 'edge_credential.service_id', 'service.id')
    .select(['id', 'app_id', 'environment', 'name', 'active', 'serving', 'routed', 'username', 'password_hash'])
    // Select only the edge settings: the full settings of all services are much larger.
    .select(
      sql<EdgeSettings>`coalesce(edge, jsonb_build_object('externalTraffic', spec -> 'externalTraffic',
        'externalTrafficAuthentication', spec -> 'externalTrafficAuthentication', 'exposedPort', spec -> 'exposedPort'))`.as('edge'),
    )
    .where((at) => at.or([sql<boolean>`cardinality(serving) > 0`, sql<boolean>`cardinality(routed) > 0`]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const taken = new Set<string>();
  const read = rows.map((row) => ({ ...row, service: { app: row.app_id, environment: row.environment, service: row.name } }));
  return parseEach(
    read,
    ({ id, app_id: app, environment, name }) => ({ id, kind: 'service', name: `${app}/${environment}/${name}` }),
    ({ service, edge, ...row }): WantedRoute => {
      mustFit(EdgeShape, edge, 'settings of the edge');
      const { type, basePath, config } = edge.externalTraffic;
      const isRouted = row.active && row.serving.length > 0 && edge.exposedPort !== null && type !== 'NONE';
      return {
        serviceId: row.id,
        service,
        route: isRouted
          ? {
              revisions: row.serving,
              domain: domainOf(edge.externalTraffic, taken),
              basePath,
              stripBasePath: true,
              ...config,
              authentication: authenticationOf(service, edge, row, engine),
            }
          : undefined,
        serving: row.serving,
        routed: row.routed,
      };
    },
  );
};

/** Services that served before this moment, and should again: their serving revisions were healthy, or were just starting. */
export const servingBefore = async (db: Db): Promise<readonly ServiceRef[]> => {
  const { rows } = await sql<ServiceRef>`select distinct service.app_id as app, service.environment, service.name as service
    from service join revision on revision.service_id = service.id and revision.name = any (service.serving)
    where service.active and revision.replicas_wanted > 0 and revision.deleting_at is null and revision.status in ('HEALTHY', 'PENDING')
      and coalesce(service.edge, service.spec) ->> 'exposedPort' is not null
      and coalesce(service.edge, service.spec) #>> '{externalTraffic,type}' <> 'NONE'`.execute(db);
  return rows;
};
