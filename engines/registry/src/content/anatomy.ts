// What an image is made of, read from its documents: platforms, configuration, and its layers with the commands that made them. Strangers
// wrote all of it: what is not as it should be is left out.
import { z } from 'zod';
import { readJson } from '@slipway/foundation/read-json.ts';
import type { ImageAnatomy, ImageLayerInfo } from '@slipway/foundation/ports/registry-content.ts';
import type { RegistryContext } from '../context.ts';
import { isDigest } from '../grammar.ts';
import { selectManifestSizes } from './content.sql.ts';

const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2;
const MAX_LAYERS = 1000;
const MAX_TEXT = 4000;

const text = z.string().transform((value) => value.slice(0, MAX_TEXT));
const texts = z.array(text).nullish().catch(null);
const Descriptor = z.object({ digest: z.string().refine(isDigest), size: z.number().nonnegative().catch(0) });
const Platform = z.object({ os: text.catch(''), architecture: text.catch(''), variant: text.catch('').optional() });
const Index = z.object({ manifests: z.array(Descriptor.extend({ platform: Platform.optional().catch(undefined) })).min(1) });
const Manifest = z.object({ config: Descriptor, layers: z.array(Descriptor).max(MAX_LAYERS).nullish() });
const Command = z.object({
  created: text.nullish().catch(null),
  created_by: text.nullish().catch(null),
  empty_layer: z.boolean().nullish().catch(null),
});
const Config = z.object({
  created: text.nullish().catch(null),
  ...Platform.shape,
  config: z
    .object({
      Labels: z.record(z.string(), text).nullish().catch(null),
      User: text.nullish().catch(null),
      WorkingDir: text.nullish().catch(null),
      Entrypoint: texts,
      Cmd: texts,
      ExposedPorts: z.record(z.string(), z.unknown()).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  history: z
    .array(Command)
    .max(2 * MAX_LAYERS)
    .nullish()
    .catch(null),
});
type Config = z.infer<typeof Config>;

async function readDocument(context: RegistryContext, digest: string): Promise<unknown> {
  const bytes = await context.files.readSmall(digest, MAX_DOCUMENT_BYTES);
  try {
    return bytes && readJson(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Undefined where it is neither an image nor an index that can be read. */
export async function readAnatomy(context: RegistryContext, repository: string, digest: string): Promise<ImageAnatomy | undefined> {
  const document = await readDocument(context, digest);
  const index = Index.safeParse(document);
  if (!index.success) return readImage(context, repository, digest, document);
  const { manifests } = index.data;
  const sizes = await selectManifestSizes(
    context.pool,
    repository,
    manifests.map((one) => one.digest),
  );
  // Attestations say `unknown`.
  const real = manifests.filter(({ platform }) => platform?.os !== 'unknown');
  const shown = (real.length > 0 ? real : manifests).map(({ digest: of, platform }) => ({
    os: platform?.os ?? '',
    architecture: platform?.architecture ?? '',
    variant: platform?.variant ?? '',
    digest: of,
    sizeBytes: sizes.get(of) ?? 0,
  }));
  const present = shown.filter((one) => sizes.has(one.digest));
  const chosen = present.find(({ os, architecture }) => os === 'linux' && architecture === 'amd64') ?? present[0];
  const image = chosen && (await readImage(context, repository, chosen.digest, await readDocument(context, chosen.digest)));
  return image && { ...image, platforms: shown };
}

async function readImage(
  context: RegistryContext,
  repository: string,
  digest: string,
  document: unknown,
): Promise<ImageAnatomy | undefined> {
  const manifest = Manifest.safeParse(document);
  if (!manifest.success) return undefined;
  const { config: descriptor, layers } = manifest.data;
  const config = Config.safeParse(await readDocument(context, descriptor.digest)).data;
  const { Labels, User, WorkingDir, Entrypoint, Cmd, ExposedPorts } = config?.config ?? {};
  const sizes = await selectManifestSizes(context.pool, repository, [digest]);
  const platform = { os: config?.os ?? '', architecture: config?.architecture ?? '', variant: config?.variant ?? '' };
  return {
    platforms: [{ ...platform, digest, sizeBytes: sizes.get(digest) ?? 0 }],
    createdAt: instantOf(config?.created),
    labels: Labels ?? {},
    user: User ?? '',
    workingDirectory: WorkingDir ?? '',
    command: [...(Entrypoint ?? []), ...(Cmd ?? [])],
    exposedPorts: Object.keys(ExposedPorts ?? {}).slice(0, 100),
    layers: layersOf(layers ?? [], config),
  };
}

/** The history names each layer's command in order, where it tells of as many as there are. */
function layersOf(layers: readonly z.infer<typeof Descriptor>[], config: Config | undefined): ImageLayerInfo[] {
  const history = config?.history ?? [];
  const made = history.filter((one) => one.empty_layer !== true);
  if (made.length !== layers.length) {
    return layers.map(({ digest, size }) => ({ digest, sizeBytes: size, command: '', createdAt: null }));
  }
  let next = 0;
  return history.map((one) => {
    const layer = one.empty_layer === true ? undefined : layers[next++];
    return { digest: layer?.digest ?? null, sizeBytes: layer?.size ?? 0, command: one.created_by ?? '', createdAt: instantOf(one.created) };
  });
}

function instantOf(value: string | null | undefined): string | null {
  const at = new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Annotations as they were kept, text by text. */
export function annotationsOf(json: string | null): Record<string, string> {
  const parsed = z.record(z.string(), text).safeParse(json === null ? {} : JSON.parse(json));
  return parsed.data ?? {};
}
