/** The scan of an image: its packages, their known vulnerabilities, and what the scan did not cover. */
import * as z from 'zod/mini';
import { Can, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { AllowedCve } from './policy.ts';
import { imageTagPath, registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { ScanNote } from './scan-notes.ts';
import { Severity, SeverityCounts, totalOf, worstOf } from './severity.ts';

export const scanStates = ['NOT_SCANNED', 'QUEUED', 'SCANNING', 'COMPLETED', 'FAILED'] as const;
export type ScanState = (typeof scanStates)[number];

/** The imported advisory set that a scan used, in its state at that time. */
export const AdvisoriesUsed = z.object({
  set: z.string(),
  title: z.string(),
  isDemo: z.boolean(),
  /** When its newest advisory was last modified. */
  asOf: Instant,
  entries: z.number(),
});
export type AdvisoriesUsed = z.infer<typeof AdvisoriesUsed>;

/** While a later scan is queued, running or failed, `result` still holds the previous result. */
export const ScanSummary = z.object({
  state: z.enum(scanStates),
  /** When it entered this state. Null if no scan was ever requested. */
  since: z.nullable(Instant),
  /** Why there is no scan, or why it failed. */
  reason: z.nullable(ScanNote),
  /** When a failed scan is retried automatically. */
  nextTryAt: z.nullable(Instant),
  result: z.nullable(
    z.object({
      scannedAt: Instant,
      scanner: z.object({ name: z.string(), vendor: z.string(), version: z.string() }),
      /** Empty for an external scanner, which has its own. */
      advisories: z.array(AdvisoriesUsed),
      counts: SeverityCounts,
      /** Vulnerabilities with a version that fixes them. */
      fixable: z.number(),
      /** Null if the scanner does not list packages. */
      packages: z.nullable(z.number()),
      /** `linux/amd64`: scanned platforms of a multi-platform image. The result covers all of them. */
      platforms: z.array(z.string()),
      /** Parts that were not scanned or not compared. */
      notes: z.array(ScanNote),
    }),
  ),
});
export type ScanSummary = z.infer<typeof ScanSummary>;

export const notScanned: ScanSummary = { state: 'NOT_SCANNED', since: null, reason: null, nextTryAt: null, result: null };

/**
 * The outcome in one word. `NOTHING_FOUND` requires that everything was scanned and compared. Otherwise the outcome is `PARTLY`, and the
 * notes say why.
 */
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
  /** `scan`: may request a scan. */
  can: Can,
});
export type ImageScan = z.infer<typeof ImageScan>;

export const Vulnerability = z.object({
  /** The CVE id if there is one, otherwise the advisory's own id. */
  id: z.string(),
  /** The advisory's id and all its aliases: GHSA, CVE, DSA. */
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
  /** The lowest unaffected version above the installed one. */
  fixedIn: z.nullable(z.string()),
  /** The file that lists the package. */
  path: z.nullable(z.string()),
  /** Digest of the layer that contains the file. */
  layer: z.nullable(z.string()),
  platforms: z.array(z.string()),
  /** Exception in the project's policy that is valid today. */
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
  /** Number of known vulnerabilities in the package, and the worst severity. */
  vulnerabilities: z.number(),
  worst: z.nullable(Severity),
});
export type ImagePackage = z.infer<typeof ImagePackage>;

/** Tagged images of a project, each counted once, and how many the policy would block at each severity. */
export const ScanOverview = z.object({
  images: z.number(),
  /** Number of images by outcome; the sum is `images`. */
  outcomes: z.object({
    NOT_SCANNED: z.number(),
    QUEUED: z.number(),
    SCANNING: z.number(),
    FAILED: z.number(),
    FOUND: z.number(),
    PARTLY: z.number(),
    NOTHING_FOUND: z.number(),
  }),
  /** Number of images by worst severity. */
  worst: SeverityCounts,
  /**
   * Number of images that a policy with this threshold would block for their findings, excluding vulnerabilities that are allowed now.
   * Excludes unscanned images, which are blocked at every threshold.
   */
  stopped: SeverityCounts,
});
export type ScanOverview = z.infer<typeof ScanOverview>;

/** `{tag}` may be a digest. */
const image = imageTagPath;
const codes = [...registryCodes, 'RepositoryDoesNotExist', 'TagDoesNotExist'] as const;
const listCodes = [...codes, ...pageCodes] as const;

const route = routesIn({ tag: registryTag, access: 'appMemberHidden' });
export const scanOverviewView = route('scanOverviewView', `GET ${registryPath}/scans`, {
  summary: "What is known of the project's tagged images, and how many a policy would stop",
  response: ScanOverview,
  codes: registryCodes,
});
export const imageScanView = route('imageScanView', `GET ${image}/scan`, {
  summary: 'The scan of an image, by tag or digest',
  response: ImageScan,
  codes,
});
export const imageScanCreate = route('imageScanCreate', `POST ${image}/scan`, {
  summary: 'Scan an image, or scan it again; one that is queued or under way is not asked for twice',
  response: ImageScan,
  status: 202,
  codes,
});
export const imageVulnerabilityList = route('imageVulnerabilityList', `GET ${image}/vulnerabilities`, {
  summary: 'What the latest result knows of, the worst first',
  query: z.extend(PageQuery, {
    severity: z.optional(Severity),
    /** Only vulnerabilities with a fixed version. */
    fixable: z.optional(z.stringbool()),
    /** True: only vulnerabilities that the policy allows. False: only the others. */
    allowed: z.optional(z.stringbool()),
  }),
  response: pageOf(Vulnerability),
  codes: listCodes,
});
export const imagePackageList = route('imagePackageList', `GET ${image}/packages`, {
  summary: 'The packages of the latest result, those with the worst vulnerabilities first',
  query: z.extend(PageQuery, { ecosystem: z.optional(z.string().check(z.maxLength(100))) }),
  response: pageOf(ImagePackage),
  codes: listCodes,
});
export const imageSbomDownload = route('imageSbomDownload', `GET ${image}/sbom`, {
  summary: 'The software bill of materials as CycloneDX 1.6',
  stream: 'bytes',
  mediaTypes: ['application/vnd.cyclonedx+json'],
  codes: [...codes, 'ScanMissing'],
});
