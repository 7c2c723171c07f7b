// `/v2/token` exchanges credentials for a short-lived access token. It accepts GET with Basic credentials, which every client sends, and
// the OAuth 2 form (POST) with a password, which containerd tries first. It issues no refresh tokens. Docker would store one as an
// "identity token" in place of the password. Then skopeo, podman and buildah, which share docker's file, would refuse to log in.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RobotAction } from '@slipway/foundation/ports/registry.ts';
import type { Accounts, RegistrySubject } from './accounts.ts';
import { basicCredentials, type Authorization } from './authorization.ts';
import { isRepository } from '../grammar.ts';
import { RegistryError } from '../registry-error.ts';
import { replyJson } from '../reply.ts';
import { readBody } from '../request-body.ts';
import { ACCESS_SECONDS, type Access, type Tokens } from './tokens.ts';

const MAX_FORM_BYTES = 64 * 1024;
const FORM_IDLE_MS = 10_000;
/** Largest number of repositories in a token. More would make the header of the next request too long. */
const MAX_SCOPES = 20;
const ALL: readonly RobotAction[] = ['pull', 'push', 'delete'];

export class TokenEndpoint {
  readonly #accounts: Accounts;
  readonly #authorization: Authorization;
  readonly #tokens: Tokens;
  readonly #now: () => Date;

  constructor(accounts: Accounts, authorization: Authorization, tokens: Tokens, now: () => Date) {
    this.#accounts = accounts;
    this.#authorization = authorization;
    this.#tokens = tokens;
    this.#now = now;
  }

  async handle(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'POST') {
      throw new RegistryError(405, 'UNSUPPORTED', 'GET or POST', { Allow: 'GET, POST' });
    }
    const form = request.method === 'POST' ? await readForm(request) : undefined;
    const subject = await this.#subject(request, form);
    const access = await this.#access(subject, (form ?? query).getAll('scope'));
    const token = await this.#tokens.signAccess(subject.name, access, subject.permissions);
    const body = { token, access_token: token, expires_in: ACCESS_SECONDS, issued_at: this.#now().toISOString() };
    replyJson(response, 200, body, { 'Cache-Control': 'no-store' });
  }

  async #subject(request: IncomingMessage, form: URLSearchParams | undefined): Promise<RegistrySubject> {
    if (form?.get('grant_type') === 'refresh_token') {
      throw new RegistryError(401, 'UNAUTHORIZED', 'no refresh tokens are given here; log out and in again');
    }
    const fromForm = { username: form?.get('username') ?? '', password: form?.get('password') ?? '' };
    const { username, password } = basicCredentials(request) ?? fromForm;
    return this.#authorization.signIn(request, username, password);
  }

  /** Grants only the allowed actions. The client learns about missing ones from its next call, never here. */
  async #access(subject: RegistrySubject, scopes: readonly string[]): Promise<Access[]> {
    const access: Access[] = [];
    for (const scope of scopes.flatMap((text) => text.split(' ')).slice(0, MAX_SCOPES)) {
      const wanted = parseScope(scope);
      if (!wanted) continue;
      const actions = await this.#accounts.allowed(subject, wanted.repository, wanted.actions);
      access.push({ repository: wanted.repository, actions });
    }
    return access;
  }
}

/** `repository:shop/hello:pull,push`, read from both ends: a name may hold a host with a port. */
export function parseScope(scope: string): Access | undefined {
  const first = scope.indexOf(':');
  const last = scope.lastIndexOf(':');
  const repository = scope.slice(first + 1, last);
  // `repository(plugin)` is the older form with a class.
  if (first === last || !/^repository(\([^)]*\))?$/.test(scope.slice(0, first)) || !isRepository(repository)) return undefined;
  const asked = scope.slice(last + 1).split(',');
  return { repository, actions: ALL.filter((action) => asked.includes(action) || asked.includes('*')) };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams((await readBody(request, MAX_FORM_BYTES, FORM_IDLE_MS)).toString());
}
