/** The console's settings, live changes, and the platform's own state. */
import * as z from 'zod/mini';
import { Instant } from './kernel/fields.ts';
import { route } from './kernel/kernel.ts';

export const Link = z.object({ label: z.string(), url: z.string() });
export const Banner = z.object({
  id: z.string(),
  enabled: z.boolean(),
  type: z.enum(['info', 'warning', 'error']),
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
  gitUrl: z.string(),
  registryHost: z.string(),
  /** The URL of a future service; the console fills in `{service}`, `{app}` and `{env}`. */
  serviceUrl: z.string(),
  mode: z.enum(['development', 'production']),
  /** Browser monitor that watches the console itself. Null if no key and name are set. */
  monitoring: z.nullable(z.object({ url: z.string(), apiKey: z.string(), name: z.string(), version: z.string(), environment: z.string() })),
});
export type RuntimeConfig = z.infer<typeof RuntimeConfig>;

const tag = 'Platform';
export const runtimeConfigView = route({
  id: 'runtimeConfigView',
  method: 'GET',
  path: '/runtime-config.json',
  summary: "The console's settings",
  tag,
  access: 'public',
  response: RuntimeConfig,
  codes: [],
});
export const eventStream = route({
  id: 'eventStream',
  method: 'GET',
  path: '/api/v1/events',
  summary: 'Live changes as server-sent events',
  description:
    'An event names the resource that changed and contains no data: read it with GET. After `resync`, read everything that you show.',
  tag,
  access: 'signedIn',
  stream: 'events',
  codes: [],
});
export const healthView = route({
  id: 'healthView',
  method: 'GET',
  path: '/healthz',
  summary: 'The process is alive',
  tag,
  access: 'public',
  response: z.object({ status: z.string() }),
  codes: [],
});
export const readinessView = route({
  id: 'readinessView',
  method: 'GET',
  path: '/readyz',
  summary: 'The replica can serve: database, pipelines, engines',
  tag,
  access: 'public',
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
export const platformHealthView = route({
  id: 'platformHealthView',
  method: 'GET',
  path: '/api/v1/platform/health',
  summary: 'What is wrong with the platform itself, for its operators',
  tag,
  access: 'administrator',
  response: PlatformHealth,
  codes: ['NotAnAdministrator'],
});
export const metricsView = route({
  id: 'metricsView',
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus metrics of this replica',
  tag,
  access: 'public',
  stream: 'text',
  codes: [],
});
