/** Root file systems of images, ready to run: pulled from a registry once, kept by digest, shared by every instance. */
import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { noFloor } from '#kernel/disk-floor.ts';
import type { Floor } from '#kernel/disk-floor.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import type { Log } from '#ports/log.ts';
import { isPortFailure, PortFailure } from '#ports/failure.ts';

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
  /** Entrypoint and arguments together. */
  readonly entrypoint: string[];
  readonly workdir: string;
  readonly env: Record<string, string>;
  /** As the image says it: a name, `uid` or `uid:gid`. */
  readonly user?: string;
}
export interface ImageStoreOptions {
  /** Kept by this store alone, but shared by every process of the machine. Hard links need it on one file system. */
  readonly directory: string;
  readonly client: OciClient;
  readonly log: Log;
  readonly limits?: Partial<ImageAmounts & ProcessLimits>;
  /** What is kept free of the disk that `directory` lies on. */
  readonly floor?: Floor;
  /** How long after an image the process for the next one is kept ready, which spares that one the process's start: 0, never, when not given. */
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

/** Images at a time, each with a process that may take up to its limit of memory. */
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
   * The image's root file system and how to start it. notFound when the registry has no such image, unavailable when the
   * registry is down (an image that is at hand needs none), rejected for content that cannot or must not run here.
   */
  async prepare(repository: string, digest: string): Promise<PreparedImage> {
    if (!digestPattern.test(digest)) throw badImage(`${digest} is not a digest`);
    const image = (await this.#stored(digest)) ?? (await this.#pulled(repository, digest));
    const { layers: _, ...settings } = image;
    const now = new Date();
    await utimes(join(this.#folder(digest), SETTINGS), now, now).catch(() => undefined);
    return { rootfs: join(this.#folder(digest), ROOT), ...settings };
  }

  /** Deletes images that nobody asked for since `unusedMs`, other than those `inUse` (digests), and layers that are left over. */
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
      // Not there; or a crash of the machine has left it empty, and it is pulled again.
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
    // Without mounts a program has to reach its files along the path.
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
    // A registry takes such layers unseen. Whoever knows the digest of another team's layer would be given it from the store.
    if (manifest.layers.some(({ mediaType, urls }) => layerCompression(mediaType) === undefined || (urls ?? []).length > 0))
      throw badImage('the image holds a layer that is to be fetched elsewhere, or of an unknown kind');
    const bytes = await this.#client.pullDocument(repository, manifest.config, CONFIG_LIMIT_BYTES);
    const config = parseDocument(ImageConfig, bytes, 'image configuration');
    if (config.os !== 'linux' || config.architecture !== hostArchitecture())
      throw this.#wrongPlatform(`${config.os}/${config.architecture}`);
    if (config.rootfs.diff_ids.length !== manifest.layers.length) throw badImage('manifest and configuration name different layers');
    return { manifest, config };
  }

  /** Registries take an index without all of its images. */
  #notPushed(repository: string, digest: string, cause: PortFailure): PortFailure {
    const message = `its index names ${digest} for linux/${hostArchitecture()}, which is not in ${repository}; push that image, too`;
    return new PortFailure('notFound', message, { cause });
  }

  #wrongPlatform(what: string): PortFailure {
    const platform = `linux/${hostArchitecture()}`;
    return new PortFailure('rejected', `${what} is not for ${platform}`, { code: 'ImageWrongPlatform', context: { platform } });
  }

  /** One layer after another, since each may take what those before it have left. */
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
      // What a crash of the machine had left in its place was taken for it.
      await removeWhole(this.#folder(digest));
      throw new LayerDamaged(digest);
    } finally {
      process.close();
      this.#keepReady();
    }
  }

  /** Each image has one of its own: what it made of the process ends with it. */
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
