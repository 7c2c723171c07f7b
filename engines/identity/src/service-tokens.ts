// Access tokens for services: signed with the provider's own key, so that the edge verifies them like its other tokens. Each is valid for
// one service, so neither the platform nor another service accepts it.
import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT, type JWK } from 'jose';
import type { ServiceTokens } from '@slipway/foundation/ports/service-tokens.ts';
import { SIGNING_ALGORITHM } from './signing-key.ts';

const LIFETIME_SECONDS = 60 * 60;

/** Issues tokens. `key` is the provider's private signing JWK. */
export const serviceTokens = (issuer: string, key: JWK & { kid: string }): ServiceTokens => ({
  async create({ id, displayName, token: madeWith }, audience) {
    if (!audience.startsWith('service:')) throw new Error(`${audience} is no service`);
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = Math.min(issuedAt + LIFETIME_SECONDS, Math.floor(Number(madeWith?.expiresAt ?? Infinity) / 1000));
    const token = await new SignJWT({ name: displayName, preferred_username: id })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: key.kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(id)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await importJWK(key, SIGNING_ALGORITHM));
    return { token, expiresAt: new Date(expiresAt * 1000) };
  },
});
