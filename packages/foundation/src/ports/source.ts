import type { SourceFile } from './builder.ts';
import type { HttpMount } from './mount.ts';

export interface RepositoryRef {
  readonly owner: string;
  readonly name: string;
}
export interface RepositoryInfo {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly cloneUrl: string;
  readonly headCommit: string | undefined;
}
export interface CommitInfo {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  readonly email: string;
  readonly at: Date;
}
/** Changes between two commits. `files` and `patch` are truncated at the adapter's limits. */
export interface SourceChanges {
  /** Newest first; the first 20 of `commitCount`. */
  readonly commits: readonly CommitInfo[];
  readonly commitCount: number;
  /** Line counts are null for binary files. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  /** A unified diff. */
  readonly patch: string;
  readonly isCut: boolean;
}
export interface Pushed {
  readonly ref: RepositoryRef;
  readonly branch: string;
  readonly commit: string;
  readonly pusher: string;
}

/** A git host. The embedded host stores repositories as `{app}/{repository}`. All methods are idempotent. */
export interface SourceHost {
  readonly kind: 'embedded' | 'github';
  repository(ref: RepositoryRef): Promise<RepositoryInfo | undefined>;
  repositories(owner: string): Promise<readonly RepositoryInfo[]>;
  /** Creates a repository whose default branch has one commit with `files`. Conflict if it exists with other content. */
  createRepository(
    ref: RepositoryRef,
    files: readonly SourceFile[],
    commit: { message: string; author: string; email: string },
  ): Promise<RepositoryInfo>;
  deleteRepository(ref: RepositoryRef): Promise<void>;
  /** Returns the whole tree of a commit. */
  readTree(ref: RepositoryRef, commit: string): Promise<readonly SourceFile[]>;
  commit(ref: RepositoryRef, sha: string): Promise<CommitInfo | undefined>;
  /** Undefined if the repository lacks either commit. Both may be abbreviated to at least seven digits. */
  changes(ref: RepositoryRef, from: string, to: string): Promise<SourceChanges | undefined>;
  /** Reports pushes to a default branch accepted by this replica. Returns a function that unsubscribes. */
  onPush(listener: (push: Pushed) => void): () => void;
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
