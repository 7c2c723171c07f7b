/** Types of the registry port: the content that a registry reports, and what it asks the platform. */

export interface RepositoryUse {
  readonly repository: string;
  readonly tags: number;
  /** Layers shared by images of the repository count once. */
  readonly sizeBytes: number;
  readonly updatedAt: Date;
}
export interface TagInfo {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly pushedAt: Date;
  /** An identity's id, a robot account's user name, or `platform`. Null if unknown. */
  readonly pushedBy: string | null;
  /** Whether one of its referrers is a signature. */
  readonly isSigned: boolean;
}
export interface Slice {
  /** Case-insensitive substring of the name. */
  readonly query?: string | undefined;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}
/** `counted` stops at 1001. */
export interface Sliced<Item> {
  readonly items: readonly Item[];
  readonly counted: number;
}
export interface TagSlice extends Slice {
  readonly sort: 'pushedAt' | 'tag';
  /** Includes only these images, or excludes them. */
  /** Leaves out cosign's tags, which name a signature by its image. */
  readonly isWithoutSignatures?: boolean;
  readonly digests?: { readonly only?: readonly string[]; readonly except?: readonly string[] };
}
export interface RepositorySlice extends Slice {
  readonly sort: 'name' | 'pushedAt' | 'sizeBytes';
}

export interface ImageLayerInfo {
  /** Null for a command that changed no file. */
  readonly digest: string | null;
  readonly sizeBytes: number;
  readonly command: string;
  readonly createdAt: string | null;
}
export interface ReferrerInfo {
  readonly digest: string;
  readonly mediaType: string;
  readonly artifactType: string;
  readonly sizeBytes: number;
  readonly pushedAt: Date;
  readonly annotations: Readonly<Record<string, string>>;
}
export interface ImageAnatomy {
  readonly platforms: readonly { os: string; architecture: string; variant: string; digest: string; sizeBytes: number }[];
  readonly createdAt: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDirectory: string;
  readonly command: readonly string[];
  readonly exposedPorts: readonly string[];
  readonly layers: readonly ImageLayerInfo[];
}

export interface ProjectStorage {
  /** Layers shared by several images count once. */
  readonly usedBytes: number;
  /** Bytes of unfinished uploads. */
  readonly uploadingBytes: number;
  /** Null if only the disk limits it. */
  readonly quotaBytes: number | null;
}
/** Tags that retention keeps in each repository: the newest tags, and all tags pushed recently. */
export interface RetentionRule {
  readonly keepNewest: number;
  readonly keepSince: Date | null;
}

/** A revision that was created from an image and is not deleted. */
export interface ImageUse {
  readonly digest: string;
  readonly revision: string;
  readonly environment: string;
  /** Whether the revision should be running. Other revisions may be rollback targets. */
  readonly isLive: boolean;
}
/** `message` is a sentence for people. The code and context are from the contract's catalogue. */
export type PullVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly code: string; readonly context: Readonly<Record<string, string>>; readonly message: string };

/** A connection or pool of the platform's database. */
export interface Statements {
  query<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}
/** Questions that a registry asks the platform. An external registry has its own rules. */
export interface ImageRules {
  /** Returns the revisions created from any of these images, live revisions first. */
  uses(db: Statements, repository: string, digests: readonly string[]): Promise<readonly ImageUse[]>;
  /** Whether the project's policy allows pulling this image. */
  mayPull(repository: string, digest: string): Promise<PullVerdict>;
}
