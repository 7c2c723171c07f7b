/** Advisories that images are compared with: sets in the OSV format, imported by administrators. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';

export const AdvisorySet = z.object({
  /** `npm`, `Debian:12`: an import of the same name takes its place. */
  name: z.string(),
  title: z.string(),
  /** A few old packages, to try the platform with: no image is clean by it. */
  isDemo: z.boolean(),
  entries: z.number(),
  /** Withdrawn by their authors, and ignored. */
  withdrawn: z.number(),
  /** Files that are no advisories, and the first reasons. */
  refused: z.number(),
  refusals: z.array(z.object({ file: z.string(), reason: z.string() })),
  ecosystems: z.array(z.object({ ecosystem: z.string(), entries: z.number() })),
  /** When the newest of its advisories was changed. */
  asOf: Instant,
  importedAt: Instant,
  importedBy: z.string(),
});
export type AdvisorySet = z.infer<typeof AdvisorySet>;

/** Of the sets that are kept, and of a set's name. */
export const advisorySetNamePattern = /^[A-Za-z0-9][A-Za-z0-9 .:_-]{0,63}$/;
export const advisoryMediaTypes = ['application/zip', 'application/json'] as const;
/** An import over HTTP; larger ones are read from the disk by `slipway advisories import`. */
export const maxAdvisoryUploadKilobytes = 64 * 1024;

const tag = 'Scanning';
const access = 'administratorHidden';
export const advisorySetList = route({
  id: 'advisorySetList',
  method: 'GET',
  path: '/api/v1/platform/advisories',
  summary: 'The sets of advisories that images are compared with, and the scanner in use',
  tag,
  access,
  response: z.object({
    scanner: z.object({ kind: z.enum(['embedded', 'http']), name: z.string(), vendor: z.string(), version: z.string() }),
    sets: z.array(AdvisorySet),
    /** Images that wait for a scan, or are compared anew. */
    waiting: z.number(),
  }),
  codes: [],
});
export const advisorySetImport = route({
  id: 'advisorySetImport',
  method: 'POST',
  path: '/api/v1/platform/advisories',
  summary: 'Import a set: a zip of OSV records as osv.dev publishes them, or one record, or a list, as JSON',
  tag,
  access,
  query: z.object({
    /** Takes the place of the set of this name. */
    set: z.string().check(z.regex(advisorySetNamePattern, { error: 'DoesNotMatchPattern' })),
  }),
  body: z.unknown(),
  bodyMediaType: 'application/zip',
  bodyLimitKilobytes: maxAdvisoryUploadKilobytes,
  // No secret, but too large to be remembered: an import that is repeated takes its own place.
  isSecret: true,
  response: AdvisorySet,
  status: 201,
  codes: ['AdvisoriesInvalid', 'AdvisoriesTooLarge', 'DoesNotMatchPattern', 'Required', 'InvalidValue'],
});
export const advisorySetDelete = route({
  id: 'advisorySetDelete',
  method: 'DELETE',
  path: '/api/v1/platform/advisories/{set}',
  summary: 'Delete a set; images are compared anew without it',
  tag,
  access,
  codes: [],
});
