/**
 * A registry as a process of its own, for tests that kill it: `node killed-registry.fixture.ts {options as JSON}`. It collects garbage all
 * the time, with a grace of a moment, and prints its address. With `isTaking` it takes in files that it has written itself, as the builder
 * does, and prints a line for each image of them that it has acknowledged.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { PoolConfig } from 'pg';
import { createPool } from '@slipway/postgres/connections.ts';
import { digestOf, OCI_MANIFEST, RegistryClient } from '@slipway/foundation/ports/registry.suite-client.ts';
import { EmbeddedRegistry } from './embedded-registry.ts';

export interface KilledRegistry {
  readonly connection: PoolConfig;
  readonly dataDir: string;
  readonly graceMs: number;
  readonly signingKey: string;
  readonly isTaking: boolean;
}

export interface TakenImage {
  readonly tag: string;
  readonly digest: string;
}
export const TAKING = 'shop/taken';

const takeImages = async (registry: EmbeddedRegistry, directory: string): Promise<never> => {
  const client = new RegistryClient(registry, await registry.accessToken(TAKING, ['pull', 'push']));
  // What the process before it left.
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  for (let turn = 0; ; turn += 1) {
    const tag = `t${turn % 7}`;
    const taken = await takeImage(client, registry, { tag, file: path.join(directory, tag) }).catch(() => undefined);
    if (taken) process.stdout.write(`${JSON.stringify(taken)}\n`);
  }
};

const takeImage = async (client: RegistryClient, registry: EmbeddedRegistry, { tag, file }: { tag: string; file: string }) => {
  const [layer, config] = [randomBytes(40_000), Buffer.from('{}')];
  const handle = await open(file, 'w');
  await handle.writeFile(layer);
  await handle.close();
  await registry.blobTake(TAKING, { digest: digestOf(layer), size: layer.length, file });
  await client.pushBlob(TAKING, config);
  const describe = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
  const document = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: describe('application/vnd.oci.image.config.v1+json', config),
    layers: [describe('application/vnd.oci.image.layer.v1.tar', layer)],
  };
  const manifest = Buffer.from(JSON.stringify(document));
  const { status } = await client.pushManifest(TAKING, tag, manifest);
  return status === 201 ? { tag, digest: digestOf(manifest) } : undefined;
};

if (import.meta.main) {
  const { connection, dataDir, graceMs, isTaking, signingKey } = JSON.parse(process.argv[2] ?? '') as KilledRegistry;
  const pool = createPool(connection);
  const server = http.createServer((request, response) => registry.mount.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${address.port}`;
  const log = { debug() {}, info() {}, warn() {}, error: (context: object, message: string) => console.error(message, context) };
  const registry = new EmbeddedRegistry({
    pool,
    dataDir,
    publicUrl: url,
    baseUrl: url,
    signingKey: Buffer.from(signingKey, 'base64'),
    limits: { graceMs },
    garbageEveryMs: 5,
    log,
  });
  process.stdout.write(`${url}\n`);
  if (isTaking) await takeImages(registry, path.join(dataDir, 'written'));
}
