/** The composition root: creates a running platform from a configuration and adapters. Tests use it too. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { described } from '@slipway/contract/routes.ts';
import { createAuthenticate } from '#kernel/auth/authenticate.ts';
import { clientAddresses } from '#kernel/http/client-address.ts';
import { FloodGate } from '#kernel/http/flood-gate.ts';
import { type FloodLimits, floodLimits } from '#kernel/http/flood-limits.ts';
import { createHostGate } from '#kernel/http/host-gate.ts';
import { createIdempotency } from '#kernel/http/idempotency.ts';
import { createInside } from '#kernel/http/inside.ts';
import { mountRoutes } from '#kernel/http/mount.ts';
import { Problem } from '#kernel/problem.ts';
import { processMetrics } from '#kernel/telemetry/process-metrics.ts';
import { RequestMetrics } from '#kernel/telemetry/request-metrics.ts';
import { createServer } from '#kernel/http/server.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { PipelineEngine, runFor } from '#modules/pipelines/index.ts';
import { mountApiDocs, type PlatformOptions } from '#modules/platform/index.ts';
import type { DatabaseOptions } from '#modules/databases/index.ts';
import type { MonitorOptions } from '#modules/monitors/index.ts';
import type { TraceOptions } from '#modules/traces/index.ts';
import type { QuickstartOptions } from '#modules/quickstart/index.ts';
import { notify } from '#modules/notifications/index.ts';
import { Requests } from '#modules/requests/index.ts';
import type { Area, AreaContext, Metric } from '#modules/resources/index.ts';
import type { RuntimeOptions } from '#modules/runtime/index.ts';
import type { ScanOptions } from '#modules/container-registry/index.ts';
import type { AccountOptions, StreamingOptions } from '#modules/streaming/index.ts';
import { declaredAreas } from './declared-areas.ts';

export type { Adapters } from '#modules/resources/index.ts';

export interface AppOptions
  extends
    Omit<AreaContext, 'engine' | 'requests' | 'isWorker' | 'callInside' | 'checks' | 'metrics' | 'log'>,
    QuickstartOptions,
    RuntimeOptions,
    DatabaseOptions,
    ScanOptions,
    MonitorOptions,
    TraceOptions,
    PlatformOptions,
    AccountOptions,
    StreamingOptions {
  /** Addresses and networks whose X-Forwarded-For header is trusted. None by default. */
  readonly trustedProxies?: readonly string[];
  /** Limits per client, lower in tests. */
  readonly limits?: FloodLimits;
  readonly roles: ReadonlySet<string>;
  readonly version: string;
  /** Counts of the platform's own traces. */
  readonly telemetryMetrics?: () => readonly Metric[];
  readonly log: Logger;
  /** Validates every response against its schema. Used in tests. */
  readonly isStrict?: boolean;
  readonly beforeListen?: (server: FastifyInstance) => Promise<void>;
}

export interface App {
  readonly server: FastifyInstance;
  readonly engine: PipelineEngine;
  readonly requests: Requests;
  /** Starts pipelines, the reconciler and live changes. Call it when the server listens, because the engines are called through it. */
  start(): Promise<void>;
  /** Waits for the result. `undefined` if services are served, here or by another replica. */
  servicesDiagnosis(): Promise<string | undefined>;
  /** With `isRestart`, services keep running for the next leader. */
  close(how?: { readonly isRestart?: boolean }): Promise<void>;
}

const scopesOf = (areas: readonly Area[]): NonNullable<Area['scopes']> => Object.assign({}, ...areas.map(({ scopes }) => scopes));

/** Collects the areas, and registers their pipelines and kinds of requests. */
const joinAreas = (
  options: AppOptions,
  engine: PipelineEngine,
  requests: Requests,
  isWorker: boolean,
  ofRequests: RequestMetrics,
): readonly Area[] => {
  const checks = (): NonNullable<Area['checks']> => Object.assign({}, ...areas.map((area) => area.checks));
  const metrics = (): readonly Metric[] => [
    ...processMetrics(),
    ...ofRequests.metrics(),
    ...areas.flatMap((area) => area.metrics?.() ?? []),
    ...(options.telemetryMetrics?.() ?? []),
  ];
  const callInside = createInside(() => ({
    handlers: areas.flatMap(({ routes = [] }) => routes),
    scopes: scopesOf(areas),
    idempotency: createIdempotency(options.database.pool),
    log: options.log,
  }));
  const joined = { ...options, engine, requests, isWorker, callInside, checks, metrics };
  const areas: readonly Area[] = declaredAreas.map((area) => area(joined));
  for (const { pipelines = [], requestKinds = [] } of areas) {
    for (const definition of pipelines) engine.register(definition);
    for (const kind of requestKinds) requests.register(kind);
  }
  return areas;
};

/** Creates the HTTP server: the areas' routes, their engines, and the API description. */
const serverOf = async (options: AppOptions, areas: readonly Area[], metrics: RequestMetrics): Promise<FastifyInstance> => {
  const { database, adapters, log, publicUrl, limits = floodLimits } = options;
  const engines = areas.flatMap((area) => area.adapters ?? []);
  const mounts = [...adapters.mounts, ...engines.flatMap(({ mount }) => mount ?? [])];
  const floods = new FloodGate(limits, clientAddresses(options.trustedProxies));
  const hosts = createHostGate([publicUrl, adapters.registry.baseUrl], options.port);
  const server = createServer({ log, mounts, floods, limits, hosts, metrics });
  mountRoutes(
    server,
    areas.flatMap((area) => area.routes ?? []),
    {
      log,
      authenticate: createAuthenticate(database.pool, adapters.signIn),
      scopes: scopesOf(areas),
      idempotency: createIdempotency(database.pool),
      runOf: (pipelineId, caller) => runFor(database.db, pipelineId, caller),
      floods,
      metrics,
      isStrict: options.isStrict ?? false,
    },
  );
  mountApiDocs(server, described, options.version);
  if (options.beforeListen) await options.beforeListen(server);
  else
    server.setNotFoundHandler(() => {
      throw new Problem('MISSING_RESOURCE');
    });
  return server;
};

export const createApp = async (options: AppOptions): Promise<App> => {
  const { database, connection, log, roles } = options;
  const isWorker = roles.has('worker');
  const engine = new PipelineEngine({ connection, db: database.db, log, roles: [...roles] });
  const requests = new Requests(notify);
  const ofRequests = new RequestMetrics();
  const areas = joinAreas(options, engine, requests, isWorker, ofRequests);
  const server = await serverOf(options, areas, ofRequests);
  const foundations = areas.flatMap((area) => area.foundations ?? []);
  const tasks = areas.flatMap((area) => area.tasks ?? []);
  const engines = areas.flatMap((area) => area.adapters ?? []);
  return {
    server,
    engine,
    requests,
    start: async () => {
      for (const foundation of foundations) await foundation.start();
      await engine.launch();
      if (isWorker) for (const task of tasks) await task.start();
    },
    servicesDiagnosis: async () => {
      const found = await mapLimited(areas, async (area) => area.diagnosis?.());
      return found.find((text) => text !== undefined);
    },
    close: async ({ isRestart = false } = {}) => {
      await mapLimited(tasks, (task) => task.stop({ isRestart }));
      // Hands over steps in flight first, then stops the foundations they use.
      await engine.close();
      for (const foundation of foundations.toReversed()) await foundation.stop({ isRestart });
      await server.close();
      await mapLimited(engines, (one) => one.close());
    },
  };
};
