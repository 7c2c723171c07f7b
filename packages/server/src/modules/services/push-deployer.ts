/**
 * A push to the default branch builds a new image and deploys it. Level-triggered: a sweep compares each repository's head with the
 * last commit that a pipeline was started for, so pushes during a deploy, or accepted by a replica that died, are caught up on.
 */
import type { Revision } from '@slipway/contract/revision.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Log } from '#ports/log.ts';
import type { Pushed, SourceHost } from '#ports/source.ts';
import { startServicePipeline, type By, type ServiceDeps } from './services.ts';
import { teamOf, type ServiceKey } from './services.sql.ts';

const sweepMs = 5000;
/** How soon it is looked again for a commit whose service is busy. */
const BUSY_MS = 500;
interface Row {
  id: string;
  app_id: string;
  environment: string;
  name: string;
  repository_name: string | null;
  built_commit: string | null;
}

export class PushDeployer {
  readonly #deps: ServiceDeps;
  readonly #source: SourceHost;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  #sweeping: Promise<void> | undefined;
  #isSweepWanted = false;
  #isStopped = false;
  /** Commit → who pushed it, as far as this replica saw it; until its pipeline is started. */
  #pushers = new Map<string, string>();

  constructor(deps: ServiceDeps, source: SourceHost, log: Log) {
    this.#deps = deps;
    this.#source = source;
    this.#log = log;
  }

  start(): void {
    this.#stopListening = this.#source.onPush((push: Pushed) => {
      this.#pushers.set(push.commit, push.pusher);
      this.sweep();
    });
    this.#timer = setInterval(() => this.sweep(), sweepMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    this.#isStopped = true;
    await this.#sweeping;
    clearTimeout(this.#retry);
  }

  /** A sweep, and one more when something was pushed meanwhile: the one under way may have passed its repository already. */
  sweep(): void {
    this.#isSweepWanted = true;
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #sweepAll(): Promise<void> {
    while (this.#isSweepWanted && !this.#isStopped) {
      this.#isSweepWanted = false;
      await this.#run().catch((error: unknown) => this.#log.warn({ err: error }, 'Pushes could not be looked up; trying again'));
    }
  }

  async #run(): Promise<void> {
    const rows = await this.#deps.db
      .selectFrom('service')
      .select(['id', 'app_id', 'environment', 'name', 'repository_name', 'built_commit'])
      .where('repository_name', 'is not', null)
      .where('state', '=', 'ACTIVE')
      .where('active', '=', true)
      // A push deploys to development; production is a person's decision.
      .where('environment', '=', 'development')
      .execute();
    for (const row of rows) {
      // One repository that cannot be read must not hold up the others.
      await this.#catchUp(row).catch((error: unknown) =>
        this.#log.warn({ err: error, service: row.name }, 'A push could not be deployed; trying again'),
      );
    }
  }

  async #catchUp(row: Row): Promise<void> {
    const ref = { owner: row.app_id, name: row.repository_name ?? '' };
    const repository = await this.#source.repository(ref);
    const commit = repository?.headCommit;
    if (!commit || commit === row.built_commit) return;
    const info = await this.#source.commit(ref, commit);
    const by = await this.#pusherOf(commit, info?.author);
    const key: ServiceKey = { app: row.app_id, environment: row.environment as ServiceKey['environment'], service: row.name };
    const reason: Revision['reason'] = { type: 'PUSH', text: null, commit, commitMessage: info?.message.split('\n')[0] ?? null };
    const start = transaction(this.#deps.db, async (trx) => {
      const claimed = await trx
        .updateTable('service')
        .set({ built_commit: commit })
        .where('id', '=', row.id)
        .where('built_commit', 'is not distinct from', row.built_commit)
        .executeTakeFirst();
      if (claimed.numUpdatedRows === 0n) return;
      const team = await teamOf(trx, key.app);
      const pipelineId = await startServicePipeline(this.#deps, trx, this.#deps.pipelines.buildAndDeploy, {
        input: { ...key, reason, repository: ref, commit },
        by,
        trigger: 'push',
        facts: { commit: commit.slice(0, 7), ...(info ? { commitMessage: info.message.split('\n')[0] ?? '' } : {}) },
        ...(team ? { team } : {}),
      });
      await recordWrite(trx, by, {
        type: 'push',
        reason: 'Pushed',
        message: `${by.displayName} pushed ${commit.slice(0, 7)} to ${ref.owner}/${ref.name}`,
        app: key.app,
        env: key.environment,
        service: key.service,
        pipelineId,
        ...(team ? { team } : {}),
      });
    });
    try {
      await start;
      this.#pushers.delete(commit);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'DeployPipelineAlreadyRunning')) throw error;
      // A deploy is under way: a sweep after it finds the commit again.
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.sweep(), BUSY_MS);
    }
  }

  /** The identity that pushed; where another replica took the push, the author, as the commit says. */
  async #pusherOf(commit: string, author: string | undefined): Promise<By> {
    const id = this.#pushers.get(commit);
    const identity =
      id && (await this.#deps.db.selectFrom('identity').select(['id', 'display_name']).where('id', '=', id).executeTakeFirst());
    if (identity) return { id: identity.id, displayName: identity.display_name, origin: 'platform' };
    return { id: 'git', displayName: author ?? 'git', origin: 'platform' };
  }
}
