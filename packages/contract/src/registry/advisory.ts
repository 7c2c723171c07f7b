/** Vulnerability advisories that images are matched against: sets in the OSV format, imported by administrators. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';

export const AdvisorySet = z.object({
  /** `npm`, `Debian:12`. An import with the same name replaces the set. */
  name: z.string(),
  title: z.string(),
  /** A demo set of a few old packages. It cannot show that an image is clean. */
  isDemo: z.boolean(),
  entries: z.number(),
  /** Number of advisories that their authors withdrew; they are ignored. */
  withdrawn: z.number(),
  /** Number of files that are not advisories, with the first reasons. */
  refused: z.number(),
  refusals: z.array(z.object({ file: z.string(), reason: z.string() })),
  ecosystems: z.array(z.object({ ecosystem: z.string(), entries: z.number() })),
  /** When its newest advisory was last modified. */
  asOf: Instant,
  importedAt: Instant,
  importedBy: z.string(),
});
export type AdvisorySet = z.infer<typeof AdvisorySet>;

/** Pattern for the names of stored sets. */
export const advisorySetNamePattern = /^[A-Za-z0-9][A-Za-z0-9 .:_-]{0,63}$/;
export const advisoryMediaTypes = ['application/zip', 'application/json'] as const;
/** Limit of an import over HTTP. `slipway advisories import` reads larger files from disk. */
export const maxAdvisoryUploadKilobytes = 64 * 1024;

const tag = 'Scanning';
const access = 'administratorHidden';
const route = routesIn({ tag, access });
export const advisorySetList = route('advisorySetList', 'GET /api/v1/platform/advisories', {
  summary: 'The sets of advisories that images are compared with, and the scanner in use',
  response: z.object({
    scanner: z.object({ kind: z.enum(['embedded', 'http']), name: z.string(), vendor: z.string(), version: z.string() }),
    sets: z.array(AdvisorySet),
    /** Images that are queued for a scan or a new comparison. */
    waiting: z.number(),
  }),
  codes: [],
});
export const advisorySetImport = route('advisorySetImport', 'POST /api/v1/platform/advisories', {
  summary: 'Import a set: a zip of OSV records as osv.dev publishes them, or one record, or a list, as JSON',
  query: z.object({
    /** The import replaces the set of this name. */
    set: z.string().check(z.regex(advisorySetNamePattern, { error: 'DoesNotMatchPattern' })),
  }),
  body: z.unknown(),
  bodyMediaType: 'application/zip',
  bodyLimitKilobytes: maxAdvisoryUploadKilobytes,
  // Not secret, but too large to store for idempotency. Repeating an import replaces the set again.
  isSecret: true,
  response: AdvisorySet,
  status: 201,
  codes: ['AdvisoriesInvalid', 'AdvisoriesTooLarge', 'DoesNotMatchPattern', 'Required', 'InvalidValue'],
});
export const advisorySetDelete = route('advisorySetDelete', 'DELETE /api/v1/platform/advisories/{set}', {
  summary: 'Delete a set; images are compared anew without it',
  codes: [],
});
