/** Creates the adapters that the configuration selects. Only this file and main.ts connect the modules' ports with technologies. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { regions } from '@slipway/contract/service/service-spec.ts';
import { brokerProgram } from '@slipway/kafka/program.ts';
import { LocalBuilder } from '@slipway/runtime/builder/local-builder.ts';
import { EmbeddedServer } from '#adapters/databases-embedded/embedded-server.ts';
import { DsnServer } from '#adapters/databases-postgres/dsn-server.ts';
import { PostgresDatabases } from '#adapters/databases-postgres/postgres-databases.ts';
import { EmbeddedIdentity } from '@slipway/identity/embedded-identity.ts';
import { EmbeddedDirectory } from '#adapters/directory-embedded/embedded-directory.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { OutboxMailer } from '#adapters/mail-outbox/outbox-mailer.ts';
import { SmtpMailer } from '#adapters/mail-smtp/smtp-mailer.ts';
import { ImageStore } from '@slipway/images/oci/image-store.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { EmbeddedSchemaRegistry } from '@slipway/schemas/registry/embedded-schema-registry.ts';
import { HttpSchemaRegistry } from '#adapters/schema-registry-http/http-schema-registry.ts';
import { EmbeddedScanner, type EmbeddedScannerOptions } from '@slipway/images/scanner/embedded-scanner.ts';
import { HttpScanner } from '#adapters/scanner-http/http-scanner.ts';
import { EmbeddedRegistry } from '@slipway/registry/embedded-registry.ts';
import { AgentRuntime } from '@slipway/runtime/local/agent/agent-runtime.ts';
import type { AgentConfig } from '@slipway/runtime/local/agent/agent-config.ts';
import type { AgentProcess } from '@slipway/runtime/local/agent/agent-process.ts';
import { newAgentAccount } from '@slipway/runtime/local/agent/pull-token.ts';
import { EdgeTokens, newClaimsKey } from '@slipway/runtime/edge/auth/edge-tokens.ts';
import type { Sandbox } from '@slipway/runtime/sandbox/sandbox.ts';
import type { KubernetesRuntimeOptions } from '#adapters/runtime-kubernetes/kubernetes-runtime.ts';
import { HolderLabel } from '#adapters/runtime-kubernetes/holder-label.ts';
import { platformMark } from '#adapters/runtime-kubernetes/objects/names.ts';
import { PullAccess } from '#adapters/runtime-kubernetes/pull-access.ts';
import { EmbeddedBroker } from '#adapters/streaming-embedded/embedded-broker.ts';
import { ConfiguredClusters } from '#adapters/streaming-kafka/configured-clusters.ts';
import { KafkaStreaming } from '#adapters/streaming-kafka/kafka-streaming.ts';
import { EmbeddedSource } from '@slipway/git/embedded-source.ts';
import type { Adapters } from '#app.ts';
import type { Database } from '#db/database.ts';
import { tryLockFile } from '#db/directory-lock.ts';
import type { Config } from '#kernel/config.ts';
import type { KubernetesConfig } from '#kernel/kubernetes-config.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import { OutgoingPolicy } from '#kernel/outgoing/outgoing-policy.ts';
import { OutgoingClient } from '#kernel/outgoing/outgoing.ts';
import { platformKey } from '#kernel/platform-keys.ts';
import type { Registry } from '#ports/registry.ts';
import type { Runtime } from '#ports/runtime.ts';
import type { SchemaRegistry } from '#ports/schema-registry.ts';
import { teamRoles } from '#modules/teams/index.ts';
import { deletionLock } from './backup/data-places.ts';
import { gitAccess, registryAccess, schemaRegistrySignIn } from './engine-access.ts';
import { outsideSignIn, type PublicKeys } from './outside-sign-in.ts';
import { version } from './version.ts';

export interface ChosenAdapters extends Adapters {
  /** The embedded provider, if it handles the sign-in. */
  readonly identity: EmbeddedIdentity | undefined;
  /** Prepares the unpacked base layer, so that the first deploy does not wait for it. */
  readonly warm: () => Promise<void>;
  readonly pruneImages: (inUse: readonly string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Images unused for this long are deleted. They are pulled again if needed. */
const unusedImageMs = 7 * 24 * 3_600_000;

/** Opens the embedded provider and its sign-in for the platform. */
export const embeddedSignIn = async (
  options: Parameters<typeof EmbeddedIdentity.open>[0],
): Promise<{ signIn: Adapters['signIn']; publicKeys: PublicKeys; identity: EmbeddedIdentity }> => {
  const identity = await EmbeddedIdentity.open(options);
  const { issuer, clientId, audience, keySet, serviceTokens } = identity;
  const isLive = identity.isLive.bind(identity);
  const endSessions = identity.endSessions.bind(identity);
  const own = { keys: keySet, provider: 'SLIPWAY', serviceTokens, isKeyBound: true, isLive, endSessions };
  return { identity, publicKeys: keySet.jwks(), signIn: { authority: issuer, clientId, audience, issuer, ...own } };
};

const scannersOf = (registry: Registry, own: Omit<EmbeddedScannerOptions, 'version'>, { scanner, publicUrl }: Config) => ({
  scanner: new EmbeddedScanner({ ...own, version }),
  outsideScanner:
    scanner &&
    new HttpScanner({
      ...scanner,
      registryUrl: publicUrl,
      token: (repository) => registry.accessToken(repository, ['pull']),
      mediaTypeOf: async ({ repository, digest }) => (await registry.image(repository, digest))?.mediaType,
    }),
});

/** Sends the configuration to the agent when this server takes it over. */
const makeRuntime = (agent: AgentProcess, config: AgentConfig, log: Logger): AgentRuntime => {
  agent.configure(config);
  return new AgentRuntime({ dataDir: config.dataDir, ingressPort: config.ingressPort, agent, log });
};

/** Pods leave the rotation at once. Clients inside the cluster need this long to notice. */
const drainSeconds = 5;

/** Loads the adapter for clusters only if the configuration asks for it. */
const makeClusterRuntime = async (
  { egressInside, host, ingressPort, publicUrl }: Config,
  { contexts, kubeconfig, pod, ...settings }: KubernetesConfig,
  parts: Pick<KubernetesRuntimeOptions, 'dataDir' | 'tokens' | 'log'> & { readonly nodes: PullAccess },
): Promise<Runtime> => {
  const { KubernetesRuntime } = await import('#adapters/runtime-kubernetes/kubernetes-runtime.ts');
  const { ClusterApi } = await import('#adapters/runtime-kubernetes/api/cluster-api.ts');
  const { nodes, ...rest } = parts;
  const own = () => ClusterApi.open({ kubeconfig: undefined, context: undefined });
  return new KubernetesRuntime({
    ...rest,
    ingressHost: host,
    ingressPort,
    holderLabel: pod === undefined ? undefined : new HolderLabel(pod, own, parts.log),
    clusters: Object.fromEntries(Object.entries(contexts).map(([region, context]) => [region, { kubeconfig, context }])),
    settings: { ...settings, egressInside, mark: platformMark(publicUrl), drainSeconds, pullAccess: (app) => nodes.credential(app) },
  });
};

/** The embedded server serves all regions. Objects on a server are marked with the public URL of their platform. */
export const makeDatabases = (
  { databases: chosen, publicUrl, dataDir }: Pick<Config, 'databases' | 'publicUrl' | 'dataDir'>,
  log: Logger,
  /** False in tests only. */
  isDurable = true,
): PostgresDatabases => {
  const own = new EmbeddedServer({ dataDir: join(dataDir, 'databases'), log, isDurable });
  const servers =
    chosen.kind === 'postgres'
      ? Object.entries(chosen.servers).map(([region, dsn]) => [region, new DsnServer(dsn)] as const)
      : regions.map((region) => [region, own] as const);
  return new PostgresDatabases({ kind: chosen.kind, servers: Object.fromEntries(servers), mark: `Slipway at ${publicUrl}`, log });
};

/** Creates a random administrator password for the broker, as text. */
const newBrokerPassword = (): Uint8Array => Buffer.from(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'));

export interface ChosenStreaming {
  readonly streaming: KafkaStreaming;
  /** Restarts an embedded broker that was used before. */
  readonly resume: () => Promise<void>;
}
export const makeStreaming = (
  { streaming: chosen, dataDir }: Pick<Config, 'streaming' | 'dataDir'>,
  parts: {
    readonly passwordKey: (make: () => Uint8Array) => Promise<Uint8Array>;
    readonly floorBytes: number | undefined;
    readonly log: Logger;
  },
): ChosenStreaming => {
  if (chosen.kind === 'kafka') {
    const source = new ConfiguredClusters(chosen.clusters);
    return { streaming: new KafkaStreaming({ kind: 'kafka', source }), resume: async () => {} };
  }
  const { passwordKey, ...rest } = parts;
  const adminPassword = async (): Promise<string> => Buffer.from(await passwordKey(newBrokerPassword)).toString();
  const source = new EmbeddedBroker({ dataDir: join(dataDir, 'streaming'), program: brokerProgram, ...chosen, ...rest, adminPassword });
  return { streaming: new KafkaStreaming({ kind: 'embedded', source }), resume: () => source.resume() };
};

export const makeSchemaRegistry = (
  { schemaRegistry: chosen, publicUrl }: Pick<Config, 'schemaRegistry' | 'publicUrl'>,
  database: Database,
  log: Logger,
): SchemaRegistry =>
  chosen.kind === 'http'
    ? new HttpSchemaRegistry({ registries: chosen.registries })
    : new EmbeddedSchemaRegistry({ pool: database.pool, publicUrl, signIn: schemaRegistrySignIn(database), log });

export interface AdapterParts {
  readonly config: Config;
  readonly database: Database;
  readonly agent: AgentProcess;
  /** Detection is in progress since the start of the process. */
  readonly sandbox: Promise<Sandbox>;
  readonly log: Logger;
}

export const chooseAdapters = async ({ config, database, agent, log, ...parts }: AdapterParts): Promise<ChosenAdapters> => {
  const { dataDir, publicUrl } = config;
  const folder = (name: string): string => {
    const path = join(dataDir, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const floorBytes = config.diskFloorMegabytes === undefined ? undefined : config.diskFloorMegabytes * 1e6;
  const floor = new DiskFloor({ directory: dataDir, floorBytes });
  const keys = new FileKeys(join(dataDir, 'keys'));
  const keyFor = (purpose: string, make: () => Uint8Array): Promise<Uint8Array> => platformKey(database.pool, keys, purpose, make);
  const { signIn, publicKeys, identity } = config.oidc
    ? { ...(await outsideSignIn(config.oidc)), identity: undefined }
    : await embeddedSignIn({
        pool: database.pool,
        platformKey: keyFor,
        publicUrl,
        isDemo: config.isDemo,
        hasLocalUsers: config.hasLocalUsers,
        teamsOf: teamRoles(database.db),
        log,
      });
  const account = newAgentAccount();
  const nodes =
    config.runtime.kind === 'kubernetes'
      ? new PullAccess(await keyFor('cluster-pull', () => crypto.getRandomValues(new Uint8Array(32))))
      : undefined;
  const registry = new EmbeddedRegistry({
    pool: database.pool,
    dataDir: folder('registry'),
    publicUrl,
    baseUrl: config.internalUrl,
    signingKey: await keyFor('registry-tokens', () => crypto.getRandomValues(new Uint8Array(32))),
    ...registryAccess(database, account, nodes),
    quotaBytes: config.registryQuotaMegabytes === undefined ? undefined : config.registryQuotaMegabytes * 1e6,
    floor,
    log,
  });
  const tryHold = (): ReturnType<typeof tryLockFile> => tryLockFile(deletionLock(dataDir));
  const source = new EmbeddedSource({ dataDir: folder('git'), publicUrl, authenticate: gitAccess(database), floor, tryHold, log });
  const sandbox = await parts.sandbox;
  const authorize = (repository: string, actions: Parameters<typeof registry.accessToken>[1]) => registry.accessToken(repository, actions);
  const client = new OciClient({ baseUrl: registry.baseUrl, authorize });
  const images = new ImageStore({ directory: folder('images'), client, floor, log });
  const claimsKey = await keyFor('edge-claims', newClaimsKey);
  const edge = { issuer: signIn.issuer, platformAudience: signIn.audience, claimsKey, claimsIssuer: publicUrl };
  // Publishes the public key. The agent signs with it.
  const tokens = await EdgeTokens.open({ authority: { ...edge, keys: signIn.keys }, claimsKey, issuer: publicUrl });
  const agentConfig = (): AgentConfig => ({
    dataDir: folder('runtime'),
    imageDir: folder('images'),
    ingressHost: config.host,
    ingressPort: config.ingressPort,
    registry: { baseUrl: registry.baseUrl, ...account },
    disk: { directory: dataDir, floorBytes },
    tokens: { ...edge, keys: publicKeys, claimsKey: Buffer.from(claimsKey).toString('base64') },
    egressInside: config.egressInside,
    sandboxTier: sandbox.tier,
    graceMs: config.runtimeGraceSeconds * 1000,
    logLevel: config.logLevel,
  });
  const runtime =
    config.runtime.kind === 'kubernetes' && nodes
      ? await makeClusterRuntime(config, config.runtime, { dataDir: folder('runtime'), tokens, log, nodes })
      : makeRuntime(agent, agentConfig(), log);
  const { streaming, resume } = makeStreaming(config, { passwordKey: (make) => keyFor('broker-password', make), floorBytes, log });
  const schemaRegistry = makeSchemaRegistry(config, database, log);
  const mailer = config.smtp ? new SmtpMailer(config.smtp) : new OutboxMailer(database.pool);
  const isSandboxRequired = config.mode === 'production';
  const builder = new LocalBuilder({ dataDir: folder('builds'), registry, sandbox, floor, log, isSandboxRequired });
  return {
    registry,
    source,
    runtime,
    builder,
    ...scannersOf(registry, { directory: folder('scanning'), client, unpacked: images.layers, floor }, config),
    keys,
    databases: makeDatabases(config, log),
    streaming,
    schemaRegistry,
    backups: { directory: join(dataDir, 'database-backups'), floor },
    outgoing: new OutgoingClient(new OutgoingPolicy(config.outgoingAllow)),
    mailer,
    directory: new EmbeddedDirectory(database.pool),
    disk: floor,
    mounts: [tokens.mount, identity?.mount ?? [], schemaRegistry.mount ?? []].flat(),
    signIn,
    identity,
    warm: async () => {
      void resume();
      // Starts with what a first deploy needs.
      const { repository, digest } = await builder.baseImage();
      await images.prepare(repository, digest);
      await builder.warm();
    },
    pruneImages: (inUse) => images.prune({ inUse, unusedMs: unusedImageMs }),
    close: async () => {
      identity?.close();
      await streaming.close();
      if (mailer instanceof SmtpMailer) await mailer.close();
    },
  };
};
