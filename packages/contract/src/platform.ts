/** The console's settings, live changes, and the platform's own state. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';

export const bannerTypes = ['info', 'warning', 'error'] as const;
export const Link = z.object({ label: z.string(), url: z.string() });
export const Banner = z.object({
  id: z.string(),
  enabled: z.boolean(),
  type: z.enum(bannerTypes),
  header: z.string(),
  icon: z.nullable(z.string()),
  message: z.string(),
  ctas: z.array(Link),
});
export type Banner = z.infer<typeof Banner>;

export const RuntimeConfig = z.object({
  apiUrl: z.string(),
  teamServiceUrl: z.string(),
  authority: z.string(),
  clientId: z.string(),
  audience: z.string(),
  /** True if the authority binds sign-ins to a key of the browser (DPoP, RFC 9449). */
  isKeyBound: z.boolean(),
  banners: z.array(Banner),
  footer: z.object({ company: z.string(), links: z.array(Link) }),
  supportUrl: z.string(),
  feedbackUrl: z.nullable(z.string()),
  /** Script of the feedback widget, or null without one. */
  feedbackScriptUrl: z.nullable(z.string()),
  /** Session analytics tool, or null if no project is configured. */
  analytics: z.nullable(z.object({ scriptUrl: z.string(), projectId: z.string() })),
  /** Host of the company portal, or null without one. */
  portalUrl: z.nullable(z.string()),
  gitUrl: z.string(),
  registryHost: z.string(),
  /** The URL of a future service; the console fills in `{service}`, `{app}` and `{env}`. */
  serviceUrl: z.string(),
  /** Client key of the console's own feature flags. Null: the console uses its defaults. */
  flagsClientKey: z.nullable(z.string()),
  mode: z.enum(['development', 'production']),
  /** Browser monitor that watches the console itself. Null if no key and name are set. */
  monitoring: z.nullable(z.object({ url: z.string(), apiKey: z.string(), name: z.string(), version: z.string(), environment: z.string() })),
  /** Null: the platform records no traces. `url` is a trace's page, with `{traceId}` as a placeholder. Null: there is no such page. */
  tracing: z.nullable(z.object({ url: z.nullable(z.string()) })),
});
export type RuntimeConfig = z.infer<typeof RuntimeConfig>;

const tag = 'Platform';
const route = routesIn({ tag, access: 'public' });
export const runtimeConfigView = route('runtimeConfigView', 'GET /runtime-config.json', {
  summary: "The console's settings",
  response: RuntimeConfig,
  codes: [],
});
export const eventStream = route('eventStream', 'GET /api/v1/events', {
  summary: 'Live changes as server-sent events',
  description:
    'An event names the resource that changed and contains no data: read it with GET. After `resync`, read everything that you show.',
  access: 'signedIn',
  stream: 'events',
  codes: [],
});
export const healthView = route('healthView', 'GET /healthz', {
  summary: 'The process is alive',
  response: z.object({ status: z.string() }),
  codes: [],
});
export const readinessView = route('readinessView', 'GET /readyz', {
  summary: 'The replica can serve: database, pipelines, engines',
  response: z.object({ status: z.string(), checks: z.record(z.string(), z.string()) }),
  codes: ['EngineUnavailable'],
});
export const UnreadableRow = z.object({
  /** Kind of the row's subject: `revision`. */
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  /** The part of the server that skipped the row. */
  reader: z.string(),
  detail: z.string(),
  foundAt: Instant,
});
export type UnreadableRow = z.infer<typeof UnreadableRow>;
export const PlatformHealth = z.object({
  /** Same results as `/readyz`. */
  checks: z.array(z.object({ name: z.string(), answer: z.string() })),
  /** The newest rows that the server skips because it cannot read them. */
  unreadable: z.array(UnreadableRow),
  unreadableTotal: z.number(),
});
export type PlatformHealth = z.infer<typeof PlatformHealth>;
export const platformHealthView = route('platformHealthView', 'GET /api/v1/platform/health', {
  summary: 'What is wrong with the platform itself, for its operators',
  access: 'administrator',
  response: PlatformHealth,
  codes: ['NotAnAdministrator'],
});
export const metricsView = route('metricsView', 'GET /metrics', {
  summary: 'Prometheus metrics of this replica',
  stream: 'text',
  codes: [],
});
