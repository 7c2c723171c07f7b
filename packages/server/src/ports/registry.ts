import type { HttpMount } from './mount.ts';

export type RobotAction = 'pull' | 'push' | 'delete';
/** The secret is answered once, on creation, and never again. */
export interface RobotCredentials {
  readonly username: string;
  readonly secret: string;
}
export interface RobotInfo {
  readonly name: string;
  readonly username: string;
  readonly actions: readonly RobotAction[];
  readonly updatedAt: Date;
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
  robotDelete(project: string, name: string): Promise<void>;
  /** By name; empty for a project that does not exist. */
  robots(project: string): Promise<readonly RobotInfo[]>;
  repositories(project: string): Promise<readonly { repository: string; tags: number; updatedAt: Date }[]>;
  repositoryDelete(repository: string): Promise<void>;
  /** Newest first. */
  tags(repository: string): Promise<readonly ImageInfo[]>;
  /** The tags of each repository that were pushed after an instant, the newest first; in one go, since it is asked every few seconds. */
  tagsPushed(since: readonly { readonly repository: string; readonly after: Date }[]): Promise<readonly PushedTag[]>;
  /** By tag or digest; undefined where there is none. */
  image(repository: string, reference: string): Promise<ImageInfo | undefined>;
  /** Short-lived credentials for the platform itself, for one repository. */
  accessToken(repository: string, actions: readonly RobotAction[]): Promise<string>;
  /** Reports pushes of tagged manifests to this replica's registry. Answers the function that stops listening. */
  onPush(listener: (image: ImagePushed) => void): () => void;
  readonly mount?: HttpMount;
  close(): Promise<void>;
}
