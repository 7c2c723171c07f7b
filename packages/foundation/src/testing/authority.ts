/** A sign-in authority without a browser: it has its own keys and signs any tokens, good ones and broken ones. */
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from 'jose';

const ISSUER = 'https://sign-in.test/slipway';
const AUDIENCE = 'urn:slipway:api';

export interface Claims {
  /** As jose's `setExpirationTime` takes it. */
  readonly expiresAt?: string;
  readonly audience?: string | string[];
  readonly issuer?: string;
  readonly subject?: string;
  readonly name?: string;
  readonly email?: string;
}
export interface TestAuthority {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
  readonly privateKey: JWK & { readonly kid: string };
  token(claims: Claims): Promise<string>;
  /** A token without a signature (`alg: none`). */
  unsigned(subject: string): string;
  /** A token in the authority's name, signed with another key. */
  forged(claims: Claims): Promise<string>;
}

export const testAuthority = async (): Promise<TestAuthority> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const sign = (key: Parameters<SignJWT['sign']>[0], claims: Claims): Promise<string> =>
    new SignJWT({ name: claims.name ?? claims.subject, ...(claims.email === undefined ? {} : { email: claims.email }) })
      .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
      .setSubject(claims.subject ?? 'mats')
      .setIssuer(claims.issuer ?? ISSUER)
      .setAudience(claims.audience ?? AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(claims.expiresAt ?? '1h')
      .sign(key);
  return {
    issuer: ISSUER,
    audience: AUDIENCE,
    keys: createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'test' }] }),
    privateKey: { ...(await exportJWK(privateKey)), kid: 'test' },
    token: (claims) => sign(privateKey, claims),
    unsigned: (subject) =>
      new UnsecuredJWT({}).setSubject(subject).setIssuer(ISSUER).setAudience(AUDIENCE).setExpirationTime('1h').encode(),
    forged: async (claims) => sign((await generateKeyPair('ES256')).privateKey, claims),
  };
};
