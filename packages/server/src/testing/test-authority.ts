/** A sign-in authority without a browser: keys of its own, and tokens for the cast, good ones and broken ones. */
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JSONWebKeySet } from 'jose';
import { serviceTokens } from '#adapters/identity-embedded/service-tokens.ts';
import type { Adapters } from '#app.ts';
import { people, type Actor } from './actors.ts';

const ISSUER = 'https://sign-in.test/slipway';
const AUDIENCE = 'urn:slipway:api';

export interface Claims {
  /** As jose's `setExpirationTime` takes it. */
  readonly expiresAt?: string;
  readonly audience?: string | string[];
  readonly issuer?: string;
  /** Somebody that the platform has not seen before. */
  readonly subject?: string;
  readonly name?: string;
  readonly email?: string;
}
export interface TestSignIn {
  readonly adapter: Adapters['signIn'];
  /** As an authority publishes them. */
  readonly publicKeys: JSONWebKeySet;
  token(actor: Actor, claims?: Claims): Promise<string>;
  /** A token that nobody signed (`alg: none`). */
  unsigned(actor: Actor): string;
  /** A token in the authority's name, signed with a key that it does not have. */
  forged(actor: Actor): Promise<string>;
}

export const testSignIn = async (): Promise<TestSignIn> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'test' }] });
  const sign = (key: Parameters<SignJWT['sign']>[0], actor: Actor, claims: Claims): Promise<string> =>
    new SignJWT({ name: claims.name ?? people[actor].name, ...(claims.email === undefined ? {} : { email: claims.email }) })
      .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
      .setSubject(claims.subject ?? people[actor].id)
      .setIssuer(claims.issuer ?? ISSUER)
      .setAudience(claims.audience ?? AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(claims.expiresAt ?? '1h')
      .sign(key);
  return {
    publicKeys: keys.jwks(),
    adapter: {
      authority: ISSUER,
      clientId: 'slipway-console',
      audience: AUDIENCE,
      issuer: ISSUER,
      keys,
      provider: 'AZURE_AD',
      isKeyBound: false,
      // As the embedded provider makes them.
      serviceTokens: serviceTokens(ISSUER, { ...(await exportJWK(privateKey)), kid: 'test' }),
    },
    token: (actor, claims = {}) => sign(privateKey, actor, claims),
    unsigned: (actor) =>
      new UnsecuredJWT({}).setSubject(people[actor].id).setIssuer(ISSUER).setAudience(AUDIENCE).setExpirationTime('1h').encode(),
    forged: async (actor) => sign((await generateKeyPair('ES256')).privateKey, actor, {}),
  };
};
