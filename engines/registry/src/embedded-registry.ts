// The embedded container registry: OCI distribution 1.1 with token sign-in, bytes in the data directory, the rest in PostgreSQL.
// Any number of replicas may serve the same directory and database.
import type { Pool } from 'pg';
import { AttemptLimit } from '@slipway/foundation/attempt-limit.ts';
import type { Floor } from '@slipway/foundation/disk-floor.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import type {
  ImageInfo,
  ImagePushed,
  PushedTag,
  Registry,
  RobotAction,
  RobotCredentials,
  RobotInfo,
  RobotNotice,
  RobotSpec,
  WrittenBlob,
} from '@slipway/foundation/ports/registry.ts';
import type {
  ImageAnatomy,
  ImageRules,
  ProjectStorage,
  PullVerdict,
  ReferrerInfo,
  RepositorySlice,
  RepositoryUse,
  RetentionRule,
  Sliced,
  TagInfo,
  TagSlice,
} from '@slipway/foundation/ports/registry-content.ts';
import { Accounts, type AuthenticateHook, type SubjectHook } from './sign-in/accounts.ts';
import { Authorization } from './sign-in/authorization.ts';
import { annotationsOf, readAnatomy } from './content/anatomy.ts';
import { BlobFiles } from './content/blob-files.ts';
import * as browse from './content/browse.sql.ts';
import { selectImages, selectManifest, selectPushedTags, selectPushes, type ImageRow } from './content/content.sql.ts';
import { InUse, removeTagAndImage } from './content/removal.ts';
import type { EventHook, RegistryContext, RegistryLimits } from './context.ts';
import { collectGarbage, GRACE_MS, type GarbageReport } from './garbage/garbage.ts';
import { GarbageTimer } from './garbage/garbage-timer.ts';
import { isDigest, isProject, isRepository, isTag } from './grammar.ts';
import * as sql from './project.sql.ts';
import { asRefusal, portErrors } from './port-errors.ts';
import { Quota } from './quota/quota.ts';
import { selectQuota, selectUsage, updateQuota } from './quota/usage.sql.ts';
import { RegistryRouter, TOKEN_PATH } from './router.ts';
import { Robots } from './sign-in/robots.ts';
import { TokenEndpoint } from './sign-in/token-endpoint.ts';
import { PLATFORM, Tokens } from './sign-in/tokens.ts';
import { takeFile } from './uploads/take-file.ts';

const DEFAULT_LIMITS: RegistryLimits = { blobBytes: 10 * 1024 ** 3, manifestBytes: 4 * 1024 ** 2, idleMs: 120_000, graceMs: GRACE_MS };
const GARBAGE_EVERY_MS = 10 * 60_000;
/** Rules of a registry without a platform. They allow everything. */
const openRules: ImageRules = { uses: async () => [], mayPull: async () => ({ isAllowed: true }) };

const ignoreEvents: EventHook = async () => {};

export interface EmbeddedRegistryOptions {
  /** Not ended by `close()`. */
  readonly pool: Pool;
  /** Created if it is missing. Shared by all replicas. */
  readonly dataDir: string;
  /** The origin as clients see it, e.g. `http://localhost:4000`; image references contain its host. */
  readonly publicUrl: string;
  /** Base URL at which the platform itself reaches the registry. */
  readonly baseUrl: string;
  /** At least 32 bytes, the same for all replicas. */
  readonly signingKey: Uint8Array;
  readonly log: Log;
  readonly clock?: { now(): Date };
  readonly authenticate?: AuthenticateHook;
  readonly findSubject?: SubjectHook;
  readonly limits?: Partial<RegistryLimits>;
  readonly garbageEveryMs?: number;
  /** The platform's rules for images. Defaults to rules that allow everything. */
  readonly rules?: ImageRules;
  /** Quota of projects without their own quota, in bytes. Defaults to no quota. */
  readonly quotaBytes?: number | undefined;
  /** Defaults to no announcements. */
  readonly onEvent?: EventHook;
  /** Free space to keep on the disk that contains `dataDir`. */
  readonly floor?: Floor;
}

export class EmbeddedRegistry implements Registry {
  readonly kind = 'embedded';
  readonly host: string;
  readonly baseUrl: string;
  readonly mount: HttpMount;
  readonly #pool: Pool;
  readonly #context: RegistryContext;
  readonly #tokens: Tokens;
  readonly #robots: Robots;
  readonly #garbage: GarbageTimer;
  readonly #listeners = new Set<(image: ImagePushed) => void>();

  constructor(options: EmbeddedRegistryOptions) {
    const { pool, publicUrl, baseUrl, log, clock } = options;
    const now = (): Date => clock?.now() ?? new Date();
    const files = new BlobFiles(options.dataDir, options.floor);
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.host = new URL(publicUrl).host;
    this.baseUrl = baseUrl;
    this.#pool = pool;
    const { onEvent = ignoreEvents } = options;
    const quota = new Quota(pool, options.quotaBytes ?? null, (type, project, detail) => {
      const event = { type, project, operator: PLATFORM, aboutEvent: { custom_attributes: detail } };
      onEvent(event, this.host, pool).catch((error: unknown) => log.warn({ err: error }, 'registry: a quota was not announced'));
    });
    const rules = options.rules ?? openRules;
    this.#context = { pool, host: this.host, files, log, now, limits, rules, quota, onEvent, pushed: (image) => this.#pushed(image) };
    this.#tokens = new Tokens(options.signingKey, now);
    const accounts = new Accounts(pool, options.authenticate, options.findSubject, now);
    this.#robots = new Robots(pool, now);
    const authorization = new Authorization(
      accounts,
      this.#tokens,
      new AttemptLimit({ now: () => now().getTime() }),
      new URL(TOKEN_PATH, publicUrl).href,
    );
    const endpoint = new TokenEndpoint(accounts, authorization, this.#tokens, now);
    this.mount = new RegistryRouter(this.#context, authorization, endpoint).mount;
    this.#garbage = new GarbageTimer(this.#context, options.garbageEveryMs ?? GARBAGE_EVERY_MS);
  }

  projectEnsure(project: string, owner: string): Promise<{ created: boolean }> {
    return portErrors(async () => {
      requireName(isProject(project), 'project', project);
      return { created: (await sql.insertProject(this.#pool, project, owner, this.#context.now())) === owner };
    });
  }

  projectExists(project: string): Promise<boolean> {
    return portErrors(async () => (await sql.selectProject(this.#pool, project)) !== undefined);
  }

  projectDelete(project: string): Promise<void> {
    return portErrors(() => sql.deleteProject(this.#pool, project));
  }

  /** Allows or forbids pulls without credentials. Throws `notFound` if the project does not exist. */
  projectPublish(project: string, isPublic: boolean): Promise<void> {
    return portErrors(async () => {
      if (!(await sql.updateProjectPublic(this.#pool, project, isPublic)))
        throw new PortFailure('notFound', `no registry project ${project}`);
    });
  }

  robotEnsure(project: string, name: string, actions: readonly RobotAction[]): Promise<RobotCredentials> {
    return portErrors(() => this.#robots.ensure(project, name, actions));
  }

  robotCreate(project: string, name: string, spec: RobotSpec): Promise<RobotCredentials> {
    return portErrors(() => this.#robots.create(project, name, spec));
  }

  robotChange(project: string, name: string, spec: Omit<RobotSpec, 'createdBy'>): Promise<void> {
    return portErrors(() => this.#robots.change(project, name, spec));
  }

  robotActivate(project: string, name: string, isActive: boolean): Promise<void> {
    return portErrors(() => this.#robots.activate(project, name, isActive));
  }

  robotRotate(project: string, name: string, previousUntil: Date): Promise<RobotCredentials> {
    return portErrors(() => this.#robots.rotate(project, name, previousUntil));
  }

  robotSecretEnd(project: string, name: string): Promise<void> {
    return portErrors(() => this.#robots.endSecret(project, name));
  }

  robotNotices(daysBefore: readonly number[]): Promise<readonly RobotNotice[]> {
    return portErrors(() => this.#robots.notices(daysBefore));
  }

  robotDelete(project: string, name: string): Promise<void> {
    return portErrors(() => this.#robots.delete(project, name));
  }

  robots(project: string): Promise<readonly RobotInfo[]> {
    return portErrors(() => this.#robots.list(project));
  }

  repositories(project: string): Promise<readonly { repository: string; tags: number; updatedAt: Date }[]> {
    return portErrors(() => sql.selectRepositories(this.#pool, project));
  }

  repositoryDelete(repository: string): Promise<void> {
    return portErrors(() => sql.deleteRepository(this.#pool, repository));
  }

  tags(repository: string): Promise<readonly ImageInfo[]> {
    return portErrors(async () => (await selectImages(this.#pool, repository, undefined)).map((row) => toImage(repository, row)));
  }

  repositoryExists(repository: string): Promise<boolean> {
    return portErrors(async () => isRepository(repository) && (await sql.repositoryExists(this.#pool, repository)));
  }

  pushes(after: Date, limit: number): Promise<readonly PushedTag[]> {
    return portErrors(() => selectPushes(this.#pool, after, limit));
  }

  repositorySlice(project: string, slice: RepositorySlice): Promise<Sliced<RepositoryUse>> {
    return portErrors(() => browse.selectRepositorySlice(this.#pool, project, slice));
  }

  tagSlice(repository: string, slice: TagSlice): Promise<Sliced<TagInfo>> {
    return portErrors(() => browse.selectTagSlice(this.#pool, repository, slice));
  }

  tag(repository: string, tag: string): Promise<TagInfo | undefined> {
    return portErrors(async () => (isTag(tag) ? browse.selectTag(this.#pool, repository, tag) : undefined));
  }

  anatomy(repository: string, digest: string): Promise<ImageAnatomy | undefined> {
    return portErrors(async () => (isDigest(digest) ? readAnatomy(this.#context, repository, digest) : undefined));
  }

  referrers(repository: string, digest: string, limit: number): Promise<readonly ReferrerInfo[]> {
    return portErrors(async () =>
      (await browse.selectNewestReferrers(this.#pool, repository, digest, limit)).map((row) => ({
        ...row,
        artifactType: row.artifactType ?? '',
        sizeBytes: Number(row.sizeBytes),
        annotations: annotationsOf(row.annotations),
      })),
    );
  }

  tagDelete(repository: string, tag: string, digest: string, by = PLATFORM): Promise<boolean> {
    return portErrors(async () => {
      try {
        return await removeTagAndImage(this.#context, repository, { tag, digest, by });
      } catch (error) {
        if (!(error instanceof InUse)) throw error;
        const { revision, environment } = error.use;
        throw new PortFailure('conflict', error.message, { code: 'TagInUse', context: { revision, environment } });
      }
    });
  }

  storage(project: string): Promise<ProjectStorage> {
    return portErrors(async () => {
      const own = (await selectQuota(this.#pool, project))?.quotaBytes ?? null;
      return { ...(await selectUsage(this.#pool, project)), quotaBytes: this.#context.quota.limitOf(own) };
    });
  }

  projectQuota(project: string, quotaBytes: number | null): Promise<void> {
    return portErrors(async () => {
      if (!(await updateQuota(this.#pool, project, quotaBytes))) throw new PortFailure('notFound', `no registry project ${project}`);
      this.#context.quota.forget(project);
    });
  }

  expiring(
    project: string,
    rule: RetentionRule,
    page: { readonly after?: TagInfo | undefined; readonly limit: number },
  ): Promise<readonly TagInfo[]> {
    return portErrors(() => browse.selectExpiring(this.#pool, project, rule, page));
  }

  bytesOf(repository: string, tags: readonly string[]): Promise<number> {
    return portErrors(() => browse.selectOwnBytes(this.#pool, repository, tags));
  }

  mayPull(repository: string, digest: string): Promise<PullVerdict> {
    return portErrors(() => this.#context.rules.mayPull(repository, digest));
  }

  tagsPushed(since: readonly { readonly repository: string; readonly after: Date }[]): Promise<readonly PushedTag[]> {
    return portErrors(() => selectPushedTags(this.#pool, since));
  }

  image(repository: string, reference: string): Promise<ImageInfo | undefined> {
    return portErrors(async () => {
      // Users type references, so an invalid one counts as missing instead of causing a database error.
      if (!isRepository(repository) || !(isTag(reference) || isDigest(reference))) return undefined;
      const found = await selectManifest(this.#pool, repository, reference);
      const [row] = found ? await selectImages(this.#pool, repository, found.digest) : [];
      return row && toImage(repository, row);
    });
  }

  blobTake(repository: string, blob: WrittenBlob): Promise<boolean> {
    return portErrors(async () => {
      requireName(isRepository(repository), 'repository', repository);
      try {
        return await takeFile(this.#context, repository, blob);
      } catch (error) {
        throw asRefusal(error);
      }
    });
  }

  accessToken(repository: string, actions: readonly RobotAction[]): Promise<string> {
    return portErrors(() => {
      requireName(isRepository(repository), 'repository', repository);
      return this.#tokens.signAccess(PLATFORM, [{ repository, actions }]);
    });
  }

  onPush(listener: (image: ImagePushed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Deletes unreferenced bytes older than the grace period, one hour by default. Also runs on a timer, on one replica at a time. */
  collectGarbage(): Promise<GarbageReport> {
    return portErrors(() => collectGarbage(this.#context));
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#garbage.stop();
  }

  #pushed(image: ImagePushed): void {
    for (const listener of this.#listeners) {
      try {
        listener(image);
      } catch (error) {
        this.#context.log.error({ err: error, ...image }, 'registry: a push listener failed');
      }
    }
  }
}

function requireName(isValid: boolean, what: string, name: string): void {
  if (!isValid) throw new PortFailure('rejected', `not a valid ${what} name: ${name}`);
}

function toImage(repository: string, row: ImageRow): ImageInfo {
  const { digest, tags, mediaType, pushedAt, contentBytes } = row;
  return { repository, digest, tags, mediaType, sizeBytes: Number(contentBytes), pushedAt };
}
