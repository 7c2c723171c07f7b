/** Stores root file systems of images, ready to run. Pulls each image once, keeps it by digest, and shares it between instances. */
import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { noFloor } from '@slipway/foundation/disk-floor.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { isPortFailure, PortFailure } from '@slipway/foundation/ports/failure.ts';

import { digestFolder, digestPattern } from './digest.ts';
import { ImageConfig, Index, Manifest, hostArchitecture, parseDocument, platformManifest } from './image-documents.ts';
import { badImage, defaultImageAmounts } from './image-limits.ts';
import type { ImageAmounts } from './image-limits.ts';
import { ImageProcess, defaultProcessLimits } from './image-process.ts';
import type { ProcessLimits } from './image-process.ts';
import { LayerCache } from './layer-cache.ts';
import type { CachedLayer } from './layer-cache.ts';
import { isIndex, isManifest, layerCompression } from './media-types.ts';
import type { OciClient } from './oci-client.ts';
import { LayerDamaged } from './root-tree.ts';
import { createWhole, removeAbandoned, removeWhole, wholeDirectories } from './staged-directory.ts';
import { Turns } from './turns.ts';

export interface PreparedImage {
  /** Absolute path of the shared root file system: mount it read-only. */
  readonly rootfs: string;
  /** Entrypoint and arguments. */
  readonly entrypoint: string[];
  readonly workdir: string;
  readonly env: Record<string, string>;
  /** User in the image's own format: a name, `uid` or `uid:gid`. */
  readonly user?: string;
}
export interface ImageStoreOptions {
  /** Directory for this store only, shared by all processes of the machine. Must be one file system, because the store uses hard links. */
  readonly directory: string;
  readonly client: OciClient;
  readonly log: Log;
  readonly limits?: Partial<ImageAmounts & ProcessLimits>;
  /** Free space to keep on the disk that contains `directory`. */
  readonly floor?: Floor;
  /** Milliseconds to keep a process ready for the next image, which saves that image the process's start. Defaults to 0, which is never. */
  readonly readyMs?: number;
}

const CONFIG_LIMIT_BYTES = 1 << 20;
const SETTINGS = 'image.json';
const ROOT = 'rootfs';

const StoredImage = z.object({
  entrypoint: z.array(z.string()),
  workdir: z.string(),
  env: z.record(z.string(), z.string()),
  user: z.string().optional(),
  layers: z.array(z.string().regex(digestPattern)),
});
type StoredImage = z.infer<typeof StoredImage>;
interface Wanted {
  readonly repository: string;
  readonly digest: string;
  readonly manifest: Manifest;
  readonly config: ImageConfig;
  readonly image: StoredImage;
}

/** Images prepared at once. Each has a process that may use up to its memory limit. */
const PARALLEL_IMAGES = 2;

const settingsOf = ({ config }: ImageConfig): Omit<StoredImage, 'layers'> => {
  const entrypoint = [...(config?.Entrypoint ?? []), ...(config?.Cmd ?? [])];
  if (entrypoint.length === 0) throw badImage('the image does not say what to start', 'ImageNoCommand');
  const env = (config?.Env ?? []).map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]);
  const user = config?.User ?? '';
  return { entrypoint, workdir: config?.WorkingDir || '/', env: Object.fromEntries(env), ...(user === '' ? {} : { user }) };
};

export class ImageStore {
  readonly #directory: string;
  readonly #images: string;
  readonly #client: OciClient;
  readonly #log: Log;
  readonly #limits: ImageAmounts & ProcessLimits;
  readonly #floor: Floor;
  readonly #readyMs: number;
  #ready: { readonly process: ImageProcess; readonly timer: NodeJS.Timeout } | undefined;
  readonly #turns = new Turns(PARALLEL_IMAGES);
  readonly layers: LayerCache;
  readonly #preparing = new Map<string, Promise<StoredImage>>();

  constructor({ directory, client, log, limits, floor = noFloor, readyMs = 0 }: ImageStoreOptions) {
    this.#directory = directory;
    this.#images = join(directory, 'images');
    this.#client = client;
    this.#log = log;
    this.#limits = { ...defaultImageAmounts, ...defaultProcessLimits, ...limits };
    this.#floor = floor;
    this.#readyMs = readyMs;
    this.layers = new LayerCache(join(directory, 'layers'), client, this.#limits);
  }

  /**
   * Returns the image's root file system and how to start it. Throws notFound if the registry does not have the image, unavailable if
   * the registry is down and the image is not stored yet, and rejected for content that cannot or must not run here.
   */
  async prepare(repository: string, digest: string): Promise<PreparedImage> {
    if (!digestPattern.test(digest)) throw badImage(`${digest} is not a digest`);
    const image = (await this.#stored(digest)) ?? (await this.#pulled(repository, digest));
    const { layers: _, ...settings } = image;
    const now = new Date();
    await utimes(join(this.#folder(digest), SETTINGS), now, now).catch(() => undefined);
    return { rootfs: join(this.#folder(digest), ROOT), ...settings };
  }

  /** Deletes images that were not requested for `unusedMs` and are not `inUse` (digests), and layers that no image needs any longer. */
  async prune(options: { readonly inUse: Iterable<string>; readonly unusedMs: number }): Promise<{ images: number; layers: number }> {
    const now = Date.now();
    const kept = new Set([...options.inUse].map(digestFolder));
    const isOld = async (file: string): Promise<boolean> =>
      now - ((await stat(file).catch(() => undefined))?.mtimeMs ?? now) > options.unusedMs;
    const removed = { images: 0, layers: 0 };
    const needed = new Set<string>();
    for (const folder of await wholeDirectories(this.#images)) {
      const file = join(this.#images, folder, SETTINGS);
      if (!kept.has(folder) && (await isOld(file))) {
        await removeWhole(join(this.#images, folder));
        removed.images += 1;
      } else for (const layer of (await this.#read(file))?.layers ?? []) needed.add(digestFolder(layer));
    }
    for (const folder of await this.layers.folders()) {
      if (needed.has(folder) || !(await isOld(this.layers.factsFile(folder)))) continue;
      await this.layers.remove(folder);
      removed.layers += 1;
    }
    await removeAbandoned(this.#images, now);
    await this.layers.removeAbandoned(now);
    if (removed.images + removed.layers > 0) this.#log.info(removed, 'unused images removed');
    return removed;
  }

  #folder(digest: string): string {
    return join(this.#images, digestFolder(digest));
  }

  #stored(digest: string): Promise<StoredImage | undefined> {
    return this.#read(join(this.#folder(digest), SETTINGS));
  }

  async #read(file: string): Promise<StoredImage | undefined> {
    try {
      return StoredImage.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      // The file is missing, or a crash of the machine left it empty. The image is pulled again.
      return undefined;
    }
  }

  #pulled(repository: string, digest: string): Promise<StoredImage> {
    const pull = (): Promise<StoredImage> => this.#pull(repository, digest);
    const preparing = this.#preparing.get(digest) ?? this.#turns.take(pull).finally(() => this.#preparing.delete(digest));
    this.#preparing.set(digest, preparing);
    return preparing;
  }

  async #pull(repository: string, digest: string): Promise<StoredImage> {
    const startedAt = performance.now();
    await this.#floor.require();
    const { manifest, config } = await this.#documents(repository, digest);
    const image: StoredImage = { ...settingsOf(config), layers: manifest.layers.map((layer) => layer.digest) };
    await mkdir(this.#images, { recursive: true });
    // Without mounts, a program must be able to traverse the path to its files.
    for (const path of [this.#directory, this.#images]) await chmod(path, 0o711);
    const wanted = { repository, digest, manifest, config, image };
    try {
      await this.#assemble(wanted);
    } catch (error) {
      if (!(error instanceof LayerDamaged)) throw error;
      this.#log.warn({ repository, digest }, 'a cached layer is damaged: pulling it again');
      await mapLimited(image.layers, (layer) => this.layers.forget(layer));
      await this.#assemble(wanted);
    }
    this.#log.info({ repository, digest, tookMs: Math.round(performance.now() - startedAt) }, 'image prepared');
    return image;
  }

  async #documents(repository: string, digest: string): Promise<{ manifest: Manifest; config: ImageConfig }> {
    let document = await this.#client.pullManifest(repository, digest);
    if (isIndex(document.mediaType)) {
      const chosen = platformManifest(parseDocument(Index, document.bytes, 'image index'));
      if (chosen === undefined) throw this.#wrongPlatform('the image');
      document = await this.#client.pullManifest(repository, chosen.digest).catch((error: unknown) => {
        throw isPortFailure(error, 'notFound') ? this.#notPushed(repository, chosen.digest, error) : error;
      });
    }
    if (!isManifest(document.mediaType)) throw badImage('the image index names another index');
    const manifest = parseDocument(Manifest, document.bytes, 'image manifest');
    // A registry accepts such layers unseen. A user who knows the digest of another team's layer would get it from the store.
    if (manifest.layers.some(({ mediaType, urls }) => layerCompression(mediaType) === undefined || (urls ?? []).length > 0))
      throw badImage('the image holds a layer that is to be fetched elsewhere, or of an unknown kind');
    const bytes = await this.#client.pullDocument(repository, manifest.config, CONFIG_LIMIT_BYTES);
    const config = parseDocument(ImageConfig, bytes, 'image configuration');
    if (config.os !== 'linux' || config.architecture !== hostArchitecture())
      throw this.#wrongPlatform(`${config.os}/${config.architecture}`);
    if (config.rootfs.diff_ids.length !== manifest.layers.length) throw badImage('manifest and configuration name different layers');
    return { manifest, config };
  }

  /** Explains a missing image of an index, because registries accept an index without all of its images. */
  #notPushed(repository: string, digest: string, cause: PortFailure): PortFailure {
    const message = `its index names ${digest} for linux/${hostArchitecture()}, which is not in ${repository}; push that image, too`;
    return new PortFailure('notFound', message, { cause });
  }

  #wrongPlatform(what: string): PortFailure {
    const platform = `linux/${hostArchitecture()}`;
    return new PortFailure('rejected', `${what} is not for ${platform}`, { code: 'ImageWrongPlatform', context: { platform } });
  }

  /** Unpacks the layers one after another, because each may use only the budget that earlier layers left. */
  async #assemble({ repository, digest, manifest, config, image }: Wanted): Promise<void> {
    const process = this.#takeProcess();
    try {
      process.begin(this.#floor);
      let left: ImageAmounts = this.#limits;
      const layers: CachedLayer[] = [];
      for (const [index, descriptor] of manifest.layers.entries()) {
        const layer = await this.layers.layer({ repository, descriptor, diffId: config.rootfs.diff_ids[index] ?? '', left, process });
        layers.push(layer);
        left = layer.left;
      }
      await createWhole(this.#folder(digest), async (folder) => {
        await process.run({ kind: 'assemble', layers, target: join(folder, ROOT), workdir: image.workdir, left });
        await writeFile(join(folder, SETTINGS), JSON.stringify(image));
      });
      if ((await this.#stored(digest)) !== undefined) return;
      // `createWhole` kept the damaged folder that a crash of the machine had left here.
      await removeWhole(this.#folder(digest));
      throw new LayerDamaged(digest);
    } finally {
      process.close();
      this.#keepReady();
    }
  }

  /** Returns a process for one image only, so that an image cannot affect the next one through the process. */
  #takeProcess(): ImageProcess {
    const ready = this.#ready;
    this.#ready = undefined;
    clearTimeout(ready?.timer);
    return ready?.process.isAlive ? ready.process : new ImageProcess(this.#limits);
  }

  #keepReady(): void {
    if (this.#readyMs === 0 || this.#ready) return;
    const process = new ImageProcess(this.#limits);
    const end = (): void => {
      this.#ready = undefined;
      process.close();
    };
    this.#ready = { process, timer: setTimeout(end, this.#readyMs).unref() };
  }
}
