/** Cache of unpacked layers by digest, shared by all images and repositories. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

import { tryLockFile } from '@slipway/foundation/directory-lock.ts';
import { isNoSpace, noSpace } from '@slipway/foundation/no-space.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';

import { DigestMeter, digestFolder } from './digest.ts';
import type { Descriptor } from './image-documents.ts';
import { badImage, leftAfter, shown, tooLarge } from './image-limits.ts';
import type { ImageAmounts } from './image-limits.ts';
import type { ImageProcess } from './image-process.ts';
import { layerCompression } from './media-types.ts';
import type { OciClient } from './oci-client.ts';
import { LayerDamaged } from './root-tree.ts';
import { createWhole, removeAbandoned, removeWhole, wholeDirectories } from './staged-directory.ts';

/** Written last. What it says is believed, so that its format is part of it: layers unpacked by older versions are pulled again. */
const LayerFacts = z.object({
  format: z.literal(2),
  diffId: z.string(),
  taken: z.object({ bytes: z.number(), entries: z.number(), listBytes: z.number() }),
});
type LayerFacts = z.infer<typeof LayerFacts>;
const FACTS = 'layer.json';
const FACTS_LIMIT_BYTES = 4096;
const BLOB = 'blob';
const PULLING = '.pulling-';
/** Until another process has the layer. One that takes longer may stand still: then there are two at work, which harms nothing. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 25;

export interface LayerWanted {
  readonly repository: string;
  readonly descriptor: Descriptor;
  /** Digest of the uncompressed layer in the image configuration. */
  readonly diffId: string;
  /** Budget of the image that the earlier layers left over. */
  readonly left: ImageAmounts;
  readonly process: ImageProcess;
}
export interface CachedLayer {
  readonly folder: string;
  readonly listBytes: number;
  readonly left: ImageAmounts;
}

export class LayerCache {
  readonly #directory: string;
  readonly #client: OciClient;
  readonly #limits: ImageAmounts;
  readonly #pulls = new Map<string, Promise<void>>();

  constructor(directory: string, client: OciClient, limits: ImageAmounts) {
    this.#directory = directory;
    this.#client = client;
    this.#limits = limits;
  }

  /** Returns the layer's contents. Pulls the layer if it is not cached. */
  async layer(wanted: LayerWanted): Promise<CachedLayer> {
    const folder = this.#folder(wanted.descriptor.digest);
    return this.#cached(folder, await this.#pulled(wanted, folder), wanted);
  }

  /** Returns the layer's contents if they are cached. */
  async atHand(wanted: Omit<LayerWanted, 'process'>): Promise<CachedLayer | undefined> {
    const folder = this.#folder(wanted.descriptor.digest);
    const facts = await this.#facts(folder);
    return facts && this.#cached(folder, facts, wanted);
  }

  async #cached(folder: string, facts: LayerFacts, { descriptor, diffId, left }: Omit<LayerWanted, 'process'>): Promise<CachedLayer> {
    if (facts.diffId !== diffId) throw badImage(`the layer ${descriptor.digest} is not the one that the image names`);
    const now = new Date();
    await utimes(join(folder, FACTS), now, now).catch(() => undefined);
    return { folder, listBytes: facts.taken.listBytes, left: leftAfter(left, facts.taken, this.#limits) };
  }

  #folder(digest: string): string {
    return join(this.#directory, digestFolder(digest));
  }

  async forget(digest: string): Promise<void> {
    await removeWhole(this.#folder(digest));
  }

  /** Returns the digests of the cached layers, as directory names. */
  folders(): Promise<string[]> {
    return wholeDirectories(this.#directory);
  }

  /** The file that is touched when the layer is used. */
  factsFile(folder: string): string {
    return join(this.#directory, folder, FACTS);
  }

  async remove(folder: string): Promise<void> {
    await removeWhole(join(this.#directory, folder));
  }

  async removeAbandoned(now: number): Promise<void> {
    await removeAbandoned(this.#directory, now);
  }

  async #facts(folder: string): Promise<LayerFacts | undefined> {
    try {
      const file = join(folder, FACTS);
      if ((await stat(file)).size > FACTS_LIMIT_BYTES) return undefined;
      return LayerFacts.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      return undefined;
    }
  }

  async #pulled(wanted: LayerWanted, folder: string): Promise<LayerFacts> {
    const { digest } = wanted.descriptor;
    for (;;) {
      const known = await this.#facts(folder);
      if (known !== undefined) return known;
      const other = this.#pulls.get(digest);
      if (other === undefined) break;
      // The other pull may be for an image with a smaller remaining budget, so its failure does not apply here.
      await other.catch(() => undefined);
    }
    const pull = this.#pullOnce(wanted, folder).finally(() => this.#pulls.delete(digest));
    this.#pulls.set(digest, pull);
    await pull;
    const facts = await this.#facts(folder);
    if (facts !== undefined) return facts;
    // What a crash of the machine or an older version had left in its place was taken for it.
    await removeWhole(folder);
    throw new LayerDamaged(folder);
  }

  /** Pulls the layer in one process only: server and node agent often need a layer at the same time. */
  async #pullOnce(wanted: LayerWanted, target: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const file = join(this.#directory, `${PULLING}${digestFolder(wanted.descriptor.digest)}`);
    const deadline = performance.now() + PATIENCE_MS;
    let lock = tryLockFile(file);
    while (lock === undefined && performance.now() < deadline) {
      await delay(LOOK_MS);
      if ((await this.#facts(target)) !== undefined) return;
      lock = tryLockFile(file);
    }
    try {
      if ((await this.#facts(target)) === undefined) await this.#pull(wanted, target);
    } finally {
      if (lock !== undefined) await rm(file, { force: true });
      lock?.release();
    }
  }

  async #pull({ repository, descriptor, left, process }: LayerWanted, target: string): Promise<void> {
    const compression = layerCompression(descriptor.mediaType);
    if (compression === undefined) throw badImage(`the image holds a layer of an unknown kind: ${shown(descriptor.mediaType)}`);
    if (descriptor.size > left.bytes) throw tooLarge('bytes', this.#limits);
    await createWhole(target, async (folder) => {
      const file = join(folder, BLOB);
      await this.#download(repository, descriptor, file);
      const unpacked = await process.run({ kind: 'unpack', file, folder, compression, left, limits: this.#limits });
      await rm(file);
      const facts: LayerFacts = { format: 2, ...unpacked };
      await writeFile(join(folder, FACTS), JSON.stringify(facts));
    });
  }

  /** Downloads the whole layer and verifies its digest before unpacking. */
  async #download(repository: string, { digest, size }: Descriptor, file: string): Promise<void> {
    const source = await this.#client.pullBlob(repository, digest);
    const meter = new DigestMeter((bytes) => (bytes > size ? badImage('the layer is longer than its manifest says') : undefined));
    try {
      await pipeline(source, meter, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    } catch (cause) {
      if (cause instanceof PortFailure) throw cause;
      if (isNoSpace(cause)) throw noSpace('the layer cannot be stored: no space left', cause);
      const isOwn = cause instanceof Error && 'syscall' in cause && 'path' in cause;
      throw new PortFailure(
        'unavailable',
        isOwn ? 'the layer cannot be stored on this machine' : 'the registry broke off while sending a layer',
        {
          cause,
        },
      );
    }
    const found = meter.digest();
    if (found !== digest || meter.bytes !== size) throw badImage(`the layer ${digest} came with other content, ${found}`);
  }
}
