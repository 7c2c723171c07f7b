/**
 * The built-in source host: bare git repositories in the data directory, served over smart HTTP. Several servers may share one data
 * directory, since nothing about a repository is kept in memory.
 */
import { noFloor, type Floor } from '@slipway/foundation/disk-floor.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import type { CommitInfo, Pushed, RepositoryInfo, RepositoryRef, SourceChanges, SourceHost } from '@slipway/foundation/ports/source.ts';
import { Gate } from './gate.ts';
import { GitHttp, type Authenticate, type GitUser } from './git-http.ts';
import { GitProgram, type ProcessLimits } from './git-program.ts';
import { GitService, type PushLimits, type PushObserver } from './git-service.ts';
import { lfsWarning } from './lfs.ts';
import { defaultBranch } from './new-repository.ts';
import { parseCommit } from './parse-commit.ts';
import { zeroOid } from './pkt-line.ts';
import { readChanges } from './read-changes.ts';
import { isOid, readObject } from './read-objects.ts';
import { readSourceTree, type TreeLimits } from './read-tree.ts';
import { branchOf, headRef, readRef } from './refs.ts';
import { cloneUrlOf } from './repository-path.ts';
import { RepositoryStore, type TryHold } from './repository-store.ts';

export interface SourceLimits extends PushLimits {
  readonly process: Partial<ProcessLimits>;
  readonly tree: TreeLimits;
}

export interface EmbeddedSourceOptions {
  /** Contains `{owner}/{name}.git`. Created if missing. */
  readonly dataDir: string;
  /** The platform's origin as seen by git clients. */
  readonly publicUrl: string;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly limits?: Partial<SourceLimits>;
  /** Returns lines that git prints for the user who pushed, after `remote:`. */
  readonly onPushMessage?: (pushed: Pushed) => readonly string[];
  readonly now?: () => Date;
  /** Free space to keep on the disk of `dataDir`. */
  readonly floor?: Floor;
  /** Prevents deletions during backups. Defaults to no exclusion. */
  readonly tryHold?: TryHold;
}

const mib = 1024 * 1024;
const defaultLimits: SourceLimits = {
  maxPackBytes: 200 * mib,
  maxObjectBytes: 100 * mib,
  maxExpandedBytes: 10_000 * mib,
  process: {},
  tree: { maxBytes: 100 * mib, maxFiles: 20_000 },
};
/** Concurrent and queued requests. */
const maxWorking = 32;
const maxWaiting = 128;

export class EmbeddedSource implements SourceHost {
  readonly kind = 'embedded';
  readonly mount: HttpMount;
  readonly #options: EmbeddedSourceOptions;
  readonly #limits: SourceLimits;
  readonly #git: GitProgram;
  readonly #store: RepositoryStore;
  readonly #listeners = new Set<(push: Pushed) => void>();

  constructor(options: EmbeddedSourceOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#git = new GitProgram(this.#limits.process);
    this.#store = new RepositoryStore(this.#git, options.dataDir, options.tryHold);
    const { floor = noFloor, log } = options;
    this.mount = new GitHttp({
      authenticate: options.authenticate,
      locate: (ref) => this.#store.locate(ref),
      service: new GitService({ git: this.#git, limits: this.#limits, floor, log }),
      observe: (ref, gitDir, user) => this.#observer(ref, gitDir, user),
      gate: new Gate(maxWorking, maxWaiting),
      // Allows a rejected push to be read completely, so that git can print the reason.
      maxBodyBytes: this.#limits.maxPackBytes * 4,
      log,
    });
  }

  async repository(ref: RepositoryRef): Promise<RepositoryInfo | undefined> {
    const gitDir = await this.#store.locate(ref);
    if (gitDir === undefined) return undefined;
    const head = await headRef(gitDir);
    return {
      ref,
      defaultBranch: branchOf(head ?? '') ?? defaultBranch,
      cloneUrl: cloneUrlOf(this.#options.publicUrl, ref),
      headCommit: head === undefined ? undefined : await readRef(gitDir, head),
    };
  }

  async repositories(owner: string): Promise<readonly RepositoryInfo[]> {
    const found = await mapLimited(await this.#store.list(owner), (ref) => this.repository(ref));
    return found.filter((info) => info !== undefined);
  }

  async createRepository(
    ref: RepositoryRef,
    files: readonly SourceFile[],
    commit: { message: string; author: string; email: string },
  ): Promise<RepositoryInfo> {
    await this.#store.create(ref, { files, ...commit, at: this.#options.now?.() ?? new Date() });
    const info = await this.repository(ref);
    if (info === undefined) throw new PortFailure('unavailable', 'the repository was deleted while it was being made');
    return info;
  }

  async deleteRepository(ref: RepositoryRef): Promise<void> {
    await this.#store.delete(ref);
  }

  async readTree(ref: RepositoryRef, commit: string): Promise<readonly SourceFile[]> {
    const gitDir = await this.#store.require(ref);
    const { files, skipped } = await readSourceTree(this.#git, gitDir, commit, this.#limits.tree);
    if (skipped.length > 0)
      this.#options.log.warn({ ref, commit, skipped: skipped.slice(0, 20) }, 'symbolic links and submodules are left out of a build');
    return files;
  }

  async commit(ref: RepositoryRef, sha: string): Promise<CommitInfo | undefined> {
    const gitDir = await this.#store.locate(ref);
    if (gitDir === undefined || !isOid(sha)) return undefined;
    const object = await readObject(this.#git, gitDir, sha, this.#limits.maxObjectBytes);
    const commit = object?.type === 'commit' ? parseCommit(object.content) : undefined;
    return commit && { ...commit, sha, message: commit.message.trimEnd() };
  }

  async changes(ref: RepositoryRef, from: string, to: string): Promise<SourceChanges | undefined> {
    const gitDir = await this.#store.locate(ref);
    return gitDir === undefined ? undefined : readChanges(this.#git, gitDir, from, to, this.#limits.maxObjectBytes);
  }

  onPush(listener: (push: Pushed) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#git.close();
  }

  /** Notifies listeners when the default branch moved, before the client gets the response. */
  #observer(ref: RepositoryRef, gitDir: string, user: GitUser): PushObserver {
    return async (request, report) => {
      const head = await headRef(gitDir);
      const change = request.changes.find((one) => one.ref === head);
      const branch = branchOf(head ?? '');
      if (change === undefined || branch === undefined || change.to === zeroOid) return [];
      if (report.unpack !== 'ok' || !report.refs.has(change.ref) || report.refs.get(change.ref) !== undefined) return [];
      const pushed: Pushed = { ref, branch, commit: change.to, pusher: user.id };
      for (const listener of this.#listeners) this.#tell(() => listener(pushed));
      const warning = await lfsWarning(this.#git, gitDir, change.to);
      return [...(this.#tell(() => this.#options.onPushMessage?.(pushed)) ?? []), ...warning];
    };
  }

  /** Calls a listener. The push has already succeeded, so a listener's error must not reach the client. */
  #tell<Answer>(call: () => Answer): Answer | undefined {
    try {
      return call();
    } catch (error) {
      this.#options.log.error({ err: error }, 'a listener failed after a push');
      return undefined;
    }
  }
}
