/**
 * Tokens at the edge. A client sends a token that the sign-in authority issued for one service. The edge replaces it with a JWT that it
 * signs itself, so no service ever holds a token that another service would accept.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { importJWK, jwtVerify, SignJWT, type CryptoKey, type JSONWebKeySet, type JWK, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { subjectOf } from '@slipway/foundation/sign-in/token-subject.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';

/** Trusted issuer of tokens, as the platform itself verifies them. */
export interface EdgeAuthority {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  /** The platform's own audience. A token with this audience is rejected for services, even if it names others too. */
  readonly platformAudience: string;
}
export interface EdgeTokensOptions {
  readonly authority: EdgeAuthority;
  /** From `newClaimsKey`, the same for all replicas. */
  readonly claimsKey: Uint8Array;
  /** Issuer of the claims: the platform's public URL. */
  readonly issuer: string;
}
export interface VerifiedToken {
  readonly user: string;
  readonly payload: JWTPayload;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Asymmetric only: if HS256 were allowed, a public key could be used as a secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;
const CLAIMS_ALGORITHM = 'ES256';
/** Lifetime of signed claims: enough for a service to pass them on within one request. */
export const CLAIMS_MS = 5 * 60_000;
export const CLAIMS_KEYS_PATH = '/.well-known/slipway-edge.json';

/** Generates a private JWK as JSON, for the platform's key store. */
export const newClaimsKey = (): Uint8Array => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return Buffer.from(JSON.stringify(privateKey.export({ format: 'jwk' })));
};

export class EdgeTokens {
  #authority: EdgeAuthority;
  #issuer: string;
  #kid: string;
  #key: CryptoKey;
  /** Public keys with which services verify the claims. */
  readonly keySet: JSONWebKeySet;
  /** Serves the key set under `CLAIMS_KEYS_PATH`. */
  readonly mount: HttpMount;

  private constructor(options: EdgeTokensOptions, key: CryptoKey, open: JWK & { kty: string; kid: string }) {
    this.#authority = options.authority;
    this.#issuer = options.issuer;
    this.#key = key;
    this.#kid = open.kid;
    this.keySet = { keys: [open] };
    this.mount = keySetMount(JSON.stringify(this.keySet));
  }

  static async open(options: EdgeTokensOptions): Promise<EdgeTokens> {
    const { d, kty, crv, x, y } = JSON.parse(Buffer.from(options.claimsKey).toString()) as Required<
      Pick<JWK, 'd' | 'kty' | 'crv' | 'x' | 'y'>
    >;
    const kid = createHash('sha256').update(`${x}.${y}`).digest('base64url').slice(0, 16);
    const open = { kty, crv, x, y, kid, alg: CLAIMS_ALGORITHM, use: 'sig' };
    return new EdgeTokens(options, (await importJWK({ ...open, d })) as CryptoKey, open);
  }

  /** Switches to another server's keys for the same authority. Verified tokens stay valid. */
  become(other: EdgeTokens): void {
    this.#authority = other.#authority;
    this.#issuer = other.#issuer;
    this.#kid = other.#kid;
    this.#key = other.#key;
  }

  /** Throws jose's errors if the token is invalid or the authority's keys cannot be read. */
  async verify(token: string, audience: string): Promise<VerifiedToken> {
    const { issuer, keys, platformAudience } = this.#authority;
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp'],
    });
    if ([payload.aud].flat().includes(platformAudience)) throw new UnfitToken('The token is for the platform, too.');
    const user = subjectOf(payload);
    if (user === undefined || user === '') throw new UnfitToken('The token names nobody.');
    return { user, payload, expiresAt: payload.exp! * 1000 };
  }

  /** Signs the caller's claims for one service. `until` is the time from which newer claims should be signed. */
  async sign({ payload, user }: VerifiedToken, audience: string): Promise<{ claims: string; until: number }> {
    const now = Date.now();
    const { iss, jti: _id, nbf: _from, ...rest } = payload;
    const claims = await new SignJWT({ ...rest, token_issuer: iss, user })
      .setProtectedHeader({ alg: CLAIMS_ALGORITHM, kid: this.#kid, typ: 'JWT' })
      .setIssuer(this.#issuer)
      .setAudience(audience)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(now + CLAIMS_MS))
      .sign(this.#key);
    return { claims, until: now + CLAIMS_MS / 2 };
  }
}

/** The token's signature is valid, but the token may not be used for services. */
export class UnfitToken extends Error {}

const keySetMount = (keySet: string): HttpMount => ({
  prefixes: [`${CLAIMS_KEYS_PATH}/`],
  handle(request: IncomingMessage, response: ServerResponse) {
    request.resume();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.writeHead(isRead ? 200 : 405, {
      'content-type': 'application/jwk-set+json',
      // Public, so web pages may read it too.
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      ...(isRead ? {} : { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'GET' ? keySet : undefined);
  },
});
