// Identifies the caller of a request by our bearer tokens, or by Basic credentials for tools such as curl. Without either,
// the answer is a challenge that tells the client where to get a token and for which scope.
import type { IncomingMessage } from 'node:http';
import type { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import type { RobotAction, RobotPermission } from '@slipway/foundation/ports/registry.ts';
import { ANONYMOUS, type Accounts, type RegistrySubject } from './accounts.ts';
import { parseRobotUsername, projectOf } from '../grammar.ts';
import { RegistryError } from '../registry-error.ts';
import { SERVICE, type Tokens } from './tokens.ts';

export interface Caller {
  readonly name: string;
  may(repository: string, action: RobotAction): Promise<boolean>;
  /** Checks a robot account's permissions, which are finer than `may`. Always true for other callers. */
  permits(repository: string, permission: RobotPermission): boolean;
  /** Whether blobs may be mounted from the repository. Many clients request no scope on the source, so the account's rights count too. */
  mayMountFrom(repository: string): Promise<boolean>;
}

/** Scope that a client must request for each action. A push includes a pull, because clients check whether a blob already exists. */
const ASKED: Readonly<Record<RobotAction, string>> = { pull: 'pull', push: 'pull,push', delete: 'delete' };

export class Authorization {
  readonly #accounts: Accounts;
  readonly #tokens: Tokens;
  readonly #attempts: AttemptLimit;
  readonly #realm: string;

  constructor(accounts: Accounts, tokens: Tokens, attempts: AttemptLimit, realm: string) {
    this.#accounts = accounts;
    this.#tokens = tokens;
    this.#attempts = attempts;
    this.#realm = realm;
  }

  /** Returns the caller. Throws 401 without valid credentials. `/v2/` itself needs no further rights. */
  async caller(request: IncomingMessage): Promise<Caller> {
    return (await this.#identify(request)) ?? Promise.reject(this.#challenge('authentication required', ''));
  }

  /** Returns the subject of a request without a repository. Throws 401 with the challenge that clients expect of a catalog. */
  async subject(request: IncomingMessage): Promise<RegistrySubject> {
    const basic = basicCredentials(request);
    const subject = basic && (await this.signIn(request, basic.username, basic.password));
    if (subject && subject !== ANONYMOUS) return subject;
    const scope = ',scope="registry:catalog:*"';
    const caller = subject ? undefined : await this.#identify(request, scope);
    if (!caller) throw this.#challenge('authentication required', scope);
    return this.#accounts.named(caller.name);
  }

  /** Returns the caller if it may do this. Throws 401 with a challenge, or 403 for Basic credentials, which no token can extend. */
  async require(request: IncomingMessage, repository: string, action: RobotAction): Promise<Caller> {
    const scope = `,scope="repository:${repository}:${ASKED[action]}"`;
    const caller = await this.#identify(request, scope);
    if (!caller) throw this.#challenge('authentication required', scope);
    if (await caller.may(repository, action)) return caller;
    if (basicCredentials(request)) throw new RegistryError(403, 'DENIED', 'requested access to the resource is denied');
    throw this.#challenge('requested access to the resource is denied', `${scope},error="insufficient_scope"`);
  }

  /** Signs in. Counts wrong credentials and throws 401, or 429 after too many. */
  async signIn(request: IncomingMessage, username: string, password: string): Promise<RegistrySubject> {
    // Counts only failures, after the check: a client may pull many images at once with the right password.
    const attempt = this.#attempts.look(username, request.socket.remoteAddress);
    if (!attempt.isAllowed) {
      const wait = { 'Retry-After': String(attempt.secondsLeft) };
      throw new RegistryError(429, 'TOOMANYREQUESTS', 'too many failed sign-ins, try again later', wait);
    }
    const client = /^[\x21-\x7e]{1,60}/.exec(request.headers['user-agent'] ?? '')?.[0] ?? '';
    const subject = await this.#accounts.signIn(username, password, { address: request.socket.remoteAddress ?? '', client });
    if (!subject) {
      attempt.count();
      throw new RegistryError(401, 'UNAUTHORIZED', 'incorrect user name or password');
    }
    if (subject !== ANONYMOUS) attempt.forgive();
    return subject;
  }

  async #identify(request: IncomingMessage, scope = ''): Promise<Caller | undefined> {
    const basic = basicCredentials(request);
    if (basic) return this.#subjectCaller(await this.signIn(request, basic.username, basic.password));
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!token) return undefined;
    const claims = await this.#tokens.readAccess(token);
    if (!claims) throw this.#challenge('the token is not valid', `${scope},error="invalid_token"`);
    const may = async (repository: string, action: RobotAction): Promise<boolean> =>
      claims.access.some((entry) => entry.repository === repository && entry.actions.includes(action));
    const permits = permitsOf(claims.subject, claims.permissions);
    const mayMountFrom = async (repository: string): Promise<boolean> =>
      permits(repository, 'repository:pull') &&
      ((await may(repository, 'pull')) || this.#allowed(await this.#accounts.named(claims.subject), repository, 'pull'));
    return { name: claims.subject, may, mayMountFrom, permits };
  }

  #subjectCaller(subject: RegistrySubject): Caller | undefined {
    if (subject === ANONYMOUS) return undefined;
    const may = (repository: string, action: RobotAction): Promise<boolean> => this.#allowed(subject, repository, action);
    const permits = permitsOf(subject.name, subject.permissions);
    const mayMountFrom = async (repository: string): Promise<boolean> => permits(repository, 'repository:pull') && may(repository, 'pull');
    return { name: subject.name, may, permits, mayMountFrom };
  }

  async #allowed(subject: RegistrySubject, repository: string, action: RobotAction): Promise<boolean> {
    return (await this.#accounts.allowed(subject, repository, [action])).length > 0;
  }

  #challenge(message: string, parameters: string): RegistryError {
    const code = parameters.includes('insufficient_scope') ? 'DENIED' : 'UNAUTHORIZED';
    const header = `Bearer realm="${this.#realm}",service="${SERVICE}"${parameters}`;
    return new RegistryError(401, code, message, { 'WWW-Authenticate': header });
  }
}

/** Checks a robot account's permissions in its own project only. Elsewhere it may pull public content like any other caller. */
const permitsOf =
  (name: string, permissions: readonly RobotPermission[] | undefined) =>
  (repository: string, permission: RobotPermission): boolean =>
    permissions === undefined || parseRobotUsername(name)?.project !== projectOf(repository) || permissions.includes(permission);

/** Throws 403 if a robot account lacks a permission. There is no challenge, because another token would not help. */
export function requirePermissions(caller: Caller, repository: string, needed: readonly (readonly RobotPermission[])[]): void {
  const missing = needed.find((some) => !some.some((permission) => caller.permits(repository, permission)));
  if (missing) throw new RegistryError(403, 'DENIED', `the robot account lacks the permission ${missing[0] ?? ''}`);
}

export function basicCredentials(request: IncomingMessage): { username: string; password: string } | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!encoded) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
