/**
 * The HTTP side of the source host: routes, authentication and headers around git's services. Supports only the smart protocol; no file of
 * a repository can be fetched by its path.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, pipeline as join } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { logFailure } from '@slipway/foundation/log-failure.ts';
import { isNoSpace } from '@slipway/foundation/no-space.ts';
import { isDatabaseOutage } from '@slipway/foundation/database-outage.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import type { RepositoryRef } from '@slipway/foundation/ports/source.ts';
import type { Gate } from './gate.ts';
import type { GitService, PushObserver, Service } from './git-service.ts';
import { isLfsPath, lfsContentType, lfsRefusal } from './lfs.ts';
import { ProtocolError } from './pkt-line.ts';
import { parseGitRoute } from './repository-path.ts';
import type { GitRoute } from './repository-path.ts';

/** A user of the source host, as authenticated by the composition root. */
export interface GitUser {
  readonly id: string;
  readonly displayName: string;
}

export type Authenticate = (
  username: string,
  password: string,
  ref: RepositoryRef,
  access: 'read' | 'write',
) => Promise<GitUser | 'unauthenticated' | 'forbidden' | 'notFound'>;

export interface GitHttpOptions {
  readonly authenticate: Authenticate;
  /** Returns the repository's directory, or undefined if it does not exist. */
  readonly locate: (ref: RepositoryRef) => Promise<string | undefined>;
  readonly service: GitService;
  readonly observe: (ref: RepositoryRef, gitDir: string, user: GitUser) => PushObserver;
  readonly gate: Gate;
  /** Size limit of a decompressed request body, in bytes. */
  readonly maxBodyBytes: number;
  readonly log: Log;
}

/** A response from this server rather than git. Git prints plain text to its user. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  get body(): string {
    return `${this.message}\n`;
  }
}

/** The LFS client treats 501 as final. */
class LfsRefusal extends Refusal {
  constructor() {
    super(501, lfsRefusal, { 'content-type': lfsContentType });
  }

  override get body(): string {
    return JSON.stringify({ message: this.message });
  }
}

const idleMs = 5 * 60_000;
const diskFull = (): Refusal => new Refusal(507, 'The disk of the platform is full. Tell your operators, and push again.');
const notFound = (): Refusal => new Refusal(404, 'There is no such repository, or you may not see it.');
const challenge = (): Refusal =>
  new Refusal(401, 'Sign in with any user name and, as the password, an API token of scope git.', {
    'www-authenticate': 'Basic realm="Slipway", charset="UTF-8"',
  });

function credentials(header: string | undefined): { username: string; password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof ProtocolError) return new Refusal(400, error.message);
  if (isDatabaseOutage(error)) return new Refusal(503, 'The database does not answer. Try again in a moment.', { 'retry-after': '2' });
  return isNoSpace(error) ? diskFull() : undefined;
}

interface GitCall {
  readonly route: GitRoute;
  readonly service: Service;
  readonly isAdvertising: boolean;
}

/** Parses a request by its method, path and content type alone. */
function readCall(request: IncomingMessage): GitCall {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (isLfsPath(path)) throw new LfsRefusal();
  const route = parseGitRoute(path);
  if (route === undefined) throw notFound();
  const isAdvertising = route.action === 'info/refs';
  const method = isAdvertising ? 'GET' : 'POST';
  if (request.method !== method) throw new Refusal(405, 'This address does not take that method.', { allow: method });
  const service = route.action === 'info/refs' ? new URLSearchParams(query).get('service') : route.action;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
    throw new Refusal(403, 'Only the smart HTTP protocol is spoken here.');
  // Prevents CSRF: a web page cannot send this type to another origin without a preflight.
  if (!isAdvertising && request.headers['content-type'] !== `application/x-${service}-request`) {
    throw new Refusal(415, `The content type must be application/x-${service}-request.`);
  }
  return { route, service, isAdvertising };
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Refusal(413, 'The request is too large.', { connection: 'close' });
    yield chunk;
  }
}

function bodyOf(request: IncomingMessage, maxBytes: number): AsyncIterable<Uint8Array> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return limited(request, maxBytes);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new Refusal(415, 'The content encoding must be gzip or none.');
  // The reader of the stream gets its errors.
  return limited(
    join(request, createGunzip(), () => undefined),
    maxBytes,
  );
}

async function* following(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

export class GitHttp implements HttpMount {
  readonly prefixes = ['/git/'];
  readonly hasLongBodies = true;
  readonly #options: GitHttpOptions;

  constructor(options: GitHttpOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#serve(request, response).catch((error: unknown) => this.#fail(error, request, response));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', "sandbox; default-src 'none'");
    response.setHeader('cache-control', 'no-cache, no-store, max-age=0, must-revalidate');
    const call = readCall(request);
    const user = await this.#user(request, call);
    const gitDir = await this.#options.locate(call.route.ref);
    if (gitDir === undefined) throw notFound();
    const leave = await this.#options.gate.enter();
    if (leave === undefined) throw new Refusal(503, 'The source host is busy. Try again in a moment.', { 'retry-after': '5' });
    try {
      // Without a listener, Node closes the connection on timeout.
      request.socket.setTimeout(idleMs);
      await this.#answer(request, response, call, gitDir, user);
    } finally {
      leave();
    }
  }

  async #user(request: IncomingMessage, { route, service }: GitCall): Promise<GitUser> {
    const given = credentials(request.headers.authorization);
    if (given === undefined) throw challenge();
    const access = service === 'git-receive-pack' ? 'write' : 'read';
    const user = await this.#options.authenticate(given.username, given.password, route.ref, access);
    if (user === 'unauthenticated') throw challenge();
    if (user === 'notFound') throw notFound();
    if (user === 'forbidden')
      throw new Refusal(403, access === 'write' ? 'You may not push to this repository.' : 'You may not read this repository.');
    return user;
  }

  async #answer(request: IncomingMessage, response: ServerResponse, call: GitCall, gitDir: string, user: GitUser): Promise<void> {
    const { service, maxBodyBytes, observe } = this.#options;
    const protocol = String(request.headers['git-protocol'] ?? '');
    response.setHeader('content-type', `application/x-${call.service}-${call.isAdvertising ? 'advertisement' : 'result'}`);
    const chunks = call.isAdvertising
      ? service.advertise(gitDir, call.service, protocol)
      : call.service === 'git-upload-pack'
        ? service.fetch(gitDir, bodyOf(request, maxBodyBytes), protocol)
        : service.push(gitDir, bodyOf(request, maxBodyBytes), observe(call.route.ref, gitDir, user));
    // Errors before the first byte can still get their own status.
    const first = await chunks.next();
    if (first.done === true) response.end();
    else await pipeline(Readable.from(following(first.value, chunks), { objectMode: false }), response);
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOf(error);
    const isGone = request.socket.destroyed;
    if ((refusal === undefined || refusal.status >= 500) && !(refusal instanceof LfsRefusal) && !isGone)
      logFailure(this.#options.log, error, { path: request.url?.split('?')[0] }, 'git request failed');
    if (response.headersSent || isGone) {
      response.destroy();
      return;
    }
    response.writeHead(refusal?.status ?? 500, { 'content-type': 'text/plain; charset=utf-8', ...refusal?.headers });
    response.end(refusal?.body ?? 'The source host failed.\n');
  }
}
