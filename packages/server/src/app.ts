/** The composition root: from a configuration and adapters to a running platform. The tests use it too. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { routes, schemas } from '@slipway/contract/routes.ts';
import type { Database, DatabaseConfig } from '#db/database.ts';
import type { DirectoryLock } from '#db/directory-lock.ts';
import type { Caller, Handler } from '#kernel/http/handle.ts';
import type { AccessTokens } from '#kernel/auth/access-token.ts';
import { createAuthenticate } from '#kernel/auth/authenticate.ts';
import { clientAddresses } from '#kernel/http/client-address.ts';
import { FloodGate } from '#kernel/http/flood-gate.ts';
import { type FloodLimits, floodLimits } from '#kernel/http/flood-limits.ts';
import { createHostGate } from '#kernel/http/host-gate.ts';
import { createIdempotency } from '#kernel/http/idempotency.ts';
import { mountRoutes } from '#kernel/http/mount.ts';
import type { DiskFloor } from '#kernel/disk-floor.ts';
import { Problem } from '#kernel/problem.ts';
import { createServer } from '#kernel/http/server.ts';
import { activityRoutes } from '#modules/activity/index.ts';
import { appFacts, appPipelines, appRoutes, appScope } from '#modules/apps/index.ts';
import { containerRegistryRoutes } from '#modules/container-registry/index.ts';
import { KeyRotator, keyRoutes } from '#modules/keys/index.ts';
import { identityRoutes } from '#modules/identities/index.ts';
import { PipelineEngine, pipelineRoutes, runFor } from '#modules/pipelines/index.ts';
import { EventHub, mountApiDocs, platformRoutes } from '#modules/platform/index.ts';
import { quickstartPipelines, quickstartRoutes, templateFiles, type TemplateFiles } from '#modules/quickstart/index.ts';
import { Reconciler, type TaskTimings } from '#modules/runtime/index.ts';
import { createVault, ensureEdgeCredential, resolveSecrets, secretGroupRoutes, type Vault } from '#modules/secret-groups/index.ts';
import { creationPipelines, serviceChangeRoutes } from '#modules/services/index.ts';
import {
  ImageDeployer,
  PushDeployer,
  redeployService,
  serviceAccessRoutes,
  servicePipelines,
  serviceRoutes,
  type OpenSecrets,
  type ServiceKey,
} from '#modules/services/index.ts';
import type { Area, AreaContext } from '#modules/resources/index.ts';
import type { Builder } from '#ports/builder.ts';
import type { Keys } from '#ports/keys.ts';
import type { HttpMount } from '#ports/mount.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import type { ServiceTokens } from '#ports/service-tokens.ts';
import type { SourceHost } from '#ports/source.ts';
import { declaredAreas } from './declared-areas.ts';

export interface Adapters {
  readonly registry: Registry;
  readonly source: SourceHost;
  readonly runtime: Runtime;
  readonly builder: Builder;
  /** Wraps the data keys of secrets. */
  readonly keys: Keys;
  readonly mounts: readonly HttpMount[];
  /** Of the data directory. */
  readonly disk?: Pick<DiskFloor, 'isShort'>;
  readonly signIn: AccessTokens & {
    readonly authority: string;
    readonly clientId: string;
    /** Binds sessions and refresh tokens to a key that the console keeps (record 0020). */
    readonly isKeyBound: boolean;
    /** Ends a person's sessions at an authority of our own. */
    readonly endSessions?: (identityId: string) => Promise<void>;
    /** Only an authority of our own makes tokens for services. */
    readonly serviceTokens?: ServiceTokens;
  };
}

export interface AppOptions {
  readonly database: Database;
  /** For the sessions that hold locks and listen. */
  readonly connection: DatabaseConfig;
  readonly adapters: Adapters;
  readonly publicUrl: string;
  /** The port that is listened on, for the Host check. */
  readonly port: () => number;
  /** How the edge addresses a service, with `{service}`, `{app}` and `{env}` to fill in. */
  readonly serviceUrl: string;
  /** Addresses and networks whose X-Forwarded-For is believed; nobody's unless said. */
  readonly trustedProxies?: readonly string[];
  /** How much a client may take; tests want it smaller. */
  readonly limits?: FloodLimits;
  readonly roles: ReadonlySet<string>;
  readonly mode: 'development' | 'production';
  readonly replica: string;
  /** What the replicas of one machine agree by which of them drives the runtime. */
  readonly fence?: () => DirectoryLock | undefined;
  readonly version: string;
  readonly log: Logger;
  /** Tests check every answer against its schema. */
  readonly isStrict?: boolean;
  readonly beforeListen?: (server: FastifyInstance) => Promise<void>;
  /** Where a quickstart's first commit comes from. */
  readonly templates?: TemplateFiles;
  /** How often the holder of the runtime measures, scales and scrapes. */
  readonly runtimeTimings?: Partial<TaskTimings>;
  /** How long instances may take to get healthy, beyond what their probes need; a minute unless said. */
  readonly patienceSeconds?: number;
}

export interface App {
  readonly server: FastifyInstance;
  readonly engine: PipelineEngine;
  /** Starts pipelines, the reconciler and the live changes; after the server listens, since the engines are called through it. */
  start(): Promise<void>;
  /** Waits until that is known; `undefined` where all is well, or another replica serves. */
  servicesDiagnosis(): Promise<string | undefined>;
  /** With `isRestart` services run on, for the next leader. */
  close(how?: { readonly isRestart?: boolean }): Promise<void>;
}

const compose = (
  options: AppOptions,
  engine: PipelineEngine,
  hub: EventHub,
  own: { vault: Vault; secrets: OpenSecrets; rotator: KeyRotator | undefined; reconciler: Reconciler | undefined },
): { handlers: Handler[]; deployers: readonly (PushDeployer | ImageDeployer)[] } => {
  const { database, adapters, publicUrl } = options;
  const { db } = database;
  const { registry, source, runtime } = adapters;
  const links = {
    url: runtime.url.bind(runtime),
    repositoryUrl: (app: string, name: string) => `${publicUrl}/git/${app}/${name}.git`,
    hosts: [publicUrl, `http://${registry.host}`].map((address) => new URL(address).hostname),
  };
  const apps = { db, engine, pipelines: appPipelines({ db, registry, source }) };
  const engines = {
    db,
    registry,
    source,
    runtime,
    builder: adapters.builder,
    secrets: own.secrets,
    ...(options.patienceSeconds === undefined ? {} : { patienceSeconds: options.patienceSeconds }),
    credentials: (key: ServiceKey) => ensureEdgeCredential({ db, vault: own.vault }, key),
  };
  const services = { db, engine, registry, source, links, pipelines: servicePipelines(engines), creation: creationPipelines(engines) };
  const quickstart = {
    db,
    engine,
    registryHost: registry.host,
    source,
    pipelines: quickstartPipelines(engines, options.templates ?? templateFiles),
  };
  for (const pipelines of [apps.pipelines, services.pipelines, services.creation, quickstart.pipelines])
    for (const definition of Object.values(pipelines)) engine.register(definition as never);
  const checks = {
    database: () => database.pool.query('select 1').then(() => 'ok'),
    pipelines: async () => (engine.isReady ? 'ok' : 'starting'),
    ...(own.reconciler && { services: async () => (await own.reconciler?.diagnosis()) ?? 'ok' }),
    disk: async () => ((await adapters.disk?.isShort()) ? 'low' : 'ok'),
  };
  const platform = {
    db,
    hub,
    publicUrl,
    signIn: adapters.signIn,
    registryHost: registry.host,
    serviceUrl: options.serviceUrl,
    mode: options.mode,
    checks,
  };
  const handlers = [
    ...platformRoutes(platform),
    ...identityRoutes(database, adapters.signIn),
    ...appRoutes(apps),
    ...quickstartRoutes(quickstart),
    ...serviceRoutes(services, runtime, own.secrets),
    ...serviceChangeRoutes(services),
    ...serviceAccessRoutes({ db, vault: own.vault, tokens: adapters.signIn.serviceTokens }),
    ...secretGroupRoutes({ db, vault: own.vault, redeploy: (by, key) => redeployService(services, by, key) }),
    ...pipelineRoutes(db, engine),
    ...containerRegistryRoutes(db, registry),
    ...activityRoutes(db),
    ...keyRoutes(db, adapters.keys, () => own.rotator?.sweep()),
  ];
  return { handlers, deployers: [new PushDeployer(services, source, options.log), new ImageDeployer(services, options.log)] };
};

/** What each area brings, its pipelines known to the engine. */
const joinAreas = (engine: PipelineEngine, context: AreaContext): Area[] => {
  const areas = declaredAreas.map((area) => area(context));
  for (const { pipelines = [] } of areas) for (const definition of pipelines) engine.register(definition);
  return areas;
};

export const createApp = async (options: AppOptions): Promise<App> => {
  const { database, adapters, connection, log, roles, publicUrl } = options;
  const { registry, source, runtime, signIn } = adapters;
  const engine = new PipelineEngine({ connection, db: database.db, log, roles: [...roles] });
  const teamOf = async (app: string) => (await appFacts(database.db, app))?.teamId;
  const hub = new EventHub({ teamOf, log });
  const vault = createVault(database.pool, adapters.keys);
  const secrets: OpenSecrets = (revision) => resolveSecrets({ db: database.db, vault }, revision);
  const isWorker = roles.has('worker');
  const rotator = isWorker ? new KeyRotator({ db: database.db, keys: adapters.keys, log }, database.pool) : undefined;
  const reconciler = new Reconciler({
    db: database.db,
    connection,
    runtime,
    secrets,
    replica: options.replica,
    fence: options.fence,
    log,
    timings: options.runtimeTimings ?? {},
  });
  const { handlers, deployers } = compose(options, engine, hub, {
    vault,
    secrets,
    rotator,
    reconciler: isWorker ? reconciler : undefined,
  });
  const areas = joinAreas(engine, { database, engine, log, registry, source, runtime });
  const tasks = [...deployers, ...areas.flatMap((area) => area.tasks ?? [])];
  const mounts = [...adapters.mounts, registry.mount, source.mount].filter((mount) => mount !== undefined);
  const { limits = floodLimits } = options;
  const floods = new FloodGate(limits, clientAddresses(options.trustedProxies));
  const server = createServer({ log, mounts, floods, limits, hosts: createHostGate([publicUrl, registry.baseUrl], options.port) });
  const authenticate: (request: Parameters<ReturnType<typeof createAuthenticate>>[0]) => Promise<Caller | undefined> = createAuthenticate(
    database.pool,
    signIn,
  );
  mountRoutes(server, [...handlers, ...areas.flatMap((area) => area.routes ?? [])], {
    log,
    authenticate,
    scopes: Object.assign({ app: appScope(database.db) }, ...areas.map(({ scopes }) => scopes)),
    idempotency: createIdempotency(database.pool),
    runOf: (pipelineId, caller) => runFor(database.db, pipelineId, caller),
    floods,
    isStrict: options.isStrict ?? false,
  });
  mountApiDocs(server, { routes, schemas }, options.version);
  if (options.beforeListen) await options.beforeListen(server);
  else
    server.setNotFoundHandler(() => {
      throw new Problem('MISSING_RESOURCE');
    });
  return {
    server,
    engine,
    start: async () => {
      await hub.start(connection);
      if (isWorker) await reconciler.start();
      await engine.launch();
      if (isWorker) for (const task of tasks) task.start();
      rotator?.start();
    },
    servicesDiagnosis: async () => (isWorker ? reconciler.diagnosis(true) : undefined),
    close: async ({ isRestart = false } = {}) => {
      await Promise.all(tasks.map((task) => task.stop()));
      await rotator?.stop();
      await hub.close();
      // Steps in flight are handed over, then what they drive is stopped.
      await engine.close();
      await reconciler.stop({ isKept: isRestart });
      await server.close();
      await Promise.all([registry.close(), source.close(), runtime.close(), adapters.builder.close()]);
    },
  };
};
