/** Manifest, index and image configuration: their shapes as read from a registry, and how this platform writes them. */
import { z } from 'zod';

import { digestPattern, sha256 } from './digest.ts';
import { badImage } from './image-limits.ts';
import type { LayerBlob } from './layer-writer.ts';
import { ociConfig, ociManifest } from './media-types.ts';

export const Descriptor = z.object({
  mediaType: z.string(),
  digest: z.string().regex(digestPattern),
  size: z.number().int().nonnegative(),
});
export type Descriptor = z.infer<typeof Descriptor>;

export const Manifest = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  config: Descriptor,
  layers: z.array(Descriptor.extend({ urls: z.array(z.string()).nullish() })).max(128),
});
export type Manifest = z.infer<typeof Manifest>;

const Platform = z.object({ os: z.string(), architecture: z.string(), variant: z.string().optional() });
export const Index = z.object({
  schemaVersion: z.literal(2),
  manifests: z.array(Descriptor.extend({ platform: Platform.optional() })).max(256),
});
export type Index = z.infer<typeof Index>;

const nullish = <Shape extends z.ZodType>(shape: Shape) => shape.nullish();
export const ImageConfig = z.object({
  architecture: z.string(),
  os: z.string(),
  config: nullish(
    z.object({
      Entrypoint: nullish(z.array(z.string())),
      Cmd: nullish(z.array(z.string())),
      Env: nullish(z.array(z.string())),
      WorkingDir: nullish(z.string()),
      User: nullish(z.string()),
    }),
  ),
  rootfs: z.object({ diff_ids: z.array(z.string().regex(digestPattern)) }),
});
export type ImageConfig = z.infer<typeof ImageConfig>;

const DOCUMENT_BYTES = 1 << 20;
const DOCUMENT_DEPTH = 32;
const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** Whether JSON from strangers is worth parsing: of a size and depth that honest documents have, found in one pass. */
export const isDocument = (bytes: Uint8Array): boolean => {
  if (bytes.length > DOCUMENT_BYTES) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (!isInText && OPENING.has(byte) && (depth += 1) > DOCUMENT_DEPTH) return false;
    else if (!isInText && CLOSING.has(byte)) depth -= 1;
  }
  return true;
};

/** Rejected where strangers' JSON is not what it should be. */
export const parseDocument = <Shape extends z.ZodType>(shape: Shape, bytes: Uint8Array, what: string): z.output<Shape> => {
  try {
    if (!isDocument(bytes)) throw new Error('larger or deeper nested than any honest one');
    return shape.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (cause) {
    throw badImage(`the ${what} is not valid`, 'ImageContentInvalid', cause);
  }
};

/** This machine's architecture in OCI's words. */
export const hostArchitecture = (): string => (process.arch === 'x64' ? 'amd64' : process.arch);

/** The index entry for Linux on this machine's processor; undefined where the image was not built for it. */
export const platformManifest = (index: Index): Descriptor | undefined => {
  const fits = index.manifests.filter(({ platform }) => platform?.os === 'linux' && platform.architecture === hostArchitecture());
  return fits.find(({ platform }) => platform?.variant === undefined) ?? fits.at(0);
};

export interface ImageSettings {
  readonly entrypoint: readonly string[];
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Stands in the image, so it must come from the source (a commit's time), never from the clock. */
  readonly createdAt: Date;
}
export interface Document {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
}
export interface ImageDocuments {
  readonly config: Document;
  readonly manifest: Document;
  readonly sizeBytes: number;
}

const documentOf = (mediaType: string, content: object): Document => {
  const bytes = Buffer.from(JSON.stringify(content));
  return { mediaType, digest: sha256(bytes), bytes };
};

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

/** Configuration and manifest of an image. The same layers and settings always give the same bytes. */
export const imageDocuments = (layers: readonly LayerBlob[], settings: ImageSettings): ImageDocuments => {
  const created = settings.createdAt.toISOString();
  const config = documentOf(ociConfig, {
    created,
    architecture: hostArchitecture(),
    os: 'linux',
    config: {
      ...(settings.user === undefined ? {} : { User: settings.user }),
      Env: Object.entries(settings.env)
        .toSorted(byName)
        .map(([name, value]) => `${name}=${value}`),
      Entrypoint: settings.entrypoint,
      WorkingDir: settings.workdir,
      Labels: Object.fromEntries(Object.entries(settings.labels).toSorted(byName)),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created, created_by: comment })),
  });
  const manifest = documentOf(ociManifest, {
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: config.mediaType, digest: config.digest, size: config.bytes.length },
    layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
  });
  const sizeBytes = layers.reduce((sum, { size }) => sum + size, config.bytes.length);
  return { config, manifest, sizeBytes };
};
