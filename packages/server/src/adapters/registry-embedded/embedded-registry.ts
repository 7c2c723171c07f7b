// The embedded container registry: OCI distribution 1.1 with token sign-in, bytes in the data directory, the rest in PostgreSQL.
// Any number of replicas may serve the same directory and database.
import type { Pool } from 'pg';
import { AttemptLimit } from '#kernel/attempt-limit.ts';
import type { Floor } from '#kernel/disk-floor.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { HttpMount } from '#ports/mount.ts';
import type { ImageInfo, ImagePushed, PushedTag, Registry, RobotAction, RobotCredentials, RobotInfo } from '#ports/registry.ts';
import { Accounts, hashSecret, newSecret, type AuthenticateHook, type SubjectHook } from './sign-in/accounts.ts';
import { Authorization } from './sign-in/authorization.ts';
import { BlobFiles } from './content/blob-files.ts';
import { selectImages, selectManifest, selectPushedTags, type ImageRow } from './content/content.sql.ts';
import type { RegistryContext, RegistryLimits } from './context.ts';
import { collectGarbage, type GarbageReport } from './garbage/garbage.ts';
import { GarbageTimer } from './garbage/garbage-timer.ts';
import { isDigest, isProject, isRepository, isTag, robotUsername } from './grammar.ts';
import * as sql from './project.sql.ts';
import { portErrors } from './port-errors.ts';
import { RegistryRouter, TOKEN_PATH } from './router.ts';
import { TokenEndpoint } from './sign-in/token-endpoint.ts';
import { Tokens } from './sign-in/tokens.ts';

const DEFAULT_LIMITS: RegistryLimits = { blobBytes: 10 * 1024 ** 3, manifestBytes: 4 * 1024 ** 2, idleMs: 120_000 };
const GARBAGE_EVERY_MS = 10 * 60_000;
/** The subject of tokens that the platform gives to itself. */
const PLATFORM = 'platform';

export interface EmbeddedRegistryOptions {
  /** Not ended by `close()`. */
  readonly pool: Pool;
  /** Made when it is not there; shared by all replicas. */
  readonly dataDir: string;
  /** The origin as clients see it, e.g. `http://localhost:4000`; its host stands in image references. */
  readonly publicUrl: string;
  /** Where the platform itself reaches the registry. */
  readonly baseUrl: string;
  /** At least 32 bytes, the same for all replicas. */
  readonly signingKey: Uint8Array;
  readonly log: Log;
  readonly clock?: { now(): Date };
  readonly authenticate?: AuthenticateHook;
  readonly findSubject?: SubjectHook;
  readonly limits?: Partial<RegistryLimits>;
  readonly garbageEveryMs?: number;
  /** What is kept free of the disk that `dataDir` lies on. */
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
    this.#context = { pool, files, log, now, limits, pushed: (image) => this.#pushed(image) };
    this.#tokens = new Tokens(options.signingKey, now);
    const accounts = new Accounts(pool, options.authenticate, options.findSubject);
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

  /** Lets everybody pull from a project without credentials, or ends that. Not found when there is no such project. */
  projectPublish(project: string, isPublic: boolean): Promise<void> {
    return portErrors(async () => {
      if (!(await sql.updateProjectPublic(this.#pool, project, isPublic)))
        throw new PortFailure('notFound', `no registry project ${project}`);
    });
  }

  robotEnsure(project: string, name: string, actions: readonly RobotAction[]): Promise<RobotCredentials> {
    return portErrors(async () => {
      requireName(isProject(name), 'robot', name);
      const secret = newSecret();
      await sql.upsertRobot(this.#pool, { project, name, secretHash: hashSecret(secret), actions }, this.#context.now());
      return { username: robotUsername(project, name), secret };
    });
  }

  robotDelete(project: string, name: string): Promise<void> {
    return portErrors(() => sql.deleteRobot(this.#pool, project, name));
  }

  robots(project: string): Promise<readonly RobotInfo[]> {
    return portErrors(async () =>
      (await sql.selectRobots(this.#pool, project)).map((robot) => ({ ...robot, username: robotUsername(project, robot.name) })),
    );
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

  tagsPushed(since: readonly { readonly repository: string; readonly after: Date }[]): Promise<readonly PushedTag[]> {
    return portErrors(() => selectPushedTags(this.#pool, since));
  }

  image(repository: string, reference: string): Promise<ImageInfo | undefined> {
    return portErrors(async () => {
      // People type references: nonsense is not there, rather than a database error.
      if (!isRepository(repository) || !(isTag(reference) || isDigest(reference))) return undefined;
      const found = await selectManifest(this.#pool, repository, reference);
      const [row] = found ? await selectImages(this.#pool, repository, found.digest) : [];
      return row && toImage(repository, row);
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

  /** Frees the bytes that nothing refers to and that are older than an hour. Also runs by itself, on one replica at a time. */
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
