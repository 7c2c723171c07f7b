/** What should run, read from the rows that pipelines write. */
import { sql } from 'kysely';
import type { RevisionStatus } from '@slipway/contract/service/revision.ts';
import { serviceAudience } from '@slipway/contract/service/service-access.ts';
import type { EdgeSettings, ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Db } from '#db/database.ts';
import type { EdgeAuthentication, HealthCheck, RevisionSpec, RuntimeCapabilities, ServiceRef, ServiceRoute } from '#ports/runtime.ts';

/** Time that an instance gets between SIGTERM and SIGKILL. */
const stopGraceSeconds = 10;

export interface WantedRevision {
  readonly id: string;
  readonly isDeleting: boolean;
  /** As the row says, also where the service is inactive. */
  readonly replicasWanted: number;
  /** What the row says was observed. */
  readonly status: RevisionStatus;
  /** Without secrets: those are opened when the runtime first gets the revision. */
  readonly spec: RevisionSpec;
  readonly settings: ServiceSpec;
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

/** Closed where nothing is said: a replica of the version before writes none. */
const egressOf = ({ outgoingTraffic }: Partial<Pick<ServiceSpec, 'outgoingTraffic'>>): readonly string[] => {
  if (outgoingTraffic?.type === 'ANY') return ['*'];
  return outgoingTraffic?.type === 'LISTED' ? outgoingTraffic.hosts : [];
};

/** The servers of the databases whose secret groups it pinned: the way to one is made for those who have its password. */
const databasesSql = sql<
  { host: string; port: number }[]
>`(select coalesce(jsonb_agg(distinct jsonb_build_object('host', host, 'port', port)), '[]')
  from database where database.app_id = service.app_id and database.environment = service.environment
    and host is not null and jsonb_exists(revision.secret_versions, database.secret_group))`;

/** The brokers of the accounts whose secret groups it pinned, as the password was given out with them. */
const brokersSql = sql<
  { host: string; port: number }[]
>`(select coalesce(jsonb_agg(distinct jsonb_build_object('host', substring(server from '^(.*):'), 'port', substring(server from '[0-9]+$')::int)), '[]')
  from account, jsonb_array_elements_text(account.connection -> 'bootstrapServers') as server
  where account.app_id = service.app_id and account.environment = service.environment
    and jsonb_exists(revision.secret_versions, account.secret_group))`;

/** Revisions that want instances, and those that may still have some to stop. */
export const wantedRevisions = async (db: Db): Promise<WantedRevision[]> => {
  const rows = await db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .select([
      'revision.id',
      'revision.name',
      'revision.image_repository',
      'revision.image_digest',
      'revision.spec',
      'revision.secret_versions',
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
    .where((at) =>
      at.or([
        at('revision.replicas_wanted', '>', 0),
        at('revision.status', '!=', 'NO_INSTANCES'),
        at('revision.deleting_at', 'is not', null),
        at.exists(at.selectFrom('instance').select('instance.id').whereRef('instance.revision_id', '=', 'revision.id')),
      ]),
    )
    .execute();
  return rows.map((row) => {
    const spec = row.spec;
    return {
      id: row.id,
      isDeleting: row.deleting_at !== null,
      replicasWanted: row.replicas_wanted,
      status: row.status,
      settings: spec,
      secretVersions: row.secret_versions,
      spec: {
        id: row.id,
        app: row.app_id,
        environment: row.environment,
        service: row.service,
        revision: row.name,
        image: { repository: row.image_repository, digest: row.image_digest },
        env: envOf(spec),
        files: [],
        exposedPort: spec.exposedPort ?? undefined,
        health: healthOf(spec.template),
        cpuMillicores: spec.resources.cpuMillicores,
        memoryMegabytes: spec.resources.memoryMegabytes,
        replicas: row.active ? row.replicas_wanted : 0,
        region: spec.region,
        egress: egressOf(spec),
        databases: row.databases,
        brokers: row.brokers,
        isSpot: spec.spotComputeEnabled,
        stopGraceSeconds,
      },
    };
  });
};

interface EdgeCredential {
  readonly username: string | null;
  readonly password_hash: string | null;
}

type Engine = Pick<RuntimeCapabilities, 'isNetworkIsolated'>;

/** Fails closed: what asks for a sign-in that the edge cannot demand is answered, but not served. */
const authenticationOf = (service: ServiceRef, edge: EdgeSettings, credential: EdgeCredential, engine: Engine): EdgeAuthentication => {
  const { externalTraffic, externalTrafficAuthentication: asked } = edge;
  // The rules of the settings do not let this come about.
  if (externalTraffic.type === 'API_PROXY' && asked !== 'AZURE_AUTH')
    return { type: 'CLOSED', detail: 'Traffic through the API proxy takes tokens alone, and the settings of the service ask for none.' };
  // Any instance could come past the edge, and say that it is whom it likes.
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

/** An address that two want belongs to the older service: nobody takes over what is in use. */
const domainOf = ({ domain, basePath }: EdgeSettings['externalTraffic'], taken: Set<string>): string | undefined => {
  const address = `${domain}${basePath.replace(/\/+$/, '')}/`;
  if (domain === null || taken.has(address)) return undefined;
  taken.add(address);
  return domain;
};

export const wantedRoutes = async (db: Db, engine: Engine): Promise<WantedRoute[]> => {
  const rows = await db
    .selectFrom('service')
    .leftJoin('edge_credential', 'edge_credential.service_id', 'service.id')
    .select(['id', 'app_id', 'environment', 'name', 'active', 'spec', 'edge', 'serving', 'routed', 'username', 'password_hash'])
    .where((at) => at.or([sql<boolean>`cardinality(serving) > 0`, sql<boolean>`cardinality(routed) > 0`]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const taken = new Set<string>();
  return rows.map((row): WantedRoute => {
    const service = { app: row.app_id, environment: row.environment, service: row.name };
    const edge = row.edge ?? row.spec;
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
  });
};
