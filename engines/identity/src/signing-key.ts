// The key that signs tokens: ES256, generated once for all replicas. Verifiers get its public half.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, type JWK, type LocalJWKSet } from 'jose';

export const SIGNING_ALGORITHM = 'ES256';

/** Generates a private JWK as JSON, for the platform's key store. */
export const newSigningKey = (): Uint8Array => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return Buffer.from(JSON.stringify(privateKey.export({ format: 'jwk' })));
};

export interface SigningKey {
  readonly jwk: JWK & { kid: string };
  /** Finds the public key for a token's header, without an HTTP request. */
  readonly keySet: LocalJWKSet;
}

export const readSigningKey = (bytes: Uint8Array): SigningKey => {
  const key: JWK = JSON.parse(Buffer.from(bytes).toString());
  const kid = createHash('sha256').update(`${key.x}.${key.y}`).digest('base64url').slice(0, 16);
  const jwk = { ...key, kid, alg: SIGNING_ALGORITHM, use: 'sig' };
  const { d: _private, ...open } = jwk;
  return { jwk, keySet: createLocalJWKSet({ keys: [open] }) };
};
