/** Caches the layer of each installation, so that a push with unchanged dependencies installs nothing. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { LayerBlob } from '@slipway/images/oci/layer-writer.ts';
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';

import { LayerBlobShape } from './base-image.ts';

const KEPT_MS = 30 * 24 * 60 * 60_000;
const DECISIVE = new Set(['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc']);

/**
 * Returns the cache key. Installations are not shared between repositories, since the layer must be in the repository itself. `tools`
 * contains the versions of Node and npm.
 */
export const dependencyKey = (repository: string, tree: ReadonlyMap<string, SourceFile>, tools: string): string => {
  const hash = createHash('sha256').update(JSON.stringify([repository, tools, process.platform, process.arch]));
  const decisive = [...tree.values()].filter(({ path }) => DECISIVE.has(path.slice(path.lastIndexOf('/') + 1)));
  for (const { path, content } of decisive.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(JSON.stringify([path, content.length])).update(content);
  }
  return hash.digest('hex');
};

export class DependencyCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns a cached layer. The caller must check that the registry still has it. */
  async find(key: string): Promise<LayerBlob | undefined> {
    const file = this.#file(key);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
    return LayerBlobShape.safeParse(JSON.parse(text)).data;
  }

  async keep(key: string, layer: LayerBlob): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const draft = join(this.#directory, `.${randomUUID()}`);
    await writeFile(draft, JSON.stringify(layer));
    await rename(draft, this.#file(key));
  }

  /** Removes entries that were not used for a month. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.#directory).catch(() => [])) {
      const file = join(this.#directory, name);
      const info = await stat(file).catch(() => undefined);
      if (info !== undefined && Date.now() - info.mtimeMs > KEPT_MS) await rm(file, { force: true });
    }
  }

  #file(key: string): string {
    return join(this.#directory, `${key}.json`);
  }
}
