/** Layers unpacked once per digest, whatever images and repositories they belong to. */
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { PortFailure } from '#ports/failure.ts';

import { digestFolder } from './digest.ts';
import type { Descriptor } from './image-documents.ts';
import { LayerEntry } from './layer-entry.ts';
import { layerCompression } from './media-types.ts';
import type { LayerContents } from './merge-layers.ts';
import type { OciClient } from './oci-client.ts';
import { createWhole, removeAbandoned, removeWhole, wholeDirectories } from './staged-directory.ts';
import { unpackLayer } from './unpack-layer.ts';
import type { UnpackLimits } from './unpack-layer.ts';

const LayerList = z.object({ diffId: z.string(), entries: z.array(LayerEntry) });
const LIST = 'layer.json';
const CONTENTS = 'contents';

export interface LayerWanted {
  readonly repository: string;
  readonly descriptor: Descriptor;
  /** What the image's configuration says of the uncompressed layer. */
  readonly diffId: string;
}

const bad = (message: string): PortFailure =>
  new PortFailure('rejected', message, { code: 'ImageContentInvalid', context: { reason: message } });

export class LayerCache {
  readonly #directory: string;
  readonly #client: OciClient;
  readonly #limits: UnpackLimits;
  readonly #pulls = new Map<string, Promise<void>>();

  constructor(directory: string, client: OciClient, limits: UnpackLimits) {
    this.#directory = directory;
    this.#client = client;
    this.#limits = limits;
  }

  /** The layer's contents, pulled when this machine has not got them. */
  async layer(wanted: LayerWanted): Promise<LayerContents> {
    const folder = join(this.#directory, digestFolder(wanted.descriptor.digest));
    const list = (await this.#list(folder)) ?? (await this.#pulled(wanted, folder));
    if (list.diffId !== wanted.diffId) throw bad(`the layer ${wanted.descriptor.digest} is not the one that the image names`);
    const now = new Date();
    await utimes(join(folder, LIST), now, now).catch(() => undefined);
    return { folder: join(folder, CONTENTS), entries: list.entries };
  }

  async forget(digest: string): Promise<void> {
    await removeWhole(join(this.#directory, digestFolder(digest)));
  }

  /** Digests of the layers at hand, as directory names. */
  folders(): Promise<string[]> {
    return wholeDirectories(this.#directory);
  }

  listFile(folder: string): string {
    return join(this.#directory, folder, LIST);
  }

  async remove(folder: string): Promise<void> {
    await removeWhole(join(this.#directory, folder));
  }

  async removeAbandoned(now: number): Promise<void> {
    await removeAbandoned(this.#directory, now);
  }

  async #list(folder: string): Promise<z.infer<typeof LayerList> | undefined> {
    const text = await readFile(join(folder, LIST), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : LayerList.parse(JSON.parse(text));
  }

  async #pulled(wanted: LayerWanted, folder: string): Promise<z.infer<typeof LayerList>> {
    const { digest } = wanted.descriptor;
    const pull = this.#pulls.get(digest) ?? this.#pull(wanted, folder).finally(() => this.#pulls.delete(digest));
    this.#pulls.set(digest, pull);
    await pull;
    const list = await this.#list(folder);
    if (list === undefined) throw new PortFailure('unavailable', `the layer ${digest} was removed while it was unpacked`);
    return list;
  }

  async #pull({ repository, descriptor }: LayerWanted, target: string): Promise<void> {
    const compression = layerCompression(descriptor.mediaType);
    if (compression === undefined) throw bad(`the image holds a layer of an unknown kind: ${descriptor.mediaType}`);
    await createWhole(target, async (folder) => {
      const contents = join(folder, CONTENTS);
      await mkdir(contents);
      const source = await this.#client.pullBlob(repository, descriptor.digest);
      const layer = await unpackLayer(source, contents, { compression, size: descriptor.size, limits: this.#limits });
      if (layer.digest !== descriptor.digest || layer.size !== descriptor.size) {
        throw bad(`the layer ${descriptor.digest} came with other content, ${layer.digest}`);
      }
      await writeFile(join(folder, LIST), JSON.stringify({ diffId: layer.diffId, entries: layer.entries }));
    });
  }
}
