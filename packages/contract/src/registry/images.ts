/** Content of a registry project: repositories, their tags with pusher and usage, and one image in detail. */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { RevisionStatus } from '../service/revision.ts';
import { imageTagPath, registryCodes, registryPath, registryTag } from './registry-routes.ts';
import { ScanSummary } from './scan.ts';

export const ImageRepository = z.object({
  /** Name within the project: `berth-api`. Encoded in paths, because it may contain slashes. */
  name: z.string(),
  /** Name including the project: `berth/berth-api`. */
  repository: z.string(),
  tagCount: z.number(),
  sizeBytes: z.number(),
  pushedAt: Instant,
  /** Verbs: delete. */
  can: Can,
});
export type ImageRepository = z.infer<typeof ImageRepository>;

/** A robot account by its user name, an identity by its id, or the platform itself. */
export const Pusher = z.object({ kind: z.enum(['ROBOT', 'IDENTITY', 'PLATFORM', 'UNKNOWN']), id: z.string(), displayName: z.string() });
/** An existing revision that uses this image. */
export const ImageRun = z.object({
  environment: Environment,
  service: z.string(),
  revision: z.string(),
  number: z.number(),
  status: RevisionStatus,
  /** True if the revision is enabled and not being deleted. */
  isLive: z.boolean(),
  isServing: z.boolean(),
  createdAt: Instant,
  createdBy: z.string(),
});
export type ImageRun = z.infer<typeof ImageRun>;
export const ImageTag = z.object({
  repository: z.string(),
  tag: z.string(),
  digest: z.string(),
  mediaType: z.string(),
  /** Transferred size of layers and configuration. */
  sizeBytes: z.number(),
  pushedAt: Instant,
  pushedBy: Pusher,
  /** Live revisions first, then the newest; at most ten. */
  runs: z.array(ImageRun),
  /** True if a signature refers to this image. */
  isSigned: z.boolean(),
  scan: ScanSummary,
  /** True if the next retention run will delete it. */
  isExpiring: z.boolean(),
  /** Verbs: delete, move. */
  can: Can,
});
export type ImageTag = z.infer<typeof ImageTag>;

export const ImageLayer = z.object({
  digest: z.nullable(z.string()),
  sizeBytes: z.number(),
  /** The command that created the layer, from the image's history. Empty if the history has none. */
  command: z.string(),
  createdAt: z.nullable(Instant),
});
export const ImageReferrer = z.object({
  digest: z.string(),
  artifactType: z.string(),
  mediaType: z.string(),
  sizeBytes: z.number(),
  pushedAt: Instant,
  annotations: z.record(z.string(), z.string()),
});
export const ImagePlatform = z.object({
  os: z.string(),
  architecture: z.string(),
  variant: z.string(),
  digest: z.string(),
  sizeBytes: z.number(),
});
export const ImageDetail = z.extend(ImageTag, {
  /**
   * One platform, unless the tag refers to an index. Layers, labels and other details belong to the first platform that Slipway can run.
   */
  platforms: z.array(ImagePlatform),
  createdAt: z.nullable(Instant),
  labels: z.record(z.string(), z.string()),
  user: z.string(),
  workingDirectory: z.string(),
  /** Entry point and command. */
  command: z.array(z.string()),
  exposedPorts: z.array(z.string()),
  /** Bottom layer first, including layers without file changes. */
  layers: z.array(ImageLayer),
  /** At most a hundred. */
  referrers: z.array(ImageReferrer),
  /** Other tags of the same image, at most twenty. */
  otherTags: z.array(z.string()),
  /** Why the project's policy refuses the image, with the CVE if it is the reason. Null if the image may be pulled. */
  refusal: z.nullable(z.object({ code: z.string(), context: z.record(z.string(), z.string()) })),
});
export type ImageDetail = z.infer<typeof ImageDetail>;

/** A tag that a live revision uses cannot be deleted. If production uses the tag, it cannot be moved either. */
export const tagRules = (
  runs: readonly Pick<ImageRun, 'environment' | 'isLive'>[],
): { delete: true | 'TagInUse'; move: true | 'TagInUse' } => {
  const live = runs.filter(({ isLive }) => isLive);
  return {
    delete: live.length > 0 ? 'TagInUse' : true,
    move: live.some(({ environment }) => environment === 'production') ? 'TagInUse' : true,
  };
};

const tag = registryTag;
const access = 'appMemberHidden';
const one = `${registryPath}/repositories/{repository}` as const;
const codes = [...registryCodes, 'RepositoryDoesNotExist'] as const;
const route = routesIn({ tag, access });
export const imageRepositoryList = route('imageRepositoryList', `GET ${registryPath}/repositories`, {
  summary: "Repositories of the app's project, by name; sort: name, pushedAt, sizeBytes",
  query: PageQuery,
  response: pageOf(ImageRepository),
  codes: [...registryCodes, ...pageCodes],
});
export const imageRepositoryDelete = route('imageRepositoryDelete', `DELETE ${one}`, {
  summary: 'Delete a repository with its tags, none of which a revision runs',
  codes: [...codes, 'RepositoryInUse'],
});
export const imageTagList = route('imageTagList', `GET ${one}/tags`, {
  summary: 'Tags of a repository, the newest first; sort: pushedAt, tag. `query` is part of a tag, or the begin of a digest',
  query: z.extend(PageQuery, {
    /** True: only tags that a live revision uses. False: only the others. */
    isRunning: z.optional(z.stringbool()),
  }),
  response: pageOf(ImageTag),
  codes: [...codes, ...pageCodes],
});
export const imageTagView = route('imageTagView', `GET ${imageTagPath}`, {
  summary: 'One image: layers, platform, labels, referrers, and where it ran',
  response: ImageDetail,
  codes: [...codes, 'TagDoesNotExist'],
});
export const imageTagDelete = route('imageTagDelete', `DELETE ${imageTagPath}`, {
  summary: 'Delete a tag that no revision runs; its image goes with the last tag',
  codes: [...codes, 'TagDoesNotExist', 'TagInUse'],
});
