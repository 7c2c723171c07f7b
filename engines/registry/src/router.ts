// From an address to a route: everything below `/v2/`. Authorization comes before the first look at the data.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { logFailure } from '@slipway/foundation/log-failure.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import { requirePermissions, type Authorization } from './sign-in/authorization.ts';
import { neededPermissions } from './sign-in/permissions.ts';
import { blobRoutes } from './content/blobs.ts';
import { CATALOG_PATH, replyCatalog } from './content/catalog.ts';
import type { RegistryContext, Routes } from './context.ts';
import { isRepository, REPOSITORY_PATTERN } from './grammar.ts';
import { manifestRoutes } from './content/manifests.ts';
import { referrerRoutes } from './content/referrers.ts';
import { asRegistryError, RegistryError } from './registry-error.ts';
import { replyError, replyJson, setSafetyHeaders } from './reply.ts';
import { tagListRoutes } from './content/tag-list.ts';
import type { TokenEndpoint } from './sign-in/token-endpoint.ts';
import { uploadRoutes } from './uploads/uploads.ts';

const PREFIX = '/v2/';
export const TOKEN_PATH = '/v2/token';
const ADDRESS = new RegExp(`^/v2/(${REPOSITORY_PATTERN})/(blobs/uploads|blobs|manifests|tags|referrers)/([^/]*)$`);
/** Longer than any valid address; keeps the pattern away from hostile input. */
const MAX_PATH = 1024;

export class RegistryRouter {
  readonly #context: RegistryContext;
  readonly #authorization: Authorization;
  readonly #tokens: TokenEndpoint;
  readonly #routes: ReadonlyMap<string, Routes>;

  constructor(context: RegistryContext, authorization: Authorization, tokens: TokenEndpoint) {
    this.#context = context;
    this.#authorization = authorization;
    this.#tokens = tokens;
    this.#routes = new Map([
      ['blobs/uploads', uploadRoutes(context)],
      ['blobs', blobRoutes(context)],
      ['manifests', manifestRoutes(context)],
      ['tags', tagListRoutes(context)],
      ['referrers', referrerRoutes(context)],
    ]);
  }

  get mount(): HttpMount {
    return { prefixes: [PREFIX], hasLongBodies: true, handle: (request, response) => void this.#handle(request, response) };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSafetyHeaders(response);
    try {
      await this.#route(request, response);
    } catch (error) {
      this.#fail(request, response, error);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', search = ''] = (request.url ?? '').split('?', 2);
    const query = new URLSearchParams(search);
    if (path === TOKEN_PATH) return this.#tokens.handle(request, response, query);
    if (path === PREFIX || `${path}/` === PREFIX) {
      await this.#authorization.caller(request);
      return replyJson(response, 200, {});
    }
    if (path === CATALOG_PATH && request.method === 'GET') {
      const subject = await this.#authorization.subject(request);
      return replyCatalog(this.#context, { subject, query, response });
    }
    const [, repository, kind, last] = (path.length <= MAX_PATH && ADDRESS.exec(path)) || [];
    if (!repository || !kind || last === undefined) throw new RegistryError(404, 'NAME_INVALID', 'no such address');
    if (!isRepository(repository)) throw new RegistryError(400, 'NAME_INVALID', 'not a repository name');
    const routes = this.#routes.get(kind) ?? {};
    const route = Object.hasOwn(routes, request.method ?? '') ? routes[request.method ?? ''] : undefined;
    if (!route) throw new RegistryError(405, 'UNSUPPORTED', 'method not allowed here', { Allow: Object.keys(routes).join(', ') });
    const caller = await this.#authorization.require(request, repository, route.action);
    const reference = decode(last);
    requirePermissions(caller, repository, neededPermissions({ method: request.method ?? '', kind, reference, query }));
    await route.run({ request, response, query, repository, reference, caller });
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const { log } = this.#context;
    // The client went away, or was cut off: there is nobody to answer.
    if (request.destroyed && !request.complete) return log.debug({ err: error, url: request.url }, 'registry: request broken off');
    const known = asRegistryError(error);
    if (!known || known.status >= 500) logFailure(log, error, { method: request.method, url: request.url }, 'registry: request failed');
    if (response.headersSent) return void response.destroy();
    replyError(response, known ?? new RegistryError(500, 'UNKNOWN', 'internal error'));
  }
}

/** Clients may write a digest's colon as %3A. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RegistryError(400, 'NAME_INVALID', 'the address is not well-formed');
  }
}
