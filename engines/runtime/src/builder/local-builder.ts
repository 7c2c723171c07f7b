/** Builds images from Node source trees without Docker: a base layer with this machine's Node, dependencies, and the program. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';

import { imageDocuments } from '@slipway/images/oci/image-documents.ts';
import type { Document } from '@slipway/images/oci/image-documents.ts';
import { writeLayer } from '@slipway/images/oci/layer-writer.ts';
import type { LayerBlob, LayerSource } from '@slipway/images/oci/layer-writer.ts';
import { groupsRemoved } from '../sandbox/control-groups/control-group-files.ts';
import { releaseHostUid } from '../sandbox/host-uid.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { noFloor } from '@slipway/foundation/disk-floor.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import type { BuildRequest, Builder, BuiltImage, SourceFile } from '@slipway/foundation/ports/builder.ts';
import type { Registry } from '@slipway/foundation/ports/registry.ts';

import { bytesText, durationText, filesText } from './amounts.ts';
import { BaseImage, baseEnv, baseRepository } from './base-image.ts';
import { nodeInImage } from './base-layer.ts';
import { BuildDirectories } from './build-directories.ts';
import type { DirectoryOptions } from './build-directories.ts';
import type { BuildDisk } from './build-disk.ts';
import { defaultBuildLimits } from './build-limits.ts';
import type { BuildLimits } from './build-limits.ts';
import { buildPlan } from './build-plan.ts';
import type { BuildPlan } from './build-plan.ts';
import { buildRejection } from './build-rejection.ts';
import { DependencyCache, dependencyKey } from './dependency-cache.ts';
import { BuildLog } from './log-lines.ts';
import { buildUser } from './build-room.ts';
import { findNpm, npmVersion } from './npm-program.ts';
import type { NpmProgram } from './npm-program.ts';
import { buildInSandbox } from './sandboxed-build.ts';
import { sourceTree } from './source-tree.ts';

export interface LocalBuilderOptions extends DirectoryOptions {
  /** Holds builds in progress and caches for later builds. */
  readonly dataDir: string;
  readonly registry: Registry;
  /** Rejects sources that need npm if the sandbox isolates nothing. */
  readonly isSandboxRequired: boolean;
  readonly limits?: Partial<BuildLimits>;
  /** Private network hosts that builds may reach besides the package registry: `host` or `host:port`. */
  readonly insideHosts?: readonly string[];
  /** Free space to keep on the disk of `dataDir`. */
  readonly floor?: Floor;
}

const CREATED_LABEL = 'org.opencontainers.image.created';

/** A layer, with its file if the registry does not have it yet. */
interface ReadyLayer {
  readonly layer: LayerBlob;
  readonly file: string | undefined;
}
interface Build {
  readonly request: BuildRequest;
  readonly tree: ReadonlyMap<string, SourceFile>;
  readonly plan: BuildPlan;
  readonly directory: string;
  /** Set when first needed, if the machine allows one. */
  disk: BuildDisk | undefined;
  readonly log: BuildLog;
  readonly signal: AbortSignal;
}

export class LocalBuilder implements Builder {
  readonly #options: LocalBuilderOptions;
  readonly #limits: BuildLimits;
  readonly #client: OciClient;
  readonly #base: BaseImage;
  readonly #dependencies: DependencyCache;
  readonly #directories: BuildDirectories;
  readonly #floor: Floor;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #warmed: Promise<LayerBlob> | undefined;
  #npm: Promise<NpmProgram> | undefined;

  constructor(options: LocalBuilderOptions) {
    const { dataDir, registry } = options;
    this.#options = options;
    this.#limits = { ...defaultBuildLimits, ...options.limits };
    this.#client = new OciClient({
      baseUrl: registry.baseUrl,
      authorize: (repository, actions) => registry.accessToken(repository, actions),
    });
    this.#base = new BaseImage(dataDir, registry, this.#client);
    this.#directories = new BuildDirectories(options);
    this.#floor = options.floor ?? noFloor;
    this.#dependencies = new DependencyCache(join(dataDir, 'dependencies'));
  }

  async warm(): Promise<void> {
    await this.#baseLayer();
    await this.#dependencies.prune();
    await this.#directories.startSweeping();
    if ((await this.diskLimit()) === 'watched')
      this.#options.log.warn(
        {},
        'What builds write is watched here, not limited by the system: that needs root, loop devices and mkfs.ext4',
      );
  }

  /**
   * Returns how disk usage is limited. `enforced`: a build writes to its own disk of limited size. `watched`: a build is ended a moment
   * after it has written too much.
   */
  async diskLimit(): Promise<'enforced' | 'watched'> {
    return (await this.#directories.isLimited()) ? 'enforced' : 'watched';
  }

  /** Returns the base image of every built image, so that a runtime can pull it before the first build. */
  async baseImage(): Promise<{ readonly repository: string; readonly digest: string }> {
    return { repository: baseRepository, digest: this.#base.digest(await this.#baseLayer()) };
  }

  build(request: BuildRequest): Promise<BuiltImage> {
    const building = this.#build(request).finally(() => this.#running.delete(building));
    this.#running.add(building);
    return building;
  }

  /** Aborts builds in progress and waits until they are cleaned up. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the builder closes'));
    this.#directories.stopSweeping();
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.allSettled(this.#running);
    await groupsRemoved();
  }

  #baseLayer(): Promise<LayerBlob> {
    this.#warmed ??= this.#prepareBase().catch((error: unknown) => {
      this.#warmed = undefined;
      throw error;
    });
    return this.#warmed;
  }

  async #prepareBase(): Promise<LayerBlob> {
    const startedAt = performance.now();
    const layer = await this.#base.ensure();
    const tookMs = Math.round(performance.now() - startedAt);
    this.#options.log.info({ digest: layer.digest, bytes: layer.size, tookMs }, 'base layer ready');
    return layer;
  }

  async #build(request: BuildRequest): Promise<BuiltImage> {
    const startedAt = performance.now();
    const signal = request.signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, request.signal]);
    signal.throwIfAborted();
    await this.#floor.require();
    const log = new BuildLog(request.onLog);
    const tree = sourceTree(request.files);
    const plan = buildPlan(tree);
    const bytes = [...tree.values()].reduce((sum, { content }) => sum + content.length, 0);
    log.say(`Source: ${filesText(tree.size)}, ${bytesText(bytes)}.`);
    log.say(`Start command: node ${plan.start.join(' ')}`);
    if (plan.startRemark !== undefined) log.say(plan.startRemark);
    const directory = await this.#directories.make();
    const build: Build = { request, tree, plan, directory, disk: undefined, log, signal };
    try {
      const image = await this.#push(build, await this.#appLayers(build));
      log.say(`Built and pushed in ${durationText(performance.now() - startedAt)}: ${image.digest}`);
      return image;
    } finally {
      await build.disk?.close();
      await this.#directories.remove(directory);
      releaseHostUid(buildUser(request.buildId));
    }
  }

  async #appLayers(build: Build): Promise<ReadyLayer[]> {
    const { plan, tree, log } = build;
    if (plan.install === 'none' && !plan.hasBuildScript) {
      log.say('Dependencies: none to install.');
      return [await this.#layer(build, 'App', memorySources(tree))];
    }
    if (this.#options.sandbox.tier === 'host' && this.#options.isSandboxRequired) {
      const reason = 'This machine offers no sandbox, so that only sources without dependencies and without a build script can be built.';
      throw buildRejection('BuildSandboxRequired', reason);
    }
    // A build script may change installed packages. Only a plain installation is reproducible and can be cached.
    return plan.hasBuildScript ? this.#builtLayers(build) : this.#installedLayers(build);
  }

  async #builtLayers(build: Build): Promise<ReadyLayer[]> {
    const { dependencies, program } = await this.#runSandboxed(build);
    const layers = dependencies.length === 0 ? [] : [await this.#layer(build, 'Dependencies', dependencies)];
    return [...layers, await this.#layer(build, 'App', program)];
  }

  async #installedLayers(build: Build): Promise<ReadyLayer[]> {
    const { request, tree, log, signal } = build;
    const npm = await this.#findNpm();
    const key = dependencyKey(request.repository, tree, `${process.version} ${await npmVersion(npm)}`);
    const app = await this.#layer(build, 'App', memorySources(tree));
    const kept = await this.#dependencies.find(key);
    if (kept !== undefined && (await this.#client.hasBlob(request.repository, kept.digest, signal))) {
      log.say(`Dependencies: unchanged since the last build, ${bytesText(kept.size)}.`);
      return [{ layer: kept, file: undefined }, app];
    }
    const { dependencies } = await this.#runSandboxed(build);
    if (dependencies.length === 0) return [app];
    const installed = await this.#layer(build, 'Dependencies', dependencies);
    await this.#dependencies.keep(key, installed.layer);
    return [installed, app];
  }

  async #runSandboxed(build: Build) {
    const npm = await this.#findNpm();
    const { sandbox } = this.#options;
    const { request, directory, log } = build;
    build.disk = await this.#directories.disk(directory, this.#limits);
    if (build.disk === undefined) log.say('What the commands write is watched: this machine offers no disk of limited size.');
    if (sandbox.tier === 'host') log.say('This machine offers no sandbox: the commands run unprotected, as development mode allows.');
    const { insideHosts } = this.#options;
    return buildInSandbox({ ...build, buildId: request.buildId, npm, sandbox, insideHosts, limits: this.#limits, floor: this.#floor });
  }

  #findNpm(): Promise<NpmProgram> {
    this.#npm ??= findNpm().catch((error: unknown) => {
      this.#npm = undefined;
      throw error;
    });
    return this.#npm;
  }

  async #layer({ directory, log }: Build, name: string, sources: readonly LayerSource[]): Promise<ReadyLayer> {
    const file = join(directory, `${name.toLowerCase()}.tar.gz`);
    await this.#floor.require();
    const layer = await writeLayer(sources, file, { compression: 'gzip', comment: name });
    const files = sources.filter(({ kind }) => kind === 'file').length;
    log.say(`${name} layer: ${filesText(files)}, ${bytesText(layer.size)} compressed.`);
    return { layer, file };
  }

  async #push({ request, plan, log, signal }: Build, layers: readonly ReadyLayer[]): Promise<BuiltImage> {
    const { repository, tag, labels } = request;
    const base = await this.#baseLayer();
    const created = Date.parse(labels[CREATED_LABEL] ?? '');
    const { config, manifest, sizeBytes } = imageDocuments([base, ...layers.map(({ layer }) => layer)], {
      entrypoint: [nodeInImage, ...plan.start],
      workdir: '/app',
      env: baseEnv,
      // Kubernetes' restricted profile requires a numeric user other than root.
      user: '1000',
      labels,
      createdAt: new Date(Number.isNaN(created) ? 0 : created),
    });
    const startedAt = performance.now();
    const sent = await this.#pushBlobs(repository, layers, config, base, signal);
    log.say(`Base layer: Node ${process.version.slice(1)}, ${bytesText(base.size)}, shared with every image.`);
    await this.#client.pushManifest(repository, tag, manifest, signal);
    log.say(
      `Pushed ${this.#options.registry.host}/${repository}:${tag}: ${bytesText(sent)} sent in ${durationText(performance.now() - startedAt)}.`,
    );
    return { digest: manifest.digest, sizeBytes };
  }

  /** Returns the number of bytes sent. If one upload fails the others are aborted, so that nothing reads the build's files any more. */
  async #pushBlobs(
    repository: string,
    layers: readonly ReadyLayer[],
    config: Document,
    base: LayerBlob,
    signal: AbortSignal,
  ): Promise<number> {
    const blobs = layers.flatMap(({ layer, file }) => (file === undefined ? [] : [{ ...layer, body: () => createReadStream(file) }]));
    const all = [...blobs, { digest: config.digest, size: config.bytes.length, body: () => config.bytes }];
    const stopping = new AbortController();
    const either = AbortSignal.any([signal, stopping.signal]);
    const sends = mapLimited(all, async (blob) => ((await this.#client.pushBlob(repository, blob, either)) ? blob.size : 0));
    const link = this.#base.link(base, repository, either);
    // The other one is aborted with the same reason.
    for (const work of [sends, link]) work.catch((error: unknown) => stopping.abort(error));
    await Promise.allSettled([sends, link]);
    const [sizes] = await Promise.all([sends, link]);
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

const memorySources = (tree: ReadonlyMap<string, SourceFile>): LayerSource[] =>
  [...tree.values()].map(({ path, content, isExecutable }) => ({ kind: 'file', path: `app/${path}`, isExecutable, content }));
