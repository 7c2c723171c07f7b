/** Jobs of the process that scans images, in addition to unpacking layers, and their results. Both serialize to JSON. */
import { dirname, join } from 'node:path';
import { ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import { z } from 'zod';
import { doImageJob, LAYER_CONTENTS, treeOf, type ImageJob, type PlacedLayer } from '../oci/image-job.ts';
import { PATH_BYTES } from '../oci/image-limits.ts';
import { findPackages, type FindLimits } from './find-packages.ts';
import { LONGEST_NAME, LONGEST_VERSION } from './readers/reading.ts';

export interface FindJob {
  readonly kind: 'find';
  /** Lowest layer first. */
  readonly layers: readonly PlacedLayer[];
  readonly impliedDirectories: number;
  readonly limits: FindLimits;
}

const name = z.string().max(LONGEST_NAME);
const version = z.string().max(LONGEST_VERSION);
/** Validated on arrival: the process handles untrusted data. */
export const FindAnswer = z.object({
  packages: z.array(
    z.object({
      ecosystem: name,
      name,
      version,
      source: z.object({ name, version }).nullable(),
      purl: z.string().max(4 * (LONGEST_NAME + LONGEST_VERSION)),
      path: z.string().max(PATH_BYTES),
      /** Index of the layer that contains its file. */
      layer: z.number().int().nonnegative(),
    }),
  ),
  notes: z.array(ScanNote).max(100),
});
export type FindAnswer = z.infer<typeof FindAnswer>;

const find = async ({ layers, impliedDirectories, limits }: FindJob): Promise<FindAnswer> => {
  const root = await treeOf(layers, impliedDirectories);
  const places = new Map(layers.map(({ folder }, index) => [join(folder, LAYER_CONTENTS), index]));
  const { packages, notes } = await findPackages(root, limits);
  return { packages: packages.map(({ file, ...one }) => ({ ...one, layer: places.get(dirname(file)) ?? 0 })), notes: [...notes] };
};

export const doScanJob = (job: ImageJob | FindJob): Promise<unknown> => (job.kind === 'find' ? find(job) : doImageJob(job));
