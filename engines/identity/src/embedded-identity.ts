// The embedded identity provider: OpenID Connect on the platform's own origin, with demo people or local users, so that Slipway can be
// evaluated and run without a company directory. Any number of replicas may share the database.
import { createHmac, randomBytes } from 'node:crypto';
import type { JWTPayload, LocalJWKSet } from 'jose';
import type { Pool } from 'pg';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import type { ServiceTokens } from '@slipway/foundation/ports/service-tokens.ts';
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import { isGrantLive } from './access-claims.ts';
import { cookieShape } from './cookies.ts';
import { DemoDoor } from './demo/demo-guard.ts';
import { seedDemoPeople, type TeamsHook } from './demo/demo-people.ts';
import { makeFirstAdministrator, type FirstAdministrator } from './passwords/local-users.ts';
import { Origins } from './origins.ts';
import { endSessionsOf, removeExpired } from './payload-store.ts';
import { AUDIENCE, CLIENT_ID, createProvider } from './provider.ts';
import { IdentityRouter } from './router.ts';
import { serviceTokens } from './service-tokens.ts';
import { newSigningKey, readSigningKey, SIGNING_ALGORITHM, type SigningKey } from './signing-key.ts';

const CLEAN_EVERY_MS = 10 * 60_000;
const newSecret = (): Uint8Array => randomBytes(32);

export interface EmbeddedIdentityOptions {
  /** Not closed by `close()`. */
  readonly pool: Pool;
  /** Returns the key for a purpose, the same for all replicas. Calls `make` if none exists yet. */
  readonly platformKey: (purpose: string, make: () => Uint8Array) => Promise<Uint8Array>;
  /** The origin as browsers see it, e.g. `http://localhost:4000`, without a trailing slash. */
  readonly publicUrl: string;
  readonly isDemo: boolean;
  /** Enables passwords instead of the demo. Without the demo, passwords are always enabled. */
  readonly hasLocalUsers: boolean;
  readonly log: Log;
  /** Returns the teams that the demo page shows with each person. */
  readonly teamsOf?: TeamsHook;
  /** Counts wrong passwords and codes. Tests pass one with their own clock. */
  readonly attempts?: AttemptLimit;
}

interface Parts {
  readonly router: IdentityRouter;
  readonly signingKey: SigningKey;
  readonly door: DemoDoor | undefined;
  readonly administrator: FirstAdministrator | undefined;
}

export class EmbeddedIdentity {
  readonly issuer: string;
  readonly audience = AUDIENCE;
  readonly clientId = CLIENT_ID;
  readonly algorithm = SIGNING_ALGORITHM;
  /** For `jwtVerify`: tokens are verified in process. */
  readonly keySet: LocalJWKSet;
  readonly mount: HttpMount;
  readonly serviceTokens: ServiceTokens;
  readonly #pool: Pool;
  readonly #publicUrl: string;
  readonly #door: DemoDoor | undefined;
  readonly #administrator: FirstAdministrator | undefined;
  readonly #cleaning: NodeJS.Timeout;

  private constructor({ pool, publicUrl, log }: EmbeddedIdentityOptions, issuer: string, parts: Parts) {
    this.issuer = issuer;
    this.keySet = parts.signingKey.keySet;
    this.mount = parts.router.mount;
    this.serviceTokens = serviceTokens(issuer, parts.signingKey.jwk);
    this.#pool = pool;
    this.#publicUrl = publicUrl;
    this.#door = parts.door;
    this.#administrator = parts.administrator;
    const clean = () => removeExpired(pool).catch((error: unknown) => log.warn({ err: error }, 'sign-in: could not remove what expired'));
    this.#cleaning = setInterval(clean, CLEAN_EVERY_MS).unref();
  }

  /** Reads or creates the keys, and adds missing identities: the demo people, or the first administrator. */
  static async open(options: EmbeddedIdentityOptions): Promise<EmbeddedIdentity> {
    const { pool, log, publicUrl, platformKey, teamsOf } = options;
    const signingKey = readSigningKey(await platformKey('oidc-signing', newSigningKey));
    const cookieKey = Buffer.from(await platformKey('oidc-cookies', newSecret)).toString('base64url');
    const cookiePrefix = `slipway_${createHmac('sha256', cookieKey).update('cookie names').digest('hex').slice(0, 8)}`;
    const origins = new Origins(publicUrl);
    const isDemo = options.isDemo && !options.hasLocalUsers;
    const door = isDemo
      ? new DemoDoor(await platformKey('oidc-demo', newSecret), cookieShape(`${cookiePrefix}_demo`, origins.isSecure))
      : undefined;
    if (options.isDemo) await seedDemoPeople(pool);
    const administrator = isDemo ? undefined : await makeFirstAdministrator(pool);
    const provider = createProvider({
      pool,
      log,
      publicUrl,
      origins,
      signingKey: signingKey.jwk,
      cookieKey,
      cookiePrefix,
      method: isDemo ? 'demo' : 'pwd',
    });
    const router = new IdentityRouter(
      { pool, log, provider, origins, door, teamsOf, attempts: options.attempts ?? new AttemptLimit() },
      { pool, origins, issuer: provider.issuer, audience: AUDIENCE, keySet: signingKey.keySet },
    );
    return new EmbeddedIdentity(options, provider.issuer, { router, signingKey, door, administrator });
  }

  /** Returns the code that demo sign-in requires, such as `K7QM-42XD`. Undefined if users have passwords. */
  demoCode(): string | undefined {
    return this.#door?.code;
  }

  /** Returns the link to print at startup. The code is in the fragment, which browsers never send; the console fills it in. */
  demoLink(): string | undefined {
    return this.#door && `${this.#publicUrl}/#code=${this.#door.code}`;
  }

  /** Returns the administrator that this start created, with the password in clear text. Print it: it is not stored anywhere. */
  firstAdministrator(): FirstAdministrator | undefined {
    return this.#administrator;
  }

  /** Returns whether the sign-in behind an access token is still active. */
  async isLive(claims: JWTPayload): Promise<boolean> {
    return isGrantLive(this.#pool, claims['grant_id']);
  }

  async endSessions(identityId: string): Promise<void> {
    await endSessionsOf(this.#pool, identityId);
  }

  close(): void {
    clearInterval(this.#cleaning);
  }
}
