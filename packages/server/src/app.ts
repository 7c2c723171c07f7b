/** The composition root: from a configuration and adapters to a running platform. The tests use it too. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { routes, schemas } from '@slipway/contract/routes.ts';
import { createAuthenticate } from '#kernel/auth/authenticate.ts';
import { clientAddresses } from '#kernel/http/client-address.ts';
import { FloodGate } from '#kernel/http/flood-gate.ts';
import { type FloodLimits, floodLimits } from '#kernel/http/flood-limits.ts';
import { createHostGate } from '#kernel/http/host-gate.ts';
import { createIdempotency } from '#kernel/http/idempotency.ts';
import { mountRoutes } from '#kernel/http/mount.ts';
import { Problem } from '#kernel/problem.ts';
import { createServer } from '#kernel/http/server.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { PipelineEngine, runFor } from '#modules/pipelines/index.ts';
import { mountApiDocs } from '#modules/platform/index.ts';
import type { DatabaseOptions } from '#modules/databases/index.ts';
import type { QuickstartOptions } from '#modules/quickstart/index.ts';
import type { Area, AreaContext, Metric } from '#modules/resources/index.ts';
import type { RuntimeOptions } from '#modules/runtime/index.ts';
import type { ScanOptions } from '#modules/container-registry/index.ts';
import type { AccountOptions, StreamingOptions } from '#modules/streaming/index.ts';
import { declaredAreas } from './declared-areas.ts';

export type { Adapters } from '#modules/resources/index.ts';

export interface AppOptions
  extends
    Omit<AreaContext, 'engine' | 'isWorker' | 'checks' | 'metrics' | 'log'>,
    QuickstartOptions,
    RuntimeOptions,
    DatabaseOptions,
    ScanOptions,
    AccountOptions,
    StreamingOptions {
  /** The port that is listened on, for the Host check. */
  readonly port: () => number;
  /** Addresses and networks whose X-Forwarded-For is believed; nobody's unless said. */
  readonly trustedProxies?: readonly string[];
  /** How much a client may take; tests want it smaller. */
  readonly limits?: FloodLimits;
  readonly roles: ReadonlySet<string>;
  readonly version: string;
  readonly log: Logger;
  /** Tests check every answer against its schema. */
  readonly isStrict?: boolean;
  readonly beforeListen?: (server: FastifyInstance) => Promise<void>;
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

/** What each area brings, its pipelines known to the engine. */
const joinAreas = (options: AppOptions, engine: PipelineEngine, isWorker: boolean): readonly Area[] => {
  const checks = (): NonNullable<Area['checks']> => Object.assign({}, ...areas.map((area) => area.checks));
  const metrics = (): readonly Metric[] => areas.flatMap((area) => area.metrics?.() ?? []);
  const areas: readonly Area[] = declaredAreas.map((area) => area({ ...options, engine, isWorker, checks, metrics }));
  for (const { pipelines = [] } of areas) for (const definition of pipelines) engine.register(definition);
  return areas;
};

/** What answers HTTP: the areas' routes, their engines, and the API's own description. */
const serverOf = async (options: AppOptions, areas: readonly Area[]): Promise<FastifyInstance> => {
  const { database, adapters, log, publicUrl, limits = floodLimits } = options;
  const engines = areas.flatMap((area) => area.adapters ?? []);
  const mounts = [...adapters.mounts, ...engines.flatMap(({ mount }) => mount ?? [])];
  const floods = new FloodGate(limits, clientAddresses(options.trustedProxies));
  const hosts = createHostGate([publicUrl, adapters.registry.baseUrl], options.port);
  const server = createServer({ log, mounts, floods, limits, hosts });
  mountRoutes(
    server,
    areas.flatMap((area) => area.routes ?? []),
    {
      log,
      authenticate: createAuthenticate(database.pool, adapters.signIn),
      scopes: Object.assign({}, ...areas.map(({ scopes }) => scopes)),
      idempotency: createIdempotency(database.pool),
      runOf: (pipelineId, caller) => runFor(database.db, pipelineId, caller),
      floods,
      isStrict: options.isStrict ?? false,
    },
  );
  mountApiDocs(server, { routes, schemas }, options.version);
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
  const areas = joinAreas(options, engine, isWorker);
  const server = await serverOf(options, areas);
  const foundations = areas.flatMap((area) => area.foundations ?? []);
  const tasks = areas.flatMap((area) => area.tasks ?? []);
  const engines = areas.flatMap((area) => area.adapters ?? []);
  return {
    server,
    engine,
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
      // Steps in flight are handed over, then what they drive is stopped.
      await engine.close();
      for (const foundation of foundations.toReversed()) await foundation.stop({ isRestart });
      await server.close();
      await mapLimited(engines, (one) => one.close());
    },
  };
};
