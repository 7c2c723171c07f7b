/** Signs people in with an external OpenID provider: finds its keys by discovery, and rejects a provider with another issuer. */
import { createRemoteJWKSet, type JSONWebKeySet } from 'jose';
import * as z from 'zod/mini';
import type { Adapters } from '#app.ts';
import { type Config, ConfigError } from '#kernel/config.ts';

/** URL of the public keys, or the keys themselves. */
export type PublicKeys = string | JSONWebKeySet;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

const withoutSlash = (address: string): string => address.replace(/\/$/, '');

/**
 * Throws a `ConfigError` that names the variable. The issuer must equal the authority (OpenID Connect Discovery 1.0, 4.3). Otherwise, an
 * impostor could name its own issuer and keys. A trailing slash does not matter.
 */
export const outsideSignIn = async (oidc: NonNullable<Config['oidc']>): Promise<{ signIn: Adapters['signIn']; publicKeys: PublicKeys }> => {
  const address = `${withoutSlash(oidc.authority)}/.well-known/openid-configuration`;
  const failure = (what: string, cause?: unknown) => new ConfigError(`SLIPWAY_OIDC_AUTHORITY: ${address} ${what}`, { cause });
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw failure('does not answer', cause);
  });
  if (!answer.ok) throw failure(`answers ${answer.status}`);
  const { data } = Discovery.safeParse(await answer.json().catch(() => undefined));
  if (!data) throw failure('is no OpenID configuration: it needs an issuer and a jwks_uri');
  if (withoutSlash(data.issuer) !== withoutSlash(oidc.authority))
    throw failure(`names ${data.issuer} as its issuer. Set the variable to the issuer, if that is the provider you mean.`);
  const keys = createRemoteJWKSet(new URL(data.jwks_uri));
  return {
    signIn: { ...oidc, issuer: data.issuer, keys, provider: 'AZURE_AD', isKeyBound: false },
    publicKeys: data.jwks_uri,
  };
};
