/** The scan of an image: what it holds, what is known to be wrong with it, and what could not be looked at. */
import * as z from 'zod/mini';
import { Can, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { AllowedCve } from './policy.ts';
import { imageTagPath, registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { ScanNote } from './scan-notes.ts';
import { Severity, SeverityCounts, totalOf, worstOf } from './severity.ts';

export const scanStates = ['NOT_SCANNED', 'QUEUED', 'SCANNING', 'COMPLETED', 'FAILED'] as const;
export type ScanState = (typeof scanStates)[number];

/** What a scan compared with: an imported set of advisories, as it was then. */
export const AdvisoriesUsed = z.object({
  set: z.string(),
  title: z.string(),
  isDemo: z.boolean(),
  /** When the newest of its advisories was changed. */
  asOf: Instant,
  entries: z.number(),
});
export type AdvisoriesUsed = z.infer<typeof AdvisoriesUsed>;

/** While a later scan is queued, under way or failed, the result of the one before is still answered. */
export const ScanSummary = z.object({
  state: z.enum(scanStates),
  /** Since when it is in this state; null where it was never asked for. */
  since: z.nullable(Instant),
  /** Why there is no scan, or why it failed. */
  reason: z.nullable(ScanNote),
  /** When a failed scan is tried again by itself. */
  nextTryAt: z.nullable(Instant),
  result: z.nullable(
    z.object({
      scannedAt: Instant,
      scanner: z.object({ name: z.string(), vendor: z.string(), version: z.string() }),
      /** Empty for an outside scanner, which has its own. */
      advisories: z.array(AdvisoriesUsed),
      counts: SeverityCounts,
      /** Vulnerabilities with a version that fixes them. */
      fixable: z.number(),
      /** Null where the scanner does not list them. */
      packages: z.nullable(z.number()),
      /** `linux/amd64`: what of an image for several was looked at. The result is of all together. */
      platforms: z.array(z.string()),
      /** What was not looked at, or could not be compared. */
      notes: z.array(ScanNote),
    }),
  ),
});
export type ScanSummary = z.infer<typeof ScanSummary>;

export const notScanned: ScanSummary = { state: 'NOT_SCANNED', since: null, reason: null, nextTryAt: null, result: null };

/** In one word what is known. `NOTHING_FOUND` only where everything was looked at and compared; else `PARTLY`, and the notes say why. */
export const scanOutcomes = ['NOT_SCANNED', 'QUEUED', 'SCANNING', 'FAILED', 'FOUND', 'PARTLY', 'NOTHING_FOUND'] as const;
export type ScanOutcome = (typeof scanOutcomes)[number];
export const scanOutcome = ({ state, result }: ScanSummary): ScanOutcome => {
  if (state !== 'COMPLETED') return state;
  if (result === null) return 'NOT_SCANNED';
  if (totalOf(result.counts) > 0) return 'FOUND';
  return result.notes.length > 0 ? 'PARTLY' : 'NOTHING_FOUND';
};
export const worstFound = ({ result }: ScanSummary): Severity | null => (result === null ? null : worstOf(result.counts));

export const ImageScan = z.extend(ScanSummary, {
  repository: z.string(),
  digest: z.string(),
  /** `scan`: may ask for one. */
  can: Can,
});
export type ImageScan = z.infer<typeof ImageScan>;

export const Vulnerability = z.object({
  /** The CVE id where it has one, else the advisory's own. */
  id: z.string(),
  /** The advisory's id and all others that it goes by: GHSA, CVE, DSA. */
  aliases: z.array(z.string()),
  severity: Severity,
  /** CVSS base score, 0 to 10. */
  score: z.nullable(z.number()),
  vector: z.nullable(z.string()),
  title: z.string(),
  url: z.nullable(z.string()),
  ecosystem: z.string(),
  package: z.string(),
  installed: z.string(),
  /** The first version above the installed one that is not affected. */
  fixedIn: z.nullable(z.string()),
  /** The file that lists the package. */
  path: z.nullable(z.string()),
  /** Digest of the layer that the file came with. */
  layer: z.nullable(z.string()),
  platforms: z.array(z.string()),
  /** By the project's policy, today. */
  allowed: z.nullable(AllowedCve),
});
export type Vulnerability = z.infer<typeof Vulnerability>;

export const ImagePackage = z.object({
  ecosystem: z.string(),
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  path: z.nullable(z.string()),
  layer: z.nullable(z.string()),
  platforms: z.array(z.string()),
  /** How many are known in it, and how severe the worst is. */
  vulnerabilities: z.number(),
  worst: z.nullable(Severity),
});
export type ImagePackage = z.infer<typeof ImagePackage>;

/** The images of a project that were pushed with a tag, each counted once, and how many the policy would stop at each severity. */
export const ScanOverview = z.object({
  images: z.number(),
  /** By what is known; they add up to `images`. */
  outcomes: z.object({
    NOT_SCANNED: z.number(),
    QUEUED: z.number(),
    SCANNING: z.number(),
    FAILED: z.number(),
    FOUND: z.number(),
    PARTLY: z.number(),
    NOTHING_FOUND: z.number(),
  }),
  /** Images whose worst vulnerability has this severity. */
  worst: SeverityCounts,
  /**
   * Images that a policy beginning at this severity stops for what was found, without the vulnerabilities that are allowed now. Those
   * that were not scanned are stopped at every severity, and are not counted here.
   */
  stopped: SeverityCounts,
});
export type ScanOverview = z.infer<typeof ScanOverview>;

/** `{tag}` may be a digest. */
const image = imageTagPath;
const codes = [...registryCodes, 'RepositoryDoesNotExist', 'TagDoesNotExist'] as const;
const listCodes = [...codes, ...pageCodes] as const;

export const scanOverviewView = route({
  id: 'scanOverviewView',
  method: 'GET',
  path: `${registryPath}/scans`,
  summary: "What is known of the project's tagged images, and how many a policy would stop",
  tag: registryTag,
  access: 'appMemberHidden',
  response: ScanOverview,
  codes: registryCodes,
});
export const imageScanView = route({
  id: 'imageScanView',
  method: 'GET',
  path: `${image}/scan`,
  summary: 'The scan of an image, by tag or digest',
  tag: registryTag,
  access: 'appMemberHidden',
  response: ImageScan,
  codes,
});
export const imageScanCreate = route({
  id: 'imageScanCreate',
  method: 'POST',
  path: `${image}/scan`,
  summary: 'Scan an image, or scan it again; one that is queued or under way is not asked for twice',
  tag: registryTag,
  access: 'appMemberHidden',
  response: ImageScan,
  status: 202,
  codes,
});
export const imageVulnerabilityList = route({
  id: 'imageVulnerabilityList',
  method: 'GET',
  path: `${image}/vulnerabilities`,
  summary: 'What the latest result knows of, the worst first',
  tag: registryTag,
  access: 'appMemberHidden',
  query: z.extend(PageQuery, {
    severity: z.optional(Severity),
    /** Only those with a version that fixes them. */
    fixable: z.optional(z.stringbool()),
    /** Only those that the policy allows, or only the others. */
    allowed: z.optional(z.stringbool()),
  }),
  response: pageOf(Vulnerability),
  codes: listCodes,
});
export const imagePackageList = route({
  id: 'imagePackageList',
  method: 'GET',
  path: `${image}/packages`,
  summary: 'The packages of the latest result, those with the worst vulnerabilities first',
  tag: registryTag,
  access: 'appMemberHidden',
  query: z.extend(PageQuery, { ecosystem: z.optional(z.string().check(z.maxLength(100))) }),
  response: pageOf(ImagePackage),
  codes: listCodes,
});
export const imageSbomDownload = route({
  id: 'imageSbomDownload',
  method: 'GET',
  path: `${image}/sbom`,
  summary: 'The software bill of materials as CycloneDX 1.6',
  tag: registryTag,
  access: 'appMemberHidden',
  stream: 'bytes',
  mediaTypes: ['application/vnd.cyclonedx+json'],
  codes: [...codes, 'ScanMissing'],
});
