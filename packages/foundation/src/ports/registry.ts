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

/** User name of the platform's node agent, which pulls the images it runs. */
export const nodeAgent = 'node-agent';
/** Whether a user name is the node agent's, or that of a cluster's nodes: `node-agent.<app>`. */
export const isNode = (name: string): boolean => name === nodeAgent || name.startsWith(`${nodeAgent}.`);

export type RobotAction = 'pull' | 'push' | 'delete';
/** The secret is returned only once, on creation. */
export interface RobotCredentials {
  readonly username: string;
  readonly secret: string;
}
/** A resource and an action, named as in Harbor. */
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
  /** Last day on which the account works, `YYYY-MM-DD` in UTC. */
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
  /** Nested timestamps are ISO 8601. */
  readonly previous: { readonly endsAt: string; readonly lastUsedAt: string | null } | null;
  readonly lastUsed: { readonly at: string; readonly address: string; readonly client: string } | null;
  /** Rejections since the account expired or was disabled. */
  readonly refusals: { readonly count: number; readonly lastAt: string | null };
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdBy: { readonly id: string; readonly displayName: string } | null;
}
/** A notification for a team: a robot account expires soon, or an expired or disabled account was rejected today. */
export interface RobotNotice {
  readonly kind: 'ENDING' | 'REFUSED';
  readonly project: string;
  readonly name: string;
  /** The expiry day, or the day of the rejection. */
  readonly day: string;
}
/** Events of a project, other than tag pushes. */
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
  /** `{project}/{name}`. Missing for events of the whole project. */
  readonly repository?: string;
  readonly tag?: string;
  readonly digest?: string;
  /** Added to the image in a webhook body: `scan_overview`. */
  readonly aboutImage?: object;
  /** Added to the event data: `custom_attributes`. */
  readonly aboutEvent?: object;
}
export interface ImageInfo {
  /** `{project}/{name}` without host. */
  readonly repository: string;
  readonly digest: string;
  readonly tags: readonly string[];
  readonly mediaType: string;
  /** Size of the layers and the configuration, in bytes. */
  readonly sizeBytes: number;
  readonly pushedAt: Date;
}
/** A tag set by a push. */
export interface PushedTag extends ImagePushed {
  readonly pushedAt: Date;
  /** An identity's id, a robot account's user name, or `platform`. Null if unknown. */
  readonly pushedBy: string | null;
}
export interface ImagePushed {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** A blob in its own file. Its writer computed the digest and size, which are trusted. */
export interface WrittenBlob {
  readonly digest: string;
  readonly size: number;
  readonly file: string;
}

/**
 * A container registry with projects and robot accounts, shaped like Harbor's API.
 * All methods are idempotent: ensuring an existing object and deleting a missing one succeed.
 */
export interface Registry {
  readonly kind: 'embedded' | 'harbor';
  /** Host part of image references, for example `localhost:4000`. */
  readonly host: string;
  /** Base address for the registry's HTTP API, e.g. `http://127.0.0.1:4000`. */
  readonly baseUrl: string;
  /** `created` is false only if the project already exists with another `owner`. */
  projectEnsure(project: string, owner: string): Promise<{ created: boolean }>;
  projectExists(project: string): Promise<boolean>;
  /** Allows anonymous pulls, if the registry supports them. */
  projectPublish?(project: string, isPublic: boolean): Promise<void>;
  /** Deletes the project with its robots, repositories and tags. */
  projectDelete(project: string): Promise<void>;
  /** Creates a robot account, or gives an existing account a new secret. */
  robotEnsure(project: string, name: string, actions: readonly RobotAction[]): Promise<RobotCredentials>;
  /** Creates a robot account specified by a user. Rejects with a conflict if the name exists. */
  robotCreate(project: string, name: string, spec: RobotSpec): Promise<RobotCredentials>;
  /** Keeps the secret. Rejects with `notFound` if the account does not exist. */
  robotChange(project: string, name: string, spec: Omit<RobotSpec, 'createdBy'>): Promise<void>;
  /** A disabled account is rejected until it is enabled again. */
  robotActivate(project: string, name: string, isActive: boolean): Promise<void>;
  /** Sets a new secret. The previous secret works until `previousUntil`. */
  robotRotate(project: string, name: string, previousUntil: Date): Promise<RobotCredentials>;
  /** Revokes the secret from before the rotation. */
  robotSecretEnd(project: string, name: string): Promise<void>;
  /** Returns pending notifications, each only once. `daysBefore`: the numbers of days before its expiry at which an account is reported. */
  robotNotices(daysBefore: readonly number[]): Promise<readonly RobotNotice[]>;
  robotDelete(project: string, name: string): Promise<void>;
  /** Sorted by name. Empty if the project does not exist. */
  robots(project: string): Promise<readonly RobotInfo[]>;
  repositories(project: string): Promise<readonly { repository: string; tags: number; updatedAt: Date }[]>;
  repositoryDelete(repository: string): Promise<void>;
  /** Newest first. */
  tags(repository: string): Promise<readonly ImageInfo[]>;
  /**
   * Returns the tags of each repository pushed after an instant, newest first. One call for all, because it is polled every few seconds.
   */
  tagsPushed(since: readonly { readonly repository: string; readonly after: Date }[]): Promise<readonly PushedTag[]>;
  repositoryExists(repository: string): Promise<boolean>;
  /** Returns tags of all projects pushed after an instant, oldest first. */
  pushes(after: Date, limit: number): Promise<readonly PushedTag[]>;
  repositorySlice(project: string, slice: RepositorySlice): Promise<Sliced<RepositoryUse>>;
  tagSlice(repository: string, slice: TagSlice): Promise<Sliced<TagInfo>>;
  tag(repository: string, tag: string): Promise<TagInfo | undefined>;
  /** Returns the contents of an image, or undefined if its documents cannot be read. */
  anatomy(repository: string, digest: string): Promise<ImageAnatomy | undefined>;
  /** Returns manifests that have the image as their subject, newest first. */
  referrers(repository: string, digest: string, limit: number): Promise<readonly ReferrerInfo[]>;
  /**
   * Deletes a tag, and its image with the last tag unless an index needs it. Returns false if the tag is gone or no longer names `digest`.
   * Rejects with a conflict if a live revision runs it.
   */
  tagDelete(repository: string, tag: string, digest: string, by?: string): Promise<boolean>;
  storage(project: string): Promise<ProjectStorage>;
  /** Null resets to the platform's default quota. Rejects with `notFound` if the project does not exist. */
  projectQuota(project: string, quotaBytes: number | null): Promise<void>;
  /** Returns tags that the rule does not keep, oldest first, up to a limit and starting after a given tag. */
  expiring(
    project: string,
    rule: RetentionRule,
    page: { readonly after?: TagInfo | undefined; readonly limit: number },
  ): Promise<readonly TagInfo[]>;
  /** Returns the bytes freed by deleting these tags: blobs that no other image of the project needs. */
  bytesOf(repository: string, tags: readonly string[]): Promise<number>;
  /** Whether the project's policy allows pulling the image. Exceptions for live revisions are checked elsewhere. */
  mayPull(repository: string, digest: string): Promise<PullVerdict>;
  /** Finds an image by tag or digest. Undefined if it does not exist. */
  image(repository: string, reference: string): Promise<ImageInfo | undefined>;
  /**
   * Moves a blob's file into a registry that stores files on the same disk. Otherwise returns false, and the caller must push the blob.
   * Don't use it for untrusted files. Rejects with `notFound` if the project does not exist, and `rejected` if its quota is used up.
   */
  blobTake?(repository: string, blob: WrittenBlob): Promise<boolean>;
  /** Returns short-lived credentials for one repository, for the platform itself. */
  accessToken(repository: string, actions: readonly RobotAction[]): Promise<string>;
  /** Reports pushes of tagged manifests to this replica's registry. Returns a function that unsubscribes. */
  onPush(listener: (image: ImagePushed) => void): () => void;
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
