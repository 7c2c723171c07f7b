/** What a registry answers about what it holds, and what it asks the platform before it acts: shapes of the registry's port. */

export interface RepositoryUse {
  readonly repository: string;
  readonly tags: number;
  /** Layers that images of the repository share count once. */
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
  /** An identity's id, a robot account's user name, or `platform`; null where the registry does not know. */
  readonly pushedBy: string | null;
  /** A referrer of it is a signature. */
  readonly isSigned: boolean;
}
export interface Slice {
  /** Part of a name, in any case. */
  readonly query?: string | undefined;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}
/** `counted` stops at a thousand and one. */
export interface Sliced<Item> {
  readonly items: readonly Item[];
  readonly counted: number;
}
export interface TagSlice extends Slice {
  readonly sort: 'pushedAt' | 'tag';
  /** Only those images, or all others. */
  /** Leaves out cosign's tags, which name a signature by the image that it is of. */
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
  /** Layers that several images share count once. */
  readonly usedBytes: number;
  /** Of uploads that have not ended. */
  readonly uploadingBytes: number;
  /** Null where only the disk is a limit. */
  readonly quotaBytes: number | null;
}
/** What retention keeps of each repository: so many of the newest tags, and all that were pushed since. */
export interface RetentionRule {
  readonly keepNewest: number;
  readonly keepSince: Date | null;
}

/** A revision that was made of an image and is not deleted. */
export interface ImageUse {
  readonly digest: string;
  readonly revision: string;
  readonly environment: string;
  /** Wanted to run. Others may be rolled back to. */
  readonly isLive: boolean;
}
/** `message` is a sentence for people; code and context are those of the contract's catalogue. */
export type PullVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly code: string; readonly context: Readonly<Record<string, string>>; readonly message: string };

/** One connection to the platform's database, or its pool. */
export interface Statements {
  query<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}
/** What a registry asks the platform. A registry that is somebody else's has rules of its own. */
export interface ImageRules {
  /** The revisions that are made of any of these images, those that are live first. */
  uses(db: Statements, repository: string, digests: readonly string[]): Promise<readonly ImageUse[]>;
  /** Whether the policy of the project lets this image through. */
  mayPull(repository: string, digest: string): Promise<PullVerdict>;
}
