/** Routes for the console's settings, live changes, health, readiness, metrics, and the API description. */
import type { FastifyInstance } from 'fastify';
import { freezeTime } from '@slipway/contract/freeze.ts';
import { footerLabels, installationUpdate, installationView } from '@slipway/contract/installation.ts';
import { operationsView, type Operations } from '@slipway/contract/operations.ts';
import {
  eventStream,
  healthView,
  metricsView,
  platformHealthView,
  readinessView,
  runtimeConfigView,
  type Banner,
  type RuntimeConfig,
} from '@slipway/contract/platform.ts';
import type { Database, Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { openApi, type Described } from '#kernel/http/openapi.ts';
import { exposition } from '#kernel/telemetry/metric.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { announcedFreezes } from '#modules/freezes/index.ts';
import { documentPolicy } from '#modules/guide/index.ts';
import type { Checks, Metric } from '#modules/resources/index.ts';
import { runtimeCapabilities } from '#modules/runtime/index.ts';
import type { Log } from '#ports/log.ts';
import { apiPage } from './api-page.ts';
import type { EventHub } from './event-hub.ts';
import { installation, setInstallation } from './installation.ts';
import { keptReading } from './kept-reading.ts';
import { ageMetric, platformMetrics, replicaMetrics } from './metrics.ts';
import { unreadableRows } from './unreadable.sql.ts';

export interface PlatformOptions {
  /** Browser monitor that watches the console. */
  readonly consoleMonitor?: { readonly appKey: string; readonly apiKey: string; readonly name: string };
  /** Null: no trace is recorded. */
  readonly tracing?: RuntimeConfig['tracing'];
}
interface PlatformDeps {
  readonly db: Db;
  readonly database: Database;
  readonly hub: EventHub;
  readonly publicUrl: string;
  readonly signIn: Pick<RuntimeConfig, 'authority' | 'clientId' | 'audience' | 'isKeyBound'>;
  readonly registryHost: string;
  readonly serviceUrl: string;
  readonly flagsClientKey: string | undefined;
  readonly mode: 'development' | 'production';
  readonly version: string;
  readonly consoleMonitor: PlatformOptions['consoleMonitor'];
  readonly tracing: RuntimeConfig['tracing'];
  readonly checks: () => Checks;
  readonly metrics: () => readonly Metric[];
  readonly operations: (caller: Caller) => Promise<Operations>;
}

/** Shows limitations of the runtime's tier on every page, one banner for each kind. */
const runtimeBanner = async (db: Db): Promise<Banner[]> => {
  const capabilities = await runtimeCapabilities(db);
  if (!capabilities?.warning) return [];
  const type = capabilities.isolation === 'none' || !capabilities.isNetworkIsolated ? 'warning' : 'info';
  return [
    {
      id: `runtime-${capabilities.tier}`,
      enabled: true,
      type,
      header: capabilities.tier === 'kubernetes' ? 'Services on Kubernetes' : 'Local runtime',
      icon: null,
      message: capabilities.warning,
      ctas: [],
    },
  ];
};

/** Tells everyone of a freeze of all production, while it is open or near. A changed window has a new id, so it is shown again. */
const freezeBanners = async (db: Db): Promise<Banner[]> =>
  (await announcedFreezes(db)).map(({ id, revision, isOpen, name, reason, startsAt, endsAt, timeZone }) => ({
    id: `freeze-${id}-${revision}${isOpen ? '-open' : ''}`,
    enabled: true,
    type: 'warning',
    header: isOpen ? 'Production is frozen' : 'Production will be frozen',
    icon: null,
    message: `${name}: ${isOpen ? 'until' : `from ${freezeTime(startsAt, timeZone)} to`} ${freezeTime(endsAt, timeZone)}. ${reason}`,
    ctas: [],
  }));

const monitoringOf = ({ consoleMonitor, publicUrl, version, mode }: PlatformDeps): RuntimeConfig['monitoring'] => {
  if (!consoleMonitor) return null;
  const { appKey, apiKey, name } = consoleMonitor;
  return { url: `${publicUrl}/collect/${appKey}`, apiKey, name, version, environment: mode };
};

const settings = async (deps: PlatformDeps): Promise<RuntimeConfig> => {
  const [{ announcements, company, footer, supportUrl, feedbackUrl, portalUrl }, ofRuntime, ofFreezes] = await Promise.all([
    installation(deps.db),
    runtimeBanner(deps.db),
    freezeBanners(deps.db),
  ]);
  const guidePage = (label: string): string => `${deps.publicUrl}/docs/${label.toLowerCase().replaceAll(' ', '-')}/`;
  return {
    apiUrl: '',
    teamServiceUrl: '',
    // Listed one by one, because the adapter has properties that the console must not get.
    authority: deps.signIn.authority,
    clientId: deps.signIn.clientId,
    audience: deps.signIn.audience,
    isKeyBound: deps.signIn.isKeyBound,
    banners: [...announcements.filter(({ enabled }) => enabled), ...ofFreezes, ...ofRuntime],
    footer: {
      company,
      links: footerLabels.map((label) => ({ label, url: footer[label] ?? guidePage(label) })),
    },
    supportUrl: supportUrl ?? guidePage('Support'),
    feedbackUrl,
    portalUrl,
    gitUrl: `${deps.publicUrl}/git`,
    registryHost: deps.registryHost,
    serviceUrl: deps.serviceUrl,
    flagsClientKey: deps.flagsClientKey ?? null,
    mode: deps.mode,
    monitoring: monitoringOf(deps),
    tracing: deps.tracing,
  };
};

/** The replica serves, but an operator should investigate. */
const isDegraded = (answer: string): boolean => answer.startsWith('degraded: ');

const answersOf = async ({ checks }: PlatformDeps, log: Log): Promise<Record<string, string>> => {
  // Readiness is public, so details only go to the log.
  const failed = (error: unknown): string => {
    log.warn({ err: error }, 'A readiness check failed');
    return 'failed';
  };
  const ask = async ([name, check]: [string, () => Promise<string>]): Promise<[string, string]> => [name, await check().catch(failed)];
  return Object.fromEntries(await mapLimited(Object.entries(checks()), ask));
};

/** Everybody may read the metrics, so their queries and checks run once in this time. Prometheus asks every 15 seconds or less often. */
const METRICS_KEPT_MS = 5000;
const metricsHandler = (deps: PlatformDeps): Handler => {
  const ofPlatform = keptReading(METRICS_KEPT_MS, async (log: Log) => platformMetrics(deps.db, await answersOf(deps, log)));
  return handle(metricsView, async ({ reply, log }) => {
    const { value, ageSeconds } = await ofPlatform(log);
    const ofReplica = replicaMetrics(deps.database, deps.hub.size);
    return reply.type('text/plain; version=0.0.4').send(exposition([...value, ageMetric(ageSeconds), ...ofReplica, ...deps.metrics()]));
  });
};

export const platformRoutes = (deps: PlatformDeps): Handler[] => [
  handle(runtimeConfigView, async ({ reply }) => {
    reply.header('cache-control', 'no-store');
    return settings(deps);
  }),
  handle(eventStream, async ({ reply, caller, callerNow }) =>
    reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(deps.hub.open({ caller, callerNow })),
  ),
  handle(healthView, async () => ({ status: 'ok' })),
  handle(readinessView, async ({ reply, log }) => {
    const checks = await answersOf(deps, log);
    const answers = Object.values(checks);
    const isReady = answers.every((answer) => ['ok', 'low'].includes(answer) || isDegraded(answer));
    if (!isReady) reply.status(503);
    const status = answers.some(isDegraded) ? 'degraded' : 'ok';
    return { status: isReady ? status : 'not ready', checks };
  }),
  handle(platformHealthView, async ({ log }) => {
    const checks = Object.entries(await answersOf(deps, log)).map(([name, answer]) => ({ name, answer }));
    return { checks, ...(await unreadableRows(deps.db)) };
  }),
  handle(operationsView, ({ caller }) => deps.operations(caller)),
  handle(installationView, () => installation(deps.db)),
  handle(
    installationUpdate,
    ({ caller, body }) => setInstallation(deps.db, caller, body),
    () => installation(deps.db),
  ),
  metricsHandler(deps),
];

/** Mounts the API description and its page. Both are created on the first request, to keep the start fast. */
export const mountApiDocs = (server: FastifyInstance, described: Described, version: string): void => {
  let document: object | undefined;
  server.get('/openapi.json', (_request, reply) => reply.send((document ??= openApi(described, version))));
  let page: string | undefined;
  server.get('/api/docs', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', documentPolicy)
      .send((page ??= apiPage(described.routes))),
  );
};
