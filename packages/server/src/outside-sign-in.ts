/** Signs people in with an external OpenID provider: finds its keys by discovery, and rejects a provider with another issuer. */
import { createRemoteJWKSet, type JSONWebKeySet } from 'jose';
import * as z from 'zod/mini';
import type { Adapters } from '#app.ts';
import { errorMessage } from '#kernel/caught.ts';
import { type Config, ConfigError } from '#kernel/config.ts';
import { compareClocks } from '#kernel/findings.ts';
import type { Findings } from '#ports/engine-probe.ts';

/** URL of the public keys, or the keys themselves. */
export type PublicKeys = string | JSONWebKeySet;

const ANSWER_MS = 10_000;
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url(), authorization_endpoint: z.optional(z.string()) });
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

const withoutSlash = (address: string): string => address.replace(/\/$/, '');

interface Discovered {
  readonly document: z.output<typeof Discovery>;
  /** Date header of the answer. */
  readonly date: string | null;
}
/**
 * Throws a `ConfigError` that names the variable. The issuer must equal the authority (OpenID Connect Discovery 1.0, 4.3). Otherwise, an
 * impostor could name its own issuer and keys. A trailing slash does not matter.
 */
const discover = async (authority: string): Promise<Discovered> => {
  const address = `${withoutSlash(authority)}/.well-known/openid-configuration`;
  const failure = (what: string, cause?: unknown) => new ConfigError(`SLIPWAY_OIDC_AUTHORITY: ${address} ${what}`, { cause });
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) }).catch((cause: unknown) => {
    throw failure('does not answer', cause);
  });
  if (!answer.ok) throw failure(`answers ${answer.status}`);
  const { data } = Discovery.safeParse(await answer.json().catch(() => undefined));
  if (!data) throw failure('is no OpenID configuration: it needs an issuer and a jwks_uri');
  if (withoutSlash(data.issuer) !== withoutSlash(authority))
    throw failure(`names ${data.issuer} as its issuer. Set the variable to the issuer, if that is the provider you mean.`);
  // A cache in between keeps the date of the first answer, and adds its age.
  return { document: data, date: answer.headers.has('age') ? null : answer.headers.get('date') };
};

/** Throws a `ConfigError` if the provider cannot be used. */
export const outsideSignIn = async (oidc: NonNullable<Config['oidc']>): Promise<{ signIn: Adapters['signIn']; publicKeys: PublicKeys }> => {
  const { document } = await discover(oidc.authority);
  const keys = createRemoteJWKSet(new URL(document.jwks_uri));
  const probe = (findings: Findings) => probeProvider(oidc.authority, findings).then(() => undefined);
  return {
    signIn: { ...oidc, issuer: document.issuer, keys, provider: 'AZURE_AD', isKeyBound: false, probe },
    publicKeys: document.jwks_uri,
  };
};

/** Asks for the provider's configuration and keys, and compares clocks. Resolves to the authorization endpoint, or undefined if a sign-in fails. */
export const probeProvider = async (authority: string, findings: Findings): Promise<string | undefined> => {
  const sentMs = Date.now();
  const found = await discover(authority).catch(errorMessage);
  if (typeof found === 'string') {
    findings.failed(
      found.replace(/^SLIPWAY_OIDC_AUTHORITY: /, ''),
      'Set SLIPWAY_OIDC_AUTHORITY to the issuer, exactly as the provider writes it, and let this machine reach it.',
    );
    return undefined;
  }
  findings.ok(`The provider ${authority} answers with its issuer.`);
  const date = Date.parse(found.date ?? '');
  if (!Number.isNaN(date)) compareClocks(findings, date, sentMs, Date.now());
  const { authorization_endpoint: endpoint, jwks_uri: address } = found.document;
  if (endpoint === undefined)
    findings.failed('The provider names no authorization endpoint.', 'Use a provider for OpenID Connect with the code flow.');
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
  const { data } = Keys.safeParse(await answer?.json().catch(() => undefined));
  if ((data?.keys.length ?? 0) > 0) findings.ok('Its public keys can be read.');
  else findings.failed(`${address} has no public keys.`, 'Let this machine reach that address too, or look at the provider.');
  return endpoint;
};
