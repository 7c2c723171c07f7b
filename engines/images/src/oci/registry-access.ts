/** Says who asks: turns a registry's 401 challenge into the Authorization header of the next try, and keeps it while it is good. */
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { RobotAction } from '@slipway/foundation/ports/registry.ts';
import { z } from 'zod';

export interface Credentials {
  readonly username: string;
  readonly secret: string;
}
/** Gives a bearer token for one repository, e.g. the registry port's `accessToken`. */
export type Authorize = (repository: string, actions: readonly RobotAction[]) => Promise<string>;
export interface Scope {
  readonly repository: string;
  readonly actions: readonly RobotAction[];
  /** A second repository to read from, for a cross-repository mount. */
  readonly mountFrom?: string;
}
export interface AccessOptions {
  readonly baseUrl: string;
  readonly authorize?: Authorize;
  readonly credentials?: Credentials;
  /** Origins besides the registry's own that may be asked for a token, e.g. `https://auth.docker.io`. */
  readonly tokenOrigins?: readonly string[];
}

const TokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional(), expires_in: z.number().optional() });

// The distribution specification's floor for a token's life.
const SHORTEST_TOKEN_MS = 60_000;
const TOKEN_MARGIN_MS = 10_000;
const TOKEN_TIMEOUT_MS = 10_000;

const scopeKey = (scope: Scope): string => [scope.repository, scope.actions.join(','), scope.mountFrom ?? ''].join(' ');

const scopeValues = (scope: Scope): string[] => [
  `repository:${scope.repository}:${scope.actions.join(',')}`,
  ...(scope.mountFrom === undefined ? [] : [`repository:${scope.mountFrom}:pull`]),
];

const challengeParts = (challenge: string): Record<string, string> =>
  Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name?.toLowerCase() ?? '', value ?? '']));

export class RegistryAccess {
  readonly #options: AccessOptions;
  readonly #headers = new Map<string, { readonly value: string; readonly until: number }>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** The header for a first try; undefined where nothing is known yet and the registry has to be asked how. */
  async header(scope: Scope): Promise<string | undefined> {
    const known = this.#headers.get(scopeKey(scope));
    if (known !== undefined && known.until > Date.now()) return known.value;
    if (this.#options.authorize === undefined) return undefined;
    const token = await this.#options.authorize(scope.repository, scope.actions);
    return this.#keep(scope, `Bearer ${token}`, SHORTEST_TOKEN_MS);
  }

  /** The header for the second try after a 401; undefined where a second try would be the same as the first. */
  async answer(scope: Scope, challenge: string): Promise<string | undefined> {
    const hadHeader = this.#headers.delete(scopeKey(scope));
    if (this.#options.authorize !== undefined) return hadHeader ? this.header(scope) : undefined;
    const { credentials } = this.#options;
    if (/^basic/i.test(challenge)) return credentials && this.#keep(scope, this.#basic(credentials), Number.POSITIVE_INFINITY);
    if (!/^bearer/i.test(challenge)) return undefined;
    const { token, lifeMs } = await this.#fetchToken(scope, challengeParts(challenge));
    return this.#keep(scope, `Bearer ${token}`, lifeMs);
  }

  #keep(scope: Scope, value: string, lifeMs: number): string {
    this.#headers.set(scopeKey(scope), { value, until: Date.now() + lifeMs - TOKEN_MARGIN_MS });
    return value;
  }

  #basic({ username, secret }: Credentials): string {
    return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  }

  async #fetchToken(scope: Scope, { realm = '', service }: Record<string, string>): Promise<{ token: string; lifeMs: number }> {
    const url = this.#realmUrl(realm);
    if (service !== undefined) url.searchParams.set('service', service);
    for (const value of scopeValues(scope)) url.searchParams.append('scope', value);
    const { credentials } = this.#options;
    const response = await fetch(url, {
      headers: credentials === undefined ? {} : { authorization: this.#basic(credentials) },
      redirect: 'error',
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new PortFailure('unavailable', 'the registry gives no token', { cause });
    });
    if (!response.ok) {
      const kind = response.status >= 500 || response.status === 429 ? 'unavailable' : 'rejected';
      throw new PortFailure(kind, `the registry answers ${response.status} to the token request`, { code: 'RegistryDenied' });
    }
    const answer = TokenAnswer.safeParse(await response.json().catch(() => undefined));
    const token = answer.data?.token ?? answer.data?.access_token;
    if (token === undefined) throw new PortFailure('unavailable', 'the registry answers a token request without a token');
    return { token, lifeMs: Math.max((answer.data?.expires_in ?? 0) * 1000, SHORTEST_TOKEN_MS) };
  }

  /** A registry that sends clients elsewhere for a token would be given the credentials there: only to origins that were named. */
  #realmUrl(realm: string): URL {
    const allowed = [new URL(this.#options.baseUrl).origin, ...(this.#options.tokenOrigins ?? [])];
    if (!URL.canParse(realm) || !allowed.includes(new URL(realm).origin)) {
      throw new PortFailure('rejected', `the registry names a token address that is not configured: ${realm}`, { code: 'RegistryDenied' });
    }
    return new URL(realm);
  }
}
