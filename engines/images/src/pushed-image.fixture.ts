/** Images that a test pushes, made of files by their paths: real layers in a real registry. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from './oci/digest.ts';
import { imageDocuments, type Document } from './oci/image-documents.ts';
import { writeLayer, type LayerBlob, type LayerSource } from './oci/layer-writer.ts';
import { ociIndex } from './oci/media-types.ts';
import type { OciClient } from './oci/oci-client.ts';

/** Path → text, or bytes of a program. */
export type LayerFiles = Readonly<Record<string, string | Uint8Array>>;

const sourceOf = ([path, content]: [string, string | Uint8Array]): LayerSource => ({
  kind: 'file',
  path,
  isExecutable: typeof content !== 'string',
  content: Buffer.from(content),
});

const pushDocument = (client: OciClient, repository: string, { digest, bytes }: Document): Promise<boolean> =>
  client.pushBlob(repository, { digest, size: bytes.length, body: () => bytes });

const pushLayer = async (client: OciClient, repository: string, sources: Iterable<LayerSource>): Promise<LayerBlob> => {
  const directory = await mkdtemp(join(tmpdir(), 'slipway-layer-'));
  try {
    const layer = await writeLayer([...sources], join(directory, 'layer'), { compression: 'gzip', comment: 'test' });
    const bytes = await readFile(join(directory, 'layer'));
    await client.pushBlob(repository, { digest: layer.digest, size: layer.size, body: () => bytes });
    return layer;
  } finally {
    await rm(directory, { recursive: true });
  }
};

const settings = { entrypoint: ['/app'], workdir: '/', env: {}, user: undefined, labels: {}, createdAt: new Date(0) };

export interface PushOptions {
  /** Only by its digest when not given. */
  readonly tag?: string;
  readonly architecture?: string;
  readonly entrypoint?: readonly string[];
  readonly workdir?: string;
}
export interface Pushed {
  readonly digest: string;
  /** Digests, the lowest first. */
  readonly layers: readonly string[];
  readonly size: number;
}

/** The lowest layer first. */
export const pushLayers = async (
  client: OciClient,
  repository: string,
  layers: readonly Iterable<LayerSource>[],
  { tag, architecture, entrypoint = settings.entrypoint, workdir = settings.workdir }: PushOptions = {},
): Promise<Pushed> => {
  const blobs: LayerBlob[] = [];
  for (const sources of layers) blobs.push(await pushLayer(client, repository, sources));
  const made = imageDocuments(blobs, { ...settings, entrypoint, workdir });
  const text = Buffer.from(made.config.bytes).toString();
  const bytes = Buffer.from(architecture === undefined ? text : text.replace(/"architecture":"\w+"/, `"architecture":"${architecture}"`));
  const config = { ...made.config, bytes, digest: sha256(bytes) };
  const manifestText = Buffer.from(made.manifest.bytes).toString().replace(made.config.digest, config.digest);
  const manifestBytes = Buffer.from(manifestText.replace(`"size":${made.config.bytes.length}}`, `"size":${bytes.length}}`));
  const manifest = { ...made.manifest, bytes: manifestBytes, digest: sha256(manifestBytes) };
  await pushDocument(client, repository, config);
  await client.pushManifest(repository, tag ?? manifest.digest, manifest);
  return { digest: manifest.digest, layers: blobs.map(({ digest }) => digest), size: manifestBytes.length };
};

export const pushFiles = (
  client: OciClient,
  repository: string,
  layers: readonly LayerFiles[],
  options: PushOptions = {},
): Promise<Pushed> =>
  pushLayers(
    client,
    repository,
    layers.map((files) => Object.entries(files).map(sourceOf)),
    options,
  );

/** An index; `platform` is `linux/arm64`. */
export const pushIndex = async (
  client: OciClient,
  repository: string,
  images: readonly (Pick<Pushed, 'digest' | 'size'> & { readonly platform: string })[],
  tag: string,
): Promise<string> => {
  const manifests = images.map(({ digest, size, platform }) => {
    const [os, architecture] = platform.split('/');
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size, platform: { os, architecture } };
  });
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests }));
  await client.pushManifest(repository, tag, { mediaType: ociIndex, digest: sha256(bytes), bytes });
  return sha256(bytes);
};

/** `node_modules` of an image with these packages. */
export const npmFiles = (packages: Readonly<Record<string, string>>): LayerFiles =>
  Object.fromEntries(
    Object.entries(packages).map(([name, version]) => [`app/node_modules/${name}/package.json`, JSON.stringify({ name, version })]),
  );
