/** Makes the adapters that the configuration names. Only here, and in main.ts, do modules' ports meet technologies. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet } from 'jose';
import type { Logger } from 'pino';
import { LocalBuilder } from '#adapters/builder-local/local-builder.ts';
import { EmbeddedIdentity } from '#adapters/identity-embedded/embedded-identity.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { ImageStore } from '#adapters/oci/image-store.ts';
import { OciClient } from '#adapters/oci/oci-client.ts';
import { EmbeddedRegistry } from '#adapters/registry-embedded/embedded-registry.ts';
import { EdgeTokens, newClaimsKey } from '#adapters/runtime-local/ingress/edge-tokens.ts';
import { LocalRuntime } from '#adapters/runtime-local/local-runtime.ts';
import { detectSandbox } from '#adapters/sandbox/detect-sandbox.ts';
import { EmbeddedSource } from '#adapters/source-embedded/embedded-source.ts';
import type { Adapters } from '#app.ts';
import type { Database } from '#db/database.ts';
import { type Config, ConfigError } from '#kernel/config.ts';
import { platformKey } from '#kernel/platform-keys.ts';
import { gitAccess, registryAccess } from './engine-access.ts';

export interface ChosenAdapters extends Adapters {
  /** The embedded provider, where it signs people in. */
  readonly identity: EmbeddedIdentity | undefined;
  /** Makes what the first deploy would otherwise wait for: the base layer, unpacked. */
  readonly warm: () => Promise<void>;
  readonly pruneImages: (inUse: readonly string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Images that nobody ran for so long are pulled again where they are wanted after all. */
const unusedImageMs = 7 * 24 * 3_600_000;

const remoteSignIn = async (oidc: NonNullable<Config['oidc']>): Promise<Adapters['signIn']> => {
  const address = `${oidc.authority.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new ConfigError(`SLIPWAY_OIDC_AUTHORITY: ${address} does not answer`, { cause });
  });
  if (!answer.ok) throw new ConfigError(`SLIPWAY_OIDC_AUTHORITY: ${address} answers ${answer.status}`);
  const found = (await answer.json()) as { issuer: string; jwks_uri: string };
  return { ...oidc, issuer: found.issuer, keys: createRemoteJWKSet(new URL(found.jwks_uri)), provider: 'AZURE_AD', isKeyBound: false };
};

/** The embedded provider, and as what the platform sees it. */
export const embeddedSignIn = async (
  options: Parameters<typeof EmbeddedIdentity.open>[0],
): Promise<{ signIn: Adapters['signIn']; identity: EmbeddedIdentity }> => {
  const identity = await EmbeddedIdentity.open(options);
  const { issuer, clientId, audience, keySet, serviceTokens } = identity;
  const isLive = identity.isLive.bind(identity);
  const endSessions = identity.endSessions.bind(identity);
  const own = { keys: keySet, provider: 'SLIPWAY', serviceTokens, isKeyBound: true, isLive, endSessions };
  return { identity, signIn: { authority: issuer, clientId, audience, issuer, ...own } };
};

export const chooseAdapters = async (config: Config, database: Database, log: Logger): Promise<ChosenAdapters> => {
  const { dataDir, publicUrl } = config;
  const folder = (name: string): string => {
    const path = join(dataDir, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const keys = new FileKeys(join(dataDir, 'keys'));
  const keyFor = (purpose: string, make: () => Uint8Array): Promise<Uint8Array> => platformKey(database.pool, keys, purpose, make);
  const { signIn, identity } = config.oidc
    ? { signIn: await remoteSignIn(config.oidc), identity: undefined }
    : await embeddedSignIn({
        pool: database.pool,
        platformKey: keyFor,
        publicUrl,
        isDemo: config.isDemo,
        hasLocalUsers: config.hasLocalUsers,
        log,
      });
  const registry = new EmbeddedRegistry({
    pool: database.pool,
    dataDir: folder('registry'),
    publicUrl,
    baseUrl: config.internalUrl,
    signingKey: await keyFor('registry-tokens', () => crypto.getRandomValues(new Uint8Array(32))),
    ...registryAccess(database),
    log,
  });
  const source = new EmbeddedSource({ dataDir: folder('git'), publicUrl, authenticate: gitAccess(database), log });
  const sandbox = await detectSandbox();
  if (sandbox.tier === 'host' && config.mode === 'production' && !config.allowances.hostRuntime) {
    throw new ConfigError(
      'This machine offers no sandbox, and plain host processes are refused in production. Set SLIPWAY_ALLOW_HOST_RUNTIME=yes to allow them.',
    );
  }
  const authorize = (repository: string, actions: Parameters<typeof registry.accessToken>[1]) => registry.accessToken(repository, actions);
  const images = new ImageStore({ directory: folder('images'), client: new OciClient({ baseUrl: registry.baseUrl, authorize }), log });
  const tokens = await EdgeTokens.open({
    authority: { issuer: signIn.issuer, keys: signIn.keys, platformAudience: signIn.audience },
    claimsKey: await keyFor('edge-claims', newClaimsKey),
    issuer: publicUrl,
  });
  const runtime = new LocalRuntime({
    dataDir: folder('runtime'),
    ingressPort: config.ingressPort,
    ingressHost: config.host,
    tokens,
    images,
    sandbox,
    log,
  });
  const builder = new LocalBuilder({ dataDir: folder('builds'), registry, sandbox, log, isSandboxRequired: config.mode === 'production' });
  return {
    registry,
    source,
    runtime,
    builder,
    keys,
    mounts: [tokens.mount, ...(identity ? [identity.mount] : [])],
    signIn,
    identity,
    warm: async () => {
      await builder.warm();
      const { repository, digest } = await builder.baseImage();
      await images.prepare(repository, digest);
    },
    pruneImages: (inUse) => images.prune({ inUse, unusedMs: unusedImageMs }),
    close: async () => identity?.close(),
  };
};
