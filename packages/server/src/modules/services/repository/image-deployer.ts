/**
 * Deploys pushed tags that match a service's image update policy, in both environments, since the policy is explicit. Level-triggered like
 * git pushes: a sweep reads all pushes since the last one, so no push is lost when a replica dies or a service is busy.
 */
import type { Revision } from '@slipway/contract/service/revision.ts';
import { serviceDeploy } from '@slipway/contract/service/service.ts';
import { sql, type Transaction } from 'kysely';
import * as z from 'zod/mini';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { mustFit, parseEach, UnreadableRows } from '#kernel/rows/unreadable.ts';
import { refuseFrozen } from '#modules/freezes/index.ts';
import type { Log } from '#ports/log.ts';
import type { PushedTag } from '#ports/registry.ts';
import { approvingTeam, refuseUnapproved, voidChanges } from '../approvals/approval-rule.ts';
import { raiseChange } from '../approvals/production-changes.ts';
import type { CreationDeps } from '../create-service.ts';
import type { Change } from '../operation.ts';
import { wantedPush } from './image-policy.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { recordServiceWrite, startServicePipeline, type By } from '../service-context.ts';
import type { ServiceKey } from '../services.sql.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';

/** Delay before the next look at a tag whose service is busy. */
const BUSY_MS = 500;
/** A slow push appears late and with an earlier timestamp, so tags that don't match are skipped only after this delay. */
const LATE_MS = 60_000;

interface Row {
  id: string;
  app_id: string;
  environment: ServiceKey['environment'];
  name: string;
  containerImageName: string;
  pattern: string;
  image_seen_at: Date | null;
}
/** Tolerated clock difference between registry and database. */
const SKEW_MS = 5000;
const platform: By = { id: 'platform', displayName: 'Slipway', origin: 'platform' };

/** Returns false if another replica has taken the push. */
type Claim = (trx: Transaction<DB>) => Promise<boolean>;

const PolicyShape = z.object({ containerImageName: z.string(), pattern: z.string() });

export class ImageDeployer {
  readonly #deps: CreationDeps;
  readonly #log: Log;
  readonly #loop: SweepLoop;
  readonly #unreadable: UnreadableRows;
  #stopListening: (() => void) | undefined;

  constructor(deps: CreationDeps, log: Log) {
    this.#deps = deps;
    this.#log = log;
    this.#unreadable = new UnreadableRows(deps.db, 'image policies', log);
    this.#loop = new SweepLoop((repositories) => this.#sweep(repositories), log, 'Pushed images could not be looked up; trying again');
  }

  start(): void {
    this.#stopListening = this.#deps.registry.onPush(({ repository }) => this.#loop.look(repository));
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.#loop.stop();
  }

  /** Two queries for any number of services, plus a few for each service with a new push. */
  async #sweep(only: ReadonlySet<string> | undefined): Promise<void> {
    const waiting = await this.#waiting();
    const rows = only ? waiting.filter((row) => only.has(imageRepositoryOf(row))) : waiting;
    const asked = new Map<string, Date>();
    for (const row of rows) {
      const repository = imageRepositoryOf(row);
      const seenAt = row.image_seen_at;
      const known = asked.get(repository);
      if (seenAt && (!known || seenAt < known)) asked.set(repository, seenAt);
    }
    if (asked.size === 0) return;
    const pushed = await this.#deps.registry.tagsPushed([...asked].map(([repository, after]) => ({ repository, after })));
    const byRepository = Map.groupBy(pushed, ({ repository }) => repository);
    for (const row of rows) {
      const found = byRepository.get(imageRepositoryOf(row)) ?? [];
      const since = found.filter(({ pushedAt }) => row.image_seen_at !== null && pushedAt > row.image_seen_at);
      // A failed start for one service must not delay the others.
      if (since.length > 0)
        await this.#look(row, since).catch((error: unknown) =>
          this.#log.warn({ err: error, service: row.name }, 'A pushed image could not be deployed; trying again'),
        );
    }
  }

  /** A policy without a start time starts now. */
  async #waiting(): Promise<Row[]> {
    const { db } = this.#deps;
    const rows = await db
      .selectFrom('service')
      .select(['id', 'app_id', 'environment', 'name', 'image_seen_at'])
      // Reads only the needed settings: this query covers thousands of services every few seconds.
      .select([sql<string>`spec ->> 'containerImageName'`.as('containerImageName')])
      .select([sql<string>`spec #>> '{imageUpdatePolicy,regex,pattern}'`.as('pattern')])
      .where('state', '=', 'ACTIVE')
      .where('active', '=', true)
      .where(sql<boolean>`spec -> 'imageUpdatePolicy' ->> 'type' = 'REGEX'`)
      .execute();
    const fresh = rows.filter(({ image_seen_at: seenAt }) => seenAt === null).map(({ id }) => id);
    if (fresh.length > 0) await db.updateTable('service').set({ image_seen_at: new Date() }).where('id', 'in', fresh).execute();
    const { values, bad } = parseEach(
      rows,
      ({ id, app_id: app, environment, name }) => ({ id, kind: 'service', name: `${app}/${environment}/${name}` }),
      (row) => {
        mustFit(PolicyShape, row, 'image policy');
        return row;
      },
    );
    await this.#unreadable.tell(bad);
    return values;
  }

  async #look(row: Row, since: readonly PushedTag[]): Promise<void> {
    const wanted = wantedPush(row.pattern, since);
    if (!wanted) {
      const passed = Math.min(since[0]?.pushedAt.getTime() ?? 0, Date.now() - LATE_MS);
      if (passed > (row.image_seen_at?.getTime() ?? 0)) await this.#see(row, new Date(passed));
    } else if (await this.#isDeployed(row, wanted)) await this.#see(row, wanted.pushedAt);
    else await this.#deploy(row, wanted);
  }

  /** Never moves backward: another replica may be ahead. */
  async #see(row: Row, at: Date): Promise<void> {
    const { db } = this.#deps;
    await db.updateTable('service').set({ image_seen_at: at }).where('id', '=', row.id).where('image_seen_at', '<', at).execute();
  }

  /** Returns whether the push is already deployed, by its build, a user or another replica. */
  async #isDeployed(row: Row, { tag, digest, pushedAt }: PushedTag): Promise<boolean> {
    const revision = await this.#deps.db
      .selectFrom('revision')
      .select('id')
      .where('service_id', '=', row.id)
      .where('image_tag', '=', tag)
      .where('image_digest', '=', digest)
      .where('created_at', '>=', new Date(pushedAt.getTime() - SKEW_MS))
      .executeTakeFirst();
    return revision !== undefined;
  }

  async #deploy(row: Row, { repository, tag, pushedAt, pushedBy }: PushedTag): Promise<void> {
    const key: ServiceKey = { app: row.app_id, environment: row.environment, service: row.name };
    const by = await this.#by(pushedBy);
    const reason: Revision['reason'] = { type: 'IMAGE', text: null, commit: null, commitMessage: null };
    const claim: Claim = async (trx) => {
      const claimed = await trx
        .updateTable('service')
        .set({ image_seen_at: pushedAt })
        .where('id', '=', row.id)
        .where(sql<boolean>`date_trunc('milliseconds', image_seen_at) is not distinct from ${row.image_seen_at}`)
        .executeTakeFirst();
      return claimed.numUpdatedRows > 0n;
    };
    const start = () =>
      transaction(this.#deps.db, async (trx) => {
        if (!(await claim(trx))) return;
        // The team may demand approval since the look above. The next sweep asks for it.
        await refuseUnapproved(trx, key);
        const pipelineId = await startServicePipeline(this.#deps, trx, this.#deps.pipelines.deploy, {
          input: { ...key, imageTag: tag, reason },
          by,
          trigger: 'image',
          facts: { imageTag: tag },
        });
        await recordServiceWrite(trx, key, by, {
          type: 'imagePush',
          reason: 'ImagePushed',
          message: `${by.displayName} pushed ${tag} to ${repository}; the image update policy deploys it`,
          pipelineId,
          after: { imageTag: tag },
        });
      });
    try {
      // The image stays unclaimed, so a later sweep deploys it when the freeze is over.
      await refuseFrozen(this.#deps.db, key, { isAutomatic: true });
      await ((await approvingTeam(this.#deps.db, key)) ? this.#ask(key, { repository, tag, by }, claim) : start());
    } catch (error) {
      if (error instanceof Problem && error.code === 'ProductionFrozen') return;
      if (!(error instanceof Problem && error.code === 'DeployPipelineAlreadyRunning')) throw error;
      // A pipeline is running, perhaps the one that pushed the tag. A later sweep finds the tag again.
      this.#loop.lookAgain(repository, BUSY_MS);
    }
  }

  /** Asks for the approval of a pushed image. Only the newest image waits. The person who pushed it cannot approve it. */
  async #ask(key: ServiceKey, { repository, tag, by }: { repository: string; tag: string; by: By }, claim: Claim): Promise<void> {
    const { app, environment, service } = key;
    const change: Change<typeof serviceDeploy> = { params: { app, env: environment, service }, environment, body: { imageTag: tag } };
    const asked = {
      operation: serviceDeploy.id,
      change,
      comment: `${by.displayName} pushed ${tag} to ${repository}`,
      ...(by.id === platform.id ? {} : { pushedBy: by.id }),
    };
    await raiseChange(this.#deps, platform, asked, async (trx) => {
      if (!(await claim(trx))) return false;
      await voidChanges(trx, this.#deps.requests, key, (row) =>
        row.requested_by === platform.id ? `A newer image was pushed: ${tag}` : undefined,
      );
      return true;
    });
  }

  /** Returns the user, service account or robot account that pushed. Returns the platform for its own builds and unknown identities. */
  async #by(pushedBy: string | null): Promise<By> {
    if (pushedBy === null || pushedBy === platform.id) return platform;
    const { db } = this.#deps;
    const row = await db.selectFrom('identity').select(['id', 'display_name']).where('id', '=', pushedBy).executeTakeFirst();
    return { id: pushedBy, displayName: row?.display_name ?? pushedBy, origin: 'platform' };
  }
}
