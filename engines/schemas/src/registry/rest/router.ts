/** Routes everything below `/schema-registry/{environment}/`. Authenticates callers before it reads anything else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import { logFailure } from '@slipway/foundation/log-failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import { asRegistryError, RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { callerOf, requireWriter, type RegistrySignIn } from './caller.ts';
import { compatibilityRoutes } from './compatibility.ts';
import { Exchange } from './exchange.ts';
import { matches, type Route } from './route.ts';
import { schemaRoutes } from './schemas.ts';
import { settingRoutes } from './settings.ts';
import { subjectRoutes } from './subjects.ts';

export const PREFIX = '/schema-registry/';
/** Fits a subject of maximum length, with each character encoded as `%XX%XX%XX`. */
const MOST_ADDRESS = 8 * 1024;

const routes: readonly Route[] = [
  { method: 'GET', path: '/', run: async () => ({}) },
  ...subjectRoutes,
  ...compatibilityRoutes,
  ...settingRoutes,
  ...schemaRoutes,
];

export interface RouterOptions {
  readonly store: RegistryStore;
  readonly signIn: RegistrySignIn;
  readonly log: Log;
}

export class RegistryRouter {
  readonly #options: RouterOptions;
  readonly #attempts = new AttemptLimit();

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  get mount(): HttpMount {
    return { prefixes: [PREFIX], handle: (request, response) => void this.#handle(request, response) };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // User content is served from the platform's own origin, so browsers must not run or sniff it.
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
    response.setHeader('Cache-Control', 'no-store');
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const exchange = new Exchange(request, response, new URLSearchParams(search));
    try {
      await this.#route(path, exchange);
    } catch (error) {
      this.#fail(exchange, response, error);
    }
  }

  async #route(path: string, exchange: Exchange): Promise<void> {
    const { store, signIn } = this.#options;
    const { environment, segments } = placeOf(path);
    const caller = await callerOf(exchange.request, environment, signIn, this.#attempts);
    exchange.negotiate();
    const { route, names } = found(exchange.request.method ?? '', segments);
    if (route.isWrite) requireWriter(caller);
    const body = await route.run({ exchange, environment, store, names });
    if (body !== undefined) exchange.reply(200, body);
  }

  #fail(exchange: Exchange, response: ServerResponse, error: unknown): void {
    const { request } = exchange;
    const { log } = this.#options;
    // The client disconnected or was cut off, so there is nobody to answer.
    if (request.destroyed && !request.complete) return log.debug({ err: error, url: request.url }, 'schema registry: request broken off');
    const known = asRegistryError(error);
    if (!known || known.status >= 500)
      logFailure(log, error, { method: request.method, url: request.url }, 'schema registry: request failed');
    if (response.headersSent) return void response.destroy();
    const { status, code, message, headers } = known ?? new RegistryError(500, 50001, 'Internal error');
    exchange.reply(status, { error_code: code, message }, headers);
  }
}

const missing = (): RegistryError => new RegistryError(404, 404, 'HTTP 404 Not Found');

const placeOf = (path: string): { environment: Environment; segments: readonly string[] } => {
  if (path.length > MOST_ADDRESS) throw new RegistryError(414, 414, 'The address is too long');
  const [name = '', ...segments] = path.slice(PREFIX.length).replace(/\/$/, '').split('/');
  const environment = environments.find((one) => one === name);
  if (!environment) throw new RegistryError(404, 404, `There is a registry for each of ${environments.join(', ')}`);
  return { environment, segments: segments.length === 0 ? [''] : segments.map(decode) };
};

const found = (method: string, segments: readonly string[]): { route: Route; names: readonly string[] } => {
  const fitting = routes.flatMap((route) => {
    const names = matches(route.path, segments);
    return names ? [{ route, names }] : [];
  });
  if (fitting.length === 0) throw missing();
  const one = fitting.find(({ route }) => route.method === method);
  if (!one)
    throw new RegistryError(405, 405, 'HTTP 405 Method Not Allowed', { Allow: fitting.map(({ route }) => route.method).join(', ') });
  return one;
};

/** Decodes a path segment. Subjects may contain encoded slashes. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RegistryError(400, 400, 'The address is not well-formed');
  }
};
