/**
 * The built-in scanner: unpacks an image's layers like for running, in a process with limits, and lists the packages. The platform's
 * advisories supply their vulnerabilities.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { scanNote, type ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { ImageConfig, Index, Manifest, parseDocument } from '../oci/image-documents.ts';
import { badImage, defaultImageAmounts, type ImageAmounts } from '../oci/image-limits.ts';
import { defaultProcessLimits, ImageProcess, type ProcessLimits } from '../oci/image-process.ts';
import { LayerCache } from '../oci/layer-cache.ts';
import { isIndex, isManifest, layerCompression, ociConfig } from '../oci/media-types.ts';
import type { OciClient } from '../oci/oci-client.ts';
import { noFloor, type Floor } from '@slipway/foundation/disk-floor.ts';
import { isPortFailure, PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { FoundPackage, ImageToScan, Scanner, ScannerInfo, ScanReport } from '@slipway/foundation/ports/scanner.ts';
import { defaultFindLimits, type FindLimits } from './find-packages.ts';
import { FindAnswer, type FindJob } from './scan-job.ts';

export interface EmbeddedScannerOptions {
  /** The scanner's own directory, empty between scans. */
  readonly directory: string;
  readonly client: OciClient;
  /** Layers unpacked for running. These are not unpacked again. */
  readonly unpacked?: LayerCache;
  readonly version: string;
  readonly floor?: Floor;
  readonly limits?: Partial<ImageAmounts & ProcessLimits & FindLimits>;
}

const CONFIG_LIMIT_BYTES = 1 << 20;
const PLATFORMS = 8;
/** Longer than the process's time limit for an image. */
const ABANDONED_MS = 2 * 3_600_000;
const WORKER = new URL('./scan-worker.ts', import.meta.url);
const imageConfigs = new Set([ociConfig, 'application/vnd.docker.container.image.v1+json']);

interface Part {
  readonly digest: string;
  readonly manifest: Manifest;
}
interface ImageToFind {
  readonly repository: string;
  readonly manifest: Manifest;
  readonly config: ImageConfig;
  readonly process: ImageProcess;
  /** Layers that are pulled only for this scan. */
  readonly own: LayerCache;
}
const notAnImage = (mediaType: string): PortFailure =>
  new PortFailure('rejected', `${mediaType} is no image`, { code: 'NotAnImage', context: { mediaType } });

const platformOf = ({ os, architecture, variant }: { os: string; architecture: string; variant?: string | undefined }): string =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');

/** Merges equal packages of several platforms' images into one with all platforms. */
const joined = (packages: readonly FoundPackage[]): FoundPackage[] => {
  const byPlace = Map.groupBy(packages, ({ purl, path, layer }) => JSON.stringify([purl, path, layer]));
  return [...byPlace.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, platforms: [...new Set([first, ...others].flatMap(({ platforms }) => platforms))] }] : [],
  );
};

export class EmbeddedScanner implements Scanner {
  readonly kind = 'embedded';
  readonly #options: EmbeddedScannerOptions;
  readonly #limits: ImageAmounts & ProcessLimits & FindLimits;
  readonly #floor: Floor;

  constructor(options: EmbeddedScannerOptions) {
    this.#options = options;
    this.#limits = { ...defaultImageAmounts, ...defaultProcessLimits, ...defaultFindLimits, ...options.limits };
    this.#floor = options.floor ?? noFloor;
  }

  async info(): Promise<ScannerInfo> {
    return { name: 'Slipway scan', vendor: 'Slipway', version: this.#options.version };
  }

  async scan(image: ImageToScan, signal: AbortSignal): Promise<ScanReport> {
    await this.#removeAbandoned();
    await this.#floor.require();
    const notes: ScanNote[] = [];
    const parts = await this.#parts(image, notes, signal);
    const found: FoundPackage[] = [];
    const platforms: string[] = [];
    for (const part of parts) {
      signal.throwIfAborted();
      const read = await this.#read(image.repository, part, signal).catch((error: unknown) => {
        // Images of an index are independent: an unreadable image, such as one for Windows, does not prevent scanning the others.
        if (parts.length === 1 || !isPortFailure(error, 'rejected')) throw error;
        return { platform: undefined, packages: [], notes: [scanNote('LayerUnreadable', { reason: error.message })] };
      });
      if (read.platform !== undefined) platforms.push(read.platform);
      found.push(...read.packages);
      notes.push(...read.notes);
    }
    if (platforms.length === 0) throw badImage('none of its images could be read');
    const digests = parts.map(({ digest }) => digest).filter((digest) => digest !== image.digest);
    return { platforms: [...new Set(platforms)], parts: digests, packages: joined(found), vulnerabilities: null, notes };
  }

  /** Does nothing: a scan removes its own directory, even if it is aborted. */
  async close(): Promise<void> {}

  /** Removes leftovers of killed scans by age, since other replicas may be scanning. */
  async #removeAbandoned(): Promise<void> {
    const { directory } = this.#options;
    for (const name of await readdir(directory).catch(() => [])) {
      const info = await stat(join(directory, name)).catch(() => undefined);
      if (info && Date.now() - info.mtimeMs > ABANDONED_MS) await rm(join(directory, name), { recursive: true, force: true });
    }
  }

  /** Returns the image itself, or the images of an index, one per platform. Skips attestations, which an index also lists. */
  async #parts({ repository, digest }: ImageToScan, notes: ScanNote[], signal: AbortSignal): Promise<Part[]> {
    const { client } = this.#options;
    const document = await client.pullManifest(repository, digest, signal);
    if (isManifest(document.mediaType)) return [{ digest, manifest: this.#manifest(document.bytes) }];
    const index = parseDocument(Index, document.bytes, 'image index');
    const images = index.manifests.filter(({ mediaType, platform }) => isManifest(mediaType) && platform?.os !== 'unknown');
    if (images.length === 0) throw notAnImage(document.mediaType);
    if (images.length > PLATFORMS) notes.push(scanNote('TooManyPlatforms', { read: String(PLATFORMS), platforms: String(images.length) }));
    const parts: Part[] = [];
    for (const { digest: part, platform } of images.slice(0, PLATFORMS)) {
      try {
        const { mediaType, bytes } = await client.pullManifest(repository, part, signal);
        if (isIndex(mediaType)) throw badImage('the image index names another index');
        parts.push({ digest: part, manifest: this.#manifest(bytes) });
      } catch (error) {
        if (!isPortFailure(error, 'notFound')) throw error;
        notes.push(scanNote('PlatformMissing', { platform: platform ? platformOf(platform) : part }));
      }
    }
    if (parts.length === 0) throw new PortFailure('notFound', `none of the images that ${repository}@${digest} names is there`);
    return parts;
  }

  #manifest(bytes: Uint8Array): Manifest {
    const manifest = parseDocument(Manifest, bytes, 'image manifest');
    if (!imageConfigs.has(manifest.config.mediaType)) throw notAnImage(manifest.config.mediaType);
    const foreign = manifest.layers.find(({ mediaType, urls }) => layerCompression(mediaType) === undefined || (urls ?? []).length > 0);
    if (foreign) throw badImage(`a layer is encrypted, kept elsewhere, or of an unknown kind (${foreign.mediaType.slice(0, 100)})`);
    return manifest;
  }

  async #read(repository: string, { manifest }: Part, signal: AbortSignal) {
    const { client, directory } = this.#options;
    const bytes = await client.pullDocument(repository, manifest.config, CONFIG_LIMIT_BYTES, signal);
    const config = parseDocument(ImageConfig, bytes, 'image configuration');
    if (config.rootfs.diff_ids.length !== manifest.layers.length) throw badImage('manifest and configuration name different layers');
    const place = join(directory, randomUUID());
    await mkdir(place, { recursive: true });
    const process = new ImageProcess(this.#limits, WORKER);
    process.begin(this.#floor);
    const stop = (): void => process.close();
    signal.addEventListener('abort', stop);
    try {
      const own = new LayerCache(place, client, this.#limits);
      const answer = await this.#find({ repository, manifest, config, process, own });
      const platform = platformOf(config);
      const digests = manifest.layers.map(({ digest }) => digest);
      const packages = answer.packages.map(({ layer, ...one }) => ({ ...one, layer: digests[layer] ?? null, platforms: [platform] }));
      return { platform, packages, notes: answer.notes };
    } finally {
      signal.removeEventListener('abort', stop);
      process.close();
      await rm(place, { recursive: true, force: true });
    }
  }

  /** Finds packages. An unpacked layer may be damaged or removed meanwhile; then all layers are pulled for this scan. */
  async #find(wanted: ImageToFind): Promise<FindAnswer> {
    const { unpacked } = this.#options;
    try {
      return await this.#findIn(wanted, unpacked);
    } catch (error) {
      if (!unpacked || !wanted.process.isAlive || isPortFailure(error, 'rejected')) throw error;
      return this.#findIn(wanted);
    }
  }

  /** Loads layers sequentially, since each may use the limits that the earlier ones left. */
  async #findIn({ repository, manifest, config, process, own }: ImageToFind, unpacked?: LayerCache): Promise<FindAnswer> {
    let left: ImageAmounts = this.#limits;
    const placed: FindJob['layers'][number][] = [];
    for (const [index, descriptor] of manifest.layers.entries()) {
      const wanted = { repository, descriptor, diffId: config.rootfs.diff_ids[index] ?? '', left };
      const layer = (await unpacked?.atHand(wanted)) ?? (await own.layer({ ...wanted, process }));
      placed.push({ folder: layer.folder, listBytes: layer.listBytes });
      left = layer.left;
    }
    const { files, packages, readMs } = this.#limits;
    const job: FindJob = { kind: 'find', layers: placed, impliedDirectories: left.entries, limits: { files, packages, readMs } };
    return FindAnswer.parse(await process.ask(job));
  }
}
