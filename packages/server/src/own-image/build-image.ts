/**
 * Builds Slipway's own OCI image without a container engine: `npm run image -- --output <directory>` writes an OCI image layout,
 * `npm run image -- --push registry.example.com/platform/slipway:1.0` sends it to a registry. The user and password for that registry are
 * SLIPWAY_IMAGE_USER and SLIPWAY_IMAGE_PASSWORD. The same checkout and machine give the same digest.
 */
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hostArchitecture, imageDocuments, type Document, type ImageDocuments } from '@slipway/images/oci/image-documents.ts';
import { writeLayer, type LayerBlob, type LayerSource } from '@slipway/images/oci/layer-writer.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import { baseEnv } from '@slipway/runtime/builder/base-image.ts';
import { nodeInImage } from '@slipway/runtime/builder/base-layer.ts';
import { version } from '../version.ts';
import { APP, appSources, baseSources, packageSources } from './image-contents.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const usage = 'Usage: npm run image -- --output <directory> [--push <host>/<repository>:<tag>] [--insecure]';

interface Image extends ImageDocuments {
  readonly layers: readonly { readonly blob: LayerBlob; readonly file: string }[];
}

const build = async (folder: string): Promise<Image> => {
  const parts: [string, LayerSource[]][] = [
    ['Node and git', await baseSources()],
    ['Packages', packageSources()],
    ['Slipway', appSources()],
  ];
  const layers = [];
  for (const [index, [comment, sources]] of parts.entries()) {
    const file = join(folder, `${index}.tar.gz`);
    layers.push({ file, blob: await writeLayer(sources, file, { compression: 'gzip', comment }) });
  }
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
  const documents = imageDocuments(
    layers.map(({ blob }) => blob),
    {
      entrypoint: [nodeInImage, '--max-semi-space-size=16', 'packages/server/src/start.ts'],
      workdir: `/${APP}`,
      env: { ...baseEnv, HOST: '0.0.0.0', SLIPWAY_DATA: '/data/slipway' },
      user: '1000',
      labels: { 'org.opencontainers.image.title': 'Slipway', 'org.opencontainers.image.version': version },
      createdAt: new Date(seconds * 1000),
    },
  );
  return { ...documents, layers };
};

const hexOf = (digest: string): string => digest.slice('sha256:'.length);

/** Writes the layout that skopeo, podman and containerd read: `tar -C <directory> -c .` makes the archive for `ctr images import`. */
const writeLayout = async ({ config, layers, manifest }: Image, directory: string): Promise<void> => {
  const blobs = join(directory, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  for (const { blob, file } of layers) await copyFile(file, join(blobs, hexOf(blob.digest)));
  for (const { bytes, digest } of [config, manifest]) await writeFile(join(blobs, hexOf(digest)), bytes);
  const descriptor = {
    mediaType: manifest.mediaType,
    digest: manifest.digest,
    size: manifest.bytes.length,
    annotations: { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': `slipway.local/slipway:${version}` },
    platform: { os: 'linux', architecture: hostArchitecture() },
  };
  await writeFile(join(directory, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [descriptor] }));
  await writeFile(join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
};

const push = async ({ config, layers, manifest }: Image, target: string, isInsecure: boolean): Promise<void> => {
  const { host, repository, tag } = /^(?<host>[^/]+)\/(?<repository>[^:]+):(?<tag>[\w.-]+)$/.exec(target)?.groups ?? {};
  if (!host || !repository || !tag) throw new Error(`${target} is not <host>/<repository>:<tag>`);
  const { SLIPWAY_IMAGE_PASSWORD: secret, SLIPWAY_IMAGE_USER: username } = process.env;
  const client = new OciClient({
    baseUrl: `${isInsecure ? 'http' : 'https'}://${host}`,
    ...(username && secret ? { credentials: { username, secret } } : {}),
  });
  const document = ({ bytes, digest }: Document) => ({ digest, size: bytes.length, body: () => bytes });
  for (const { blob, file } of layers) await client.pushBlob(repository, { ...blob, body: () => createReadStream(file) });
  await client.pushBlob(repository, document(config));
  await client.pushManifest(repository, tag, manifest);
};

const { values } = parseArgs({ options: { output: { type: 'string' }, push: { type: 'string' }, insecure: { type: 'boolean' } } });
if (values.output === undefined && values.push === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'slipway-image-'));
try {
  const image = await build(folder);
  // Under npm the paths are those of the caller.
  if (values.output !== undefined) await writeLayout(image, resolve(process.env['INIT_CWD'] ?? '.', values.output));
  if (values.push !== undefined) await push(image, values.push, values.insecure === true);
  process.stdout.write(`${values.push ?? values.output}@${image.manifest.digest}: ${(image.sizeBytes / 1e6).toFixed(1)} MB\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
