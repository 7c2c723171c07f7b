import type { ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import type { Severity } from '@slipway/contract/registry/severity.ts';

/** How Harbor's pluggable scanners describe themselves. */
export interface ScannerInfo {
  readonly name: string;
  readonly vendor: string;
  readonly version: string;
}
export interface ImageToScan {
  /** `{project}/{name}` without host. */
  readonly repository: string;
  readonly digest: string;
}

/** A package that an image holds. */
export interface FoundPackage {
  /** As OSV names it: `npm`, `PyPI`, `Go`, `Debian:12`, `Alpine:v3.20`. */
  readonly ecosystem: string;
  readonly name: string;
  readonly version: string;
  /** Under which name and version advisories speak of it, where that is another: Debian's and Alpine's are about sources. */
  readonly source: { readonly name: string; readonly version: string } | null;
  readonly purl: string;
  readonly path: string | null;
  /** Digest of the layer that its file came with. */
  readonly layer: string | null;
  /** `linux/amd64`. */
  readonly platforms: readonly string[];
}
/** What a scanner with knowledge of its own says is wrong. */
export interface FoundVulnerability {
  readonly id: string;
  readonly severity: Severity;
  readonly score: number | null;
  readonly vector: string | null;
  readonly title: string;
  readonly url: string | null;
  readonly package: string;
  readonly installed: string;
  readonly fixedIn: string | null;
}
export interface ScanReport {
  readonly platforms: readonly string[];
  /** The manifests that an index names and that were looked at. */
  readonly parts: readonly string[];
  /** Null where the scanner lists none. */
  readonly packages: readonly FoundPackage[] | null;
  /** Null where the scanner has no advisories: the platform compares the packages with its own. */
  readonly vulnerabilities: readonly FoundVulnerability[] | null;
  /** What was not looked at. */
  readonly notes: readonly ScanNote[];
}

/**
 * Looks into images, as Harbor's pluggable scanners do: it says who it is, takes an image by digest, pulls it from the registry and reports.
 * Unavailable when it or the registry does not answer, notFound when the image is gone, rejected with a reason for an image that cannot
 * be read. A scan may be asked for twice; it changes nothing.
 */
export interface Scanner {
  readonly kind: 'embedded' | 'http';
  info(): Promise<ScannerInfo>;
  /** Rejected with `NotAnImage` and its `mediaType` for artifacts that are none. */
  scan(image: ImageToScan, signal: AbortSignal): Promise<ScanReport>;
  close(): Promise<void>;
}
