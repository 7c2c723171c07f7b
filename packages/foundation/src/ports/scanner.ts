import type { ScanNote } from '@slipway/contract/registry/scan-notes.ts';
import type { Severity } from '@slipway/contract/registry/severity.ts';

/** Self-description in the format of Harbor's pluggable scanners. */
import type { EngineProbe } from './engine-probe.ts';
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

/** A package in an image. */
export interface FoundPackage {
  /** Ecosystem name of OSV: `npm`, `PyPI`, `Go`, `Debian:12`, `Alpine:v3.20`. */
  readonly ecosystem: string;
  readonly name: string;
  readonly version: string;
  /** Name and version used in advisories, if different: advisories of Debian and Alpine refer to source packages. */
  readonly source: { readonly name: string; readonly version: string } | null;
  readonly purl: string;
  readonly path: string | null;
  /** Digest of the layer that contains its file. */
  readonly layer: string | null;
  /** `linux/amd64`. */
  readonly platforms: readonly string[];
}
/** A vulnerability reported by a scanner with its own advisories. */
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
  /** Scanned manifests of an index. */
  readonly parts: readonly string[];
  /** Null if the scanner does not list packages. */
  readonly packages: readonly FoundPackage[] | null;
  /** Null if the scanner has no advisories. The platform then matches the packages with its own. */
  readonly vulnerabilities: readonly FoundVulnerability[] | null;
  /** Reports parts that were not scanned. */
  readonly notes: readonly ScanNote[];
}

/**
 * Scans images, like Harbor's pluggable scanners: describes itself, takes an image by digest, pulls it from the registry and reports.
 * Rejects with `unavailable` if it or the registry does not answer, `notFound` if the image is gone, and `rejected` with a reason if the
 * image cannot be read. Scans are idempotent and change nothing.
 */
export interface Scanner {
  readonly kind: 'embedded' | 'http';
  info(): Promise<ScannerInfo>;
  /** Undefined if the scanner is part of this process. */
  probe?: EngineProbe['probe'];
  /** Rejects with `NotAnImage` and its `mediaType` for artifacts that are not images. */
  scan(image: ImageToScan, signal: AbortSignal): Promise<ScanReport>;
  close(): Promise<void>;
}
