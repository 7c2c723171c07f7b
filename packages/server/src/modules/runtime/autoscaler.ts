/**
 * Scales services by the processor time that their instances use, as Kubernetes' horizontal autoscaler does. It only writes how many
 * instances are wanted; the reconciler starts and stops them. Runs on the replica that holds the runtime.
 */
import type { Db } from '#db/database.ts';
import { eachByItself, UnreadableRows } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import type { RuntimeCapabilities } from '#ports/runtime.ts';
import { withinBounds } from '@slipway/contract/service/replicas.ts';
import { recommendReplicas, Stabilizer, utilizationOf, type ScalingSituation } from './scaling.ts';
import { applyScaling, scalableRevisions, type ScalableRevision, type ScalingDecision } from './scaling.sql.ts';
import type { AverageUse } from './stats-window.ts';

export interface AutoscalerOptions {
  readonly db: Db;
  readonly log: Log;
  readonly limits: RuntimeCapabilities['limits'];
  /** How long an instance must be ready before what it uses counts: what a start costs says nothing about its work. */
  readonly settleSeconds: number;
  readonly downWindowMs: number;
}

export class Autoscaler {
  readonly #options: AutoscalerOptions;
  readonly #stabilizer: Stabilizer;
  readonly #unreadable: UnreadableRows;

  constructor(options: AutoscalerOptions) {
    this.#options = options;
    this.#unreadable = new UnreadableRows(options.db, 'scaling', options.log);
    this.#stabilizer = new Stabilizer(options.downWindowMs);
  }

  /** One look at everybody. `use` is by instance. */
  async tick(use: ReadonlyMap<string, AverageUse>, now: number = Date.now()): Promise<void> {
    const { values: revisions, bad } = await scalableRevisions(this.#options.db);
    await this.#unreadable.tell(bad);
    this.#stabilizer.keepOnly(new Set(revisions.map(({ id }) => id)));
    await eachByItself(revisions, async (revision) => {
      const decision = this.#decide(revision, use, now);
      if (decision.to !== revision.wanted) await applyScaling(this.#options.db, revision, decision);
    });
  }

  #decide(revision: ScalableRevision, use: ReadonlyMap<string, AverageUse>, now: number): ScalingDecision {
    const { instances, requestedMillicores, scaling, wanted } = revision;
    const { limits, settleSeconds } = this.#options;
    const situation: ScalingSituation = {
      wanted,
      requestedMillicores,
      scaling,
      isLimited: limits === 'enforced',
      samples: instances.map(({ id, isReady, seconds }) => ({
        isSettled: isReady && seconds >= settleSeconds,
        cpuMillicores: use.get(id)?.cpuMillicores,
      })),
    };
    const settled = this.#stabilizer.settle(revision.id, wanted, recommendReplicas(situation), now);
    const to = withinBounds(settled, scaling);
    const isBound = withinBounds(wanted, scaling) !== wanted;
    const percent = Math.round(utilizationOf(situation) ?? 0);
    const { cpuUtilization, maxReplicas, minReplicas } = scaling;
    return {
      to,
      cause: isBound ? { minReplicas, maxReplicas } : { cpuPercent: percent, targetPercent: cpuUtilization },
    };
  }
}
