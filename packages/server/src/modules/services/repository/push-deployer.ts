/**
 * Builds and deploys pushes to the default branch. Level-triggered: a sweep compares each repository's head with the last commit that a
 * pipeline was started for, so it catches up on pushes during a deploy or accepted by a replica that died.
 */
import type { Revision } from '@slipway/contract/service/revision.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Log } from '#ports/log.ts';
import type { Pushed, RepositoryRef, SourceHost } from '#ports/source.ts';
import { startServicePipeline, type By, type ServiceDeps } from '../service-context.ts';
import { serviceSubject, type ServiceKey } from '../services.sql.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';

/** Delay before the next look at a commit whose service is busy. */
const BUSY_MS = 500;
interface Row {
  id: string;
  app_id: string;
  environment: ServiceKey['environment'];
  name: string;
  repository_name: string | null;
  built_commit: string | null;
}

const refOf = (row: Row): RepositoryRef => ({ owner: row.app_id, name: row.repository_name ?? '' });
const nameOf = (ref: RepositoryRef): string => `${ref.owner}/${ref.name}`;

export class PushDeployer {
  readonly #deps: ServiceDeps;
  readonly #source: SourceHost;
  readonly #log: Log;
  readonly #loop: SweepLoop;
  #stopListening: (() => void) | undefined;
  /** Commit → identity that pushed it, if this replica received the push. Removed when the pipeline starts. */
  #pushers = new Map<string, string>();

  constructor(deps: ServiceDeps, source: SourceHost, log: Log) {
    this.#deps = deps;
    this.#source = source;
    this.#log = log;
    this.#loop = new SweepLoop((repositories) => this.#sweep(repositories), log, 'Pushes could not be looked up; trying again');
  }

  start(): void {
    this.#stopListening = this.#source.onPush((push: Pushed) => {
      this.#pushers.set(push.commit, push.pusher);
      this.#loop.look(nameOf(push.ref));
    });
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.#loop.stop();
  }

  async #sweep(only: ReadonlySet<string> | undefined): Promise<void> {
    const rows = await this.#deps.db
      .selectFrom('service')
      .select(['id', 'app_id', 'environment', 'name', 'repository_name', 'built_commit'])
      .where('repository_name', 'is not', null)
      .where('state', '=', 'ACTIVE')
      .where('active', '=', true)
      // Pushes deploy to development only. People decide about production.
      .where('environment', '=', 'development')
      .execute();
    const byRepository = Map.groupBy(rows, (row) => nameOf(refOf(row)));
    for (const [repository, services] of byRepository) {
      if (only && !only.has(repository)) continue;
      await this.#try(repository, () => this.#lookAt(repository, services));
    }
  }

  /** Checks all services of one repository with a single request for its head. */
  async #lookAt(repository: string, services: readonly Row[]): Promise<void> {
    const [first] = services;
    const commit = first && (await this.#source.repository(refOf(first)))?.headCommit;
    for (const row of services) if (commit && commit !== row.built_commit) await this.#try(repository, () => this.#catchUp(row, commit));
  }

  /** An unreadable repository or a failed start must not delay the others. */
  async #try(repository: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#log.warn({ err: error, repository }, 'A push could not be deployed; trying again'));
  }

  async #catchUp(row: Row, commit: string): Promise<void> {
    const ref = refOf(row);
    const info = await this.#source.commit(ref, commit);
    const by = await this.#pusherOf(commit, info?.author);
    const key: ServiceKey = { app: row.app_id, environment: row.environment, service: row.name };
    const reason: Revision['reason'] = { type: 'PUSH', text: null, commit, commitMessage: info?.message.split('\n')[0] ?? null };
    const start = transaction(this.#deps.db, async (trx) => {
      const claimed = await trx
        .updateTable('service')
        .set({ built_commit: commit })
        .where('id', '=', row.id)
        .where('built_commit', 'is not distinct from', row.built_commit)
        .executeTakeFirst();
      if (claimed.numUpdatedRows === 0n) return;
      const pipelineId = await startServicePipeline(this.#deps, trx, this.#deps.pipelines.buildAndDeploy, {
        input: { ...key, reason, repository: ref, commit },
        by,
        trigger: 'push',
        facts: { commit: commit.slice(0, 7), ...(info ? { commitMessage: info.message.split('\n')[0] ?? '' } : {}) },
      });
      await recordWrite(trx, by, {
        type: 'push',
        reason: 'Pushed',
        message: `${by.displayName} pushed ${commit.slice(0, 7)} to ${ref.owner}/${ref.name}`,
        subject: await serviceSubject(trx, key),
        pipelineId,
      });
    });
    try {
      await start;
      this.#pushers.delete(commit);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'DeployPipelineAlreadyRunning')) throw error;
      // A deploy is running. A later sweep finds the commit again.
      this.#loop.lookAgain(nameOf(ref), BUSY_MS);
    }
  }

  /** Returns the identity that pushed, or the commit's author if another replica received the push. */
  async #pusherOf(commit: string, author: string | undefined): Promise<By> {
    const id = this.#pushers.get(commit);
    const identity =
      id && (await this.#deps.db.selectFrom('identity').select(['id', 'display_name']).where('id', '=', id).executeTakeFirst());
    if (identity) return { id: identity.id, displayName: identity.display_name, origin: 'platform' };
    return { id: 'git', displayName: author ?? 'git', origin: 'platform' };
  }
}
