/** The embedded adapters as the program makes them, on a directory of the test's own. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { LocalBuilder } from '@slipway/runtime/builder/local-builder.ts';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { ImageStore } from '@slipway/images/oci/image-store.ts';
import { EmbeddedDirectory } from '#adapters/directory-embedded/embedded-directory.ts';
import { OutboxMailer } from '#adapters/mail-outbox/outbox-mailer.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { EmbeddedRegistry } from '@slipway/registry/embedded-registry.ts';
import { EdgeTokens } from '@slipway/runtime/edge/auth/edge-tokens.ts';
import { EmbeddedScanner } from '@slipway/images/scanner/embedded-scanner.ts';
import { LocalRuntime } from '@slipway/runtime/local/local-runtime.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { EmbeddedSource } from '@slipway/git/embedded-source.ts';
import type { Adapters } from '#app.ts';
import { OutgoingPolicy, type Resolve } from '#kernel/outgoing/outgoing-policy.ts';
import { OutgoingClient } from '#kernel/outgoing/outgoing.ts';
import { noFloor, type DiskFloor } from '#kernel/disk-floor.ts';
import { makeDatabases, makeSchemaRegistry, makeStreaming } from '../choose-adapters.ts';
import { gitAccess, registryAccess } from '../engine-access.ts';
import type { TestDatabase } from './database.ts';
import { freePort } from '#testing/free-port.ts';
import type { TestSignIn } from './test-authority.ts';

export interface AdapterPlace {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly url: string;
  readonly ingressPort: number;
  /** The same after a restart, as the platform's keys are. */
  readonly signingKey: Uint8Array;
  /** Authority for the tokens that services require of their callers. Without an authority, the edge does not serve these services. */
  readonly authority?: { readonly signIn: TestSignIn; readonly claimsKey: Uint8Array };
  readonly log: Logger;
  /** Hosts of private networks that services may list. */
  readonly egressInside?: readonly string[] | undefined;
  /** Allowlist of inside addresses that the platform may call, and the resolver for host names. */
  readonly outgoing?: { readonly allow?: readonly string[]; readonly resolve?: Resolve } | undefined;
  /** Defaults to the outbox. */
  readonly mailer?: Adapters['mailer'] | undefined;
  /** Nothing of the disk is kept free when not given. */
  readonly floor?: DiskFloor;
  /** Ports of the broker, the same after a restart. The broker starts when a test needs it. */
  readonly kafkaPorts?: { readonly development: number; readonly production: number };
}

const streamingOf = async ({ dataDir, signingKey, log, kafkaPorts }: AdapterPlace): Promise<Adapters['streaming']> => {
  const ports = kafkaPorts ?? { development: await freePort(), production: await freePort() };
  const streaming = { kind: 'embedded', host: '127.0.0.1', advertisedHost: '127.0.0.1', ports } as const;
  const passwordKey = async (): Promise<Uint8Array> => Buffer.from(Buffer.from(signingKey).toString('base64url'));
  return makeStreaming({ streaming, dataDir }, { passwordKey, floorBytes: 0, log }).streaming;
};

const edgeTokens = ({ signIn, claimsKey }: NonNullable<AdapterPlace['authority']>, url: string): Promise<EdgeTokens> => {
  const { issuer, keys, audience } = signIn.adapter;
  return EdgeTokens.open({ authority: { issuer, keys, platformAudience: audience }, claimsKey, issuer: url });
};

export const embeddedAdapters = async (place: AdapterPlace): Promise<Omit<Adapters, 'signIn'>> => {
  const { dataDir, url, log } = place;
  const floor = place.floor ?? noFloor;
  const database = { ...place.database, close: place.database.drop };
  const sandbox = await detectSandbox();
  const registry = new EmbeddedRegistry({
    pool: database.pool,
    dataDir: join(dataDir, 'registry'),
    publicUrl: url,
    baseUrl: url,
    signingKey: place.signingKey,
    ...registryAccess(database),
    floor,
    log,
  });
  const tokens = place.authority && (await edgeTokens(place.authority, url));
  const client = new OciClient({ baseUrl: url, authorize: (repository, actions) => registry.accessToken(repository, actions) });
  const images = new ImageStore({ directory: join(dataDir, 'images'), client, floor, log });
  const schemaRegistry = makeSchemaRegistry({ schemaRegistry: { kind: 'embedded' }, publicUrl: url }, database, log);
  return {
    registry,
    source: new EmbeddedSource({ dataDir: join(dataDir, 'git'), publicUrl: url, authenticate: gitAccess(database), floor, log }),
    runtime: new LocalRuntime({
      dataDir: join(dataDir, 'runtime'),
      ingressPort: place.ingressPort,
      ingressHost: '127.0.0.1',
      tokens,
      platformUrl: url,
      egressInside: place.egressInside,
      images,
      sandbox,
      log,
    }),
    builder: new LocalBuilder({ dataDir: join(dataDir, 'builds'), registry, sandbox, floor, log, isSandboxRequired: false }),
    scanner: new EmbeddedScanner({ directory: join(dataDir, 'scanning'), client, unpacked: images.layers, version: '0.0.0', floor }),
    keys: new FileKeys(join(dataDir, 'keys')),
    backups: { directory: join(dataDir, 'database-backups'), floor },
    directory: new EmbeddedDirectory(database.pool),
    mailer: place.mailer ?? new OutboxMailer(database.pool),
    outgoing: new OutgoingClient(new OutgoingPolicy(place.outgoing?.allow, place.outgoing?.resolve)),
    streaming: await streamingOf(place),
    databases: makeDatabases({ databases: { kind: 'embedded' }, publicUrl: url, dataDir }, log, false),
    ...(place.floor ? { disk: place.floor } : {}),
    schemaRegistry,
    mounts: [tokens?.mount ?? [], schemaRegistry.mount ?? []].flat(),
  };
};
