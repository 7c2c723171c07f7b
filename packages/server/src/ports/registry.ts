import type { HttpMount } from './mount.ts';
import type {
  ImageAnatomy,
  ProjectStorage,
  PullVerdict,
  ReferrerInfo,
  RepositorySlice,
  RepositoryUse,
  RetentionRule,
  Sliced,
  TagInfo,
  TagSlice,
} from './registry-content.ts';

/** The user name of the platform's own node agent, which pulls what it is to run. */
export const nodeAgent = 'node-agent';

export type RobotAction = 'pull' | 'push' | 'delete';
/** The secret is answered once, on creation, and never again. */
export interface RobotCredentials {
  readonly username: string;
  readonly secret: string;
}
/** A resource with an action, as Harbor calls them. */
export type RobotPermission =
  | 'repository:pull'
  | 'repository:push'
  | 'artifact:read'
  | 'artifact:delete'
  | 'tag:list'
  | 'tag:create'
  | 'tag:delete';
export interface RobotSpec {
  readonly permissions: readonly RobotPermission[];
  readonly description: string;
  /** The last day on which it works, `YYYY-MM-DD`, UTC. */
  readonly expiresOn: string | null;
  readonly createdBy?: { readonly id: string; readonly displayName: string } | undefined;
}
export interface RobotInfo {
  readonly name: string;
  readonly username: string;
  readonly actions: readonly RobotAction[];
  readonly permissions: readonly RobotPermission[];
  readonly description: string;
  readonly expiresOn: string | null;
  readonly isDisabled: boolean;
  readonly secretAt: Date;
  /** Instants inside of the nested ones are ISO 8601. */
  readonly previous: { readonly endsAt: string; readonly lastUsedAt: string | null } | null;
  readonly lastUsed: { readonly at: string; readonly address: string; readonly client: string } | null;
  /** Since it expired or was disabled. */
  readonly refusals: { readonly count: number; readonly lastAt: string | null };
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: { readonly id: string; readonly displayName: string } | null;
}
/** What a team should hear of a robot account: it ends soon, or was refused today since it has ended or is disabled. */
export interface RobotNotice {
  readonly kind: 'ENDING' | 'REFUSED';
  readonly project: string;
  readonly name: string;
  /** The last day, or the day of the refusal. */
  readonly day: string;
}
/** What happens in a project, beside pushes of tags, that others want to know. */
export type RegistryEventType =
  | 'PUSH_ARTIFACT'
  | 'PULL_ARTIFACT'
  | 'DELETE_ARTIFACT'
  | 'SCANNING_COMPLETED'
  | 'SCANNING_FAILED'
  | 'QUOTA_WARNING'
  | 'QUOTA_EXCEED'
  | 'TAG_RETENTION';
export interface RegistryEvent {
  readonly type: RegistryEventType;
  readonly project: string;
  /** A user name, or `platform`. */
  readonly operator: string;
  /** `{project}/{name}`; left out where it is about the whole project. */
  readonly repository?: string;
  readonly tag?: string;
  readonly digest?: string;
  /** Added to the image in the body of a webhook: `scan_overview`. */
  readonly aboutImage?: object;
  /** Added to the event's data: `custom_attributes`. */
  readonly aboutEvent?: object;
}
export interface ImageInfo {
  /** `{project}/{name}` without host. */
  readonly repository: string;
  readonly digest: string;
  readonly tags: readonly string[];
  readonly mediaType: string;
  /** Sum of the layers and the configuration, in bytes. */
  readonly sizeBytes: number;
  readonly pushedAt: Date;
}
/** A tag that was set by a push. */
export interface PushedTag extends ImagePushed {
  readonly pushedAt: Date;
  /** An identity's id, a robot account's user name, or `platform`; null where the registry does not know. */
  readonly pushedBy: string | null;
}
export interface ImagePushed {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** Bytes that lie in a file of their own. Whoever wrote it has measured them meanwhile: digest and size are believed. */
export interface WrittenBlob {
  readonly digest: string;
  readonly size: number;
  readonly file: string;
}

/**
 * A container registry with projects and robot accounts, shaped like Harbor's API.
 * All verbs are idempotent: ensuring what exists and deleting what is gone succeed.
 */
export interface Registry {
  readonly kind: 'embedded' | 'harbor';
  /** What stands before the repository in an image reference, e.g. `localhost:4000`. */
  readonly host: string;
  /** Base address for the registry's HTTP API, e.g. `http://127.0.0.1:4000`. */
  readonly baseUrl: string;
  /** False when the registry already has that project made by somebody else (`owner` differs). */
  projectEnsure(project: string, owner: string): Promise<{ created: boolean }>;
  projectExists(project: string): Promise<boolean>;
  /** Lets everybody pull, where the registry can. */
  projectPublish?(project: string, isPublic: boolean): Promise<void>;
  /** Deletes the project with its robots, repositories and tags. */
  projectDelete(project: string): Promise<void>;
  /** Makes a robot account, or gives the existing one a new secret. */
  robotEnsure(project: string, name: string, actions: readonly RobotAction[]): Promise<RobotCredentials>;
  /** Makes one that people describe. Conflict when there is one of the name. */
  robotCreate(project: string, name: string, spec: RobotSpec): Promise<RobotCredentials>;
  /** Its secret stays. Not found when there is none. */
  robotChange(project: string, name: string, spec: Omit<RobotSpec, 'createdBy'>): Promise<void>;
  /** A disabled one is refused until it is enabled. */
  robotActivate(project: string, name: string, isActive: boolean): Promise<void>;
  /** A new secret; the one of before works until then. */
  robotRotate(project: string, name: string, previousUntil: Date): Promise<RobotCredentials>;
  /** Ends the secret of before the rotation. */
  robotSecretEnd(project: string, name: string): Promise<void>;
  /** What teams should hear by now; each is answered once. `soonDays`: how long before its end an account counts as ending. */
  robotNotices(soonDays: number): Promise<readonly RobotNotice[]>;
  robotDelete(project: string, name: string): Promise<void>;
  /** By name; empty for a project that does not exist. */
  robots(project: string): Promise<readonly RobotInfo[]>;
  repositories(project: string): Promise<readonly { repository: string; tags: number; updatedAt: Date }[]>;
  repositoryDelete(repository: string): Promise<void>;
  /** Newest first. */
  tags(repository: string): Promise<readonly ImageInfo[]>;
  /** The tags of each repository that were pushed after an instant, the newest first; in one go, since it is asked every few seconds. */
  tagsPushed(since: readonly { readonly repository: string; readonly after: Date }[]): Promise<readonly PushedTag[]>;
  repositoryExists(repository: string): Promise<boolean>;
  /** Tags that were pushed after an instant, in every project, the oldest first. */
  pushes(after: Date, limit: number): Promise<readonly PushedTag[]>;
  repositorySlice(project: string, slice: RepositorySlice): Promise<Sliced<RepositoryUse>>;
  tagSlice(repository: string, slice: TagSlice): Promise<Sliced<TagInfo>>;
  tag(repository: string, tag: string): Promise<TagInfo | undefined>;
  /** What an image is made of; undefined where its documents cannot be read. */
  anatomy(repository: string, digest: string): Promise<ImageAnatomy | undefined>;
  /** Manifests that name the image as their subject, the newest first. */
  referrers(repository: string, digest: string, limit: number): Promise<readonly ReferrerInfo[]>;
  /**
   * Deletes a tag, and its image with the last one, unless an index needs it. False where the tag is gone, or names another image than
   * `digest` by now. A conflict where a live revision runs it.
   */
  tagDelete(repository: string, tag: string, digest: string, by?: string): Promise<boolean>;
  storage(project: string): Promise<ProjectStorage>;
  /** Null: what the platform gives every project. Not found when there is no such project. */
  projectQuota(project: string, quotaBytes: number | null): Promise<void>;
  /** Tags that the rule does not keep, the oldest first, at most so many of them after one. */
  expiring(
    project: string,
    rule: RetentionRule,
    page: { readonly after?: TagInfo | undefined; readonly limit: number },
  ): Promise<readonly TagInfo[]>;
  /** How much gets free with these tags: what no other image of the project needs. */
  bytesOf(repository: string, tags: readonly string[]): Promise<number>;
  /** Whether the policy of the project lets the image through; what a live revision runs already is asked elsewhere. */
  mayPull(repository: string, digest: string): Promise<PullVerdict>;
  /** By tag or digest; undefined where there is none. */
  image(repository: string, reference: string): Promise<ImageInfo | undefined>;
  /**
   * Moves the file of a blob into the registry, where that keeps its own on the same disk; else it answers false, and the blob is to be
   * pushed. Not for what strangers wrote. Not found when there is no such project, rejected where the project has no room.
   */
  blobTake?(repository: string, blob: WrittenBlob): Promise<boolean>;
  /** Short-lived credentials for the platform itself, for one repository. */
  accessToken(repository: string, actions: readonly RobotAction[]): Promise<string>;
  /** Reports pushes of tagged manifests to this replica's registry. Answers the function that stops listening. */
  onPush(listener: (image: ImagePushed) => void): () => void;
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
