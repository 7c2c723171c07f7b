/** Keeps the base layer in its own repository of the registry. Every app's repository links it from there. */
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

import { imageDocuments } from '@slipway/images/oci/image-documents.ts';
import { writeLayer } from '@slipway/images/oci/layer-writer.ts';
import type { LayerBlob } from '@slipway/images/oci/layer-writer.ts';
import type { OciClient } from '@slipway/images/oci/oci-client.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { Registry } from '@slipway/foundation/ports/registry.ts';

import { baseContents, nodeInImage } from './base-layer.ts';
import { packageRecords } from './base-packages.ts';

export const baseProject = 'library';
export const baseRepository = `${baseProject}/node-base`;
const OWNER = 'slipway';
const TAG = `${process.version.slice(1)}-${process.arch}`;
export const baseEnv: Readonly<Record<string, string>> = { NODE_ENV: 'production', PATH: '/usr/local/bin:/usr/bin:/bin' };

export const LayerBlobShape = z.object({
  mediaType: z.string(),
  digest: z.string(),
  diffId: z.string(),
  size: z.number(),
  comment: z.string(),
});
const Kept = z.object({ key: z.string(), layer: LayerBlobShape });

/**
 * Returns whether the registry can publish a project, so that every app's repository can link from it. Otherwise the layer is uploaded once
 * per app.
 */
const isPublishing = (registry: Registry): registry is Registry & { projectPublish(project: string, isPublic: boolean): Promise<void> } =>
  'projectPublish' in registry && typeof registry.projectPublish === 'function';

export class BaseImage {
  readonly #directory: string;
  readonly #registry: Registry;
  readonly #client: OciClient;

  constructor(directory: string, registry: Registry, client: OciClient) {
    this.#directory = directory;
    this.#registry = registry;
    this.#client = client;
  }

  /** Makes sure that the registry has the base image. Builds the layer only if the registry lacks it. */
  async ensure(): Promise<LayerBlob> {
    const project = await this.#registry.projectEnsure(baseProject, OWNER);
    if (!project.created) throw new PortFailure('conflict', `the registry's project ${baseProject} belongs to somebody else`);
    if (isPublishing(this.#registry)) await this.#registry.projectPublish(baseProject, true);
    const kept = await this.#kept();
    if (kept !== undefined && (await this.#isPushed(kept))) return kept;
    return this.#withLayer(async (layer, file) => {
      await this.#push(layer, file);
      await this.#keep(layer);
      return layer;
    });
  }

  /** Returns the digest of the base image that `ensure` pushes to `baseRepository`. */
  digest(layer: LayerBlob): string {
    return this.#documents(layer).manifest.digest;
  }

  /** Links the base layer into an app's repository, or uploads it. */
  async link(layer: LayerBlob, repository: string, signal?: AbortSignal): Promise<void> {
    if (await this.#client.linkBlob(repository, layer.digest, baseRepository, signal)) return;
    await this.#withLayer(async (fresh, file) => {
      if (fresh.digest !== layer.digest) throw new PortFailure('unavailable', 'Node was changed on this machine since the server started');
      await this.#send(repository, layer, file, signal);
    });
  }

  /** Returns the last layer if its contents are still current. */
  async #kept(): Promise<LayerBlob | undefined> {
    const text = await readFile(join(this.#directory, 'base.json'), 'utf8').catch(() => '{}');
    const kept = Kept.safeParse(JSON.parse(text));
    return kept.success && kept.data.key === (await baseContents()).key ? kept.data.layer : undefined;
  }

  async #keep(layer: LayerBlob): Promise<void> {
    const { key } = await baseContents();
    const draft = join(this.#directory, `base-${randomUUID()}.json`);
    await writeFile(draft, JSON.stringify({ key, layer }));
    await rename(draft, join(this.#directory, 'base.json'));
  }

  async #withLayer<Result>(use: (layer: LayerBlob, file: string) => Promise<Result>): Promise<Result> {
    await mkdir(this.#directory, { recursive: true });
    const file = join(this.#directory, `base-${randomUUID()}.tar`);
    try {
      const { sources, libraries } = await baseContents();
      // Uncompressed: gzip would take two seconds, and the layer usually stays on this machine.
      const all = [...sources, ...(await packageRecords(libraries))];
      return await use(await writeLayer(all, file, { compression: 'none', comment: `Node ${process.version}` }), file);
    } finally {
      await rm(file, { force: true });
    }
  }

  #documents(layer: LayerBlob) {
    return imageDocuments([layer], {
      entrypoint: [nodeInImage],
      workdir: '/app',
      env: baseEnv,
      user: '1000',
      labels: { 'org.opencontainers.image.title': 'Node base', 'org.opencontainers.image.version': process.version.slice(1) },
      createdAt: new Date(0),
    });
  }

  async #isPushed(layer: LayerBlob): Promise<boolean> {
    return (await this.#registry.image(baseRepository, this.digest(layer))) !== undefined;
  }

  /** The layer was hashed while it was written, so a registry on the same disk need not read it again. */
  async #send(repository: string, { digest, size }: LayerBlob, file: string, signal?: AbortSignal): Promise<void> {
    if (await this.#registry.blobTake?.(repository, { digest, size, file })) return;
    await this.#client.pushBlob(repository, { digest, size, body: () => createReadStream(file, { highWaterMark: 1 << 20 }) }, signal);
  }

  async #push(layer: LayerBlob, file: string): Promise<void> {
    const { config, manifest } = this.#documents(layer);
    await this.#send(baseRepository, layer, file);
    await this.#client.pushBlob(baseRepository, { digest: config.digest, size: config.bytes.length, body: () => config.bytes });
    // The manifest protects the layer from the registry's garbage collection.
    await this.#client.pushManifest(baseRepository, TAG, manifest);
  }
}
