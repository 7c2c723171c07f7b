// Reads a manifest or an index: what it is, which blobs or images it needs, and what it refers to.
import { z } from 'zod';
import { readJson } from '@slipway/foundation/read-json.ts';
import { isDigest } from '../grammar.ts';
import { RegistryError } from '../registry-error.ts';

const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
export const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
/** Nothing else is stored, since the stored type is what the platform's origin serves it as. */
const IMAGE_TYPES: readonly string[] = [OCI_MANIFEST, DOCKER_MANIFEST];
const INDEX_TYPES: readonly string[] = [OCI_INDEX, DOCKER_LIST];

const Digest = z.string().refine(isDigest, 'not a sha256 or sha512 digest');
const Descriptor = z.object({ mediaType: z.string().nullish(), digest: Digest, urls: z.array(z.string()).nullish() });
const Shared = {
  schemaVersion: z.literal(2),
  mediaType: z.string().nullish(),
  // Printable, because it becomes a column and a JSON value for other clients.
  artifactType: z
    .string()
    .regex(/^[\x21-\x7e]{0,255}$/)
    .nullish(),
  subject: z.object({ digest: Digest }).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
};
/** `never` keeps out documents that one client would read as an image and another as an index. */
const Image = z.object({
  ...Shared,
  config: Descriptor.extend({
    mediaType: z
      .string()
      .regex(/^[\x21-\x7e]{0,255}$/)
      .nullish(),
  }),
  layers: z.array(Descriptor).nullish(),
  manifests: z.never().optional(),
});
const Index = z.object({
  ...Shared,
  manifests: z.array(Descriptor).nullish(),
  config: z.never().optional(),
  layers: z.never().optional(),
});

export interface ManifestDocument {
  readonly mediaType: string;
  readonly subject: string | undefined;
  readonly artifactType: string | undefined;
  /** JSON text. */
  readonly annotations: string | undefined;
  /** Without those that clients fetch elsewhere. */
  readonly blobs: readonly string[];
  readonly images: readonly string[];
}

const invalid = (message: string): RegistryError => new RegistryError(400, 'MANIFEST_INVALID', message);

/** Throws MANIFEST_INVALID with the reason. `contentType` is the request's header. */
export function readManifest(bytes: Buffer, contentType: string | undefined): ManifestDocument {
  const json = parseJson(bytes);
  const declared = contentType?.split(';')[0]?.trim() || undefined;
  const mediaType = declared ?? json.mediaType ?? ('manifests' in json ? OCI_INDEX : OCI_MANIFEST);
  if (json.mediaType && json.mediaType !== mediaType) throw invalid('mediaType and Content-Type differ');
  if (INDEX_TYPES.includes(mediaType)) {
    const index = check(Index.safeParse(json));
    const images = unique((index.manifests ?? []).map((image) => image.digest));
    return { mediaType, ...shared(index, index.artifactType), blobs: [], images };
  }
  if (!IMAGE_TYPES.includes(mediaType)) throw invalid('media type not supported: OCI and Docker images and indexes only');
  const image = check(Image.safeParse(json));
  const blobs = [image.config, ...(image.layers ?? [])].filter((blob) => !isElsewhere(blob)).map((blob) => blob.digest);
  return { mediaType, ...shared(image, image.artifactType || image.config.mediaType), blobs: unique(blobs), images: [] };
}

const Top = z.looseObject({ mediaType: z.string().nullish() });

function parseJson(bytes: Buffer): z.infer<typeof Top> {
  try {
    return Top.parse(readJson(bytes.toString('utf8')));
  } catch {
    throw invalid('not a JSON object');
  }
}

function check<Data>(result: z.ZodSafeParseResult<Data>): Data {
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(issue ? `${issue.path.join('.')}: ${issue.message}` : 'not a manifest');
}

function shared(
  document: { subject?: { digest: string } | null | undefined; annotations?: Record<string, string> | null | undefined },
  artifactType: string | null | undefined,
): Pick<ManifestDocument, 'subject' | 'artifactType' | 'annotations'> {
  const { subject, annotations } = document;
  return {
    subject: subject?.digest,
    artifactType: artifactType || undefined,
    annotations: annotations ? JSON.stringify(annotations) : undefined,
  };
}

/** Layers that their makers forbid to copy, e.g. Windows base layers: clients get them from `urls`. */
const isElsewhere = (blob: z.infer<typeof Descriptor>): boolean =>
  /nondistributable|foreign/.test(blob.mediaType ?? '') || (blob.urls ?? []).length > 0;

const unique = (digests: readonly string[]): string[] => [...new Set(digests)];
