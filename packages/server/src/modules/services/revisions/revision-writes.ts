/** Deleting, enabling and disabling a revision: each is prepared, then planned or done (see plan.ts). */
import type { Transaction } from 'kysely';
import { revisionActivationRule, revisionDeleteRule } from '@slipway/contract/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service-spec.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { activePipeline, note, type Prepared } from '../plan.ts';
import { revisionFacts } from './revisions.sql.ts';
import { addressOf, productionNotes, rolloutNotes, rolloutStepCodes } from '../rollout-plan.ts';
import { replicasOf } from '../pipelines/rollout.steps.ts';
import { replacedBy } from '../situation.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireRevision, startServicePipeline, type By, type ServiceDeps } from '../services.ts';

type Prepare = (trx: Transaction<DB>) => Promise<Prepared>;

export const prepareRevisionDelete =
  (deps: ServiceDeps, by: By, key: ServiceKey, name: string): Prepare =>
  async (trx) => {
    const { service, row } = await requireRevision(trx, key, name);
    const verdict = revisionDeleteRule(revisionFacts(row, service, (await activePipeline(trx, key)) !== undefined));
    if (verdict !== true) throw new Problem(verdict);
    return {
      draft: {
        pipelineType: 'DeleteRevision',
        consequences: [note('DeletesRevision', { revision: name }), note('RedirectsNothing')],
        steps: ['DeleteRevision'],
      },
      start: async (tx) => {
        const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.deleteRevision, {
          input: { ...key, revisionId: row.id, revision: name },
          by,
          trigger: 'person',
          facts: { revision: name },
          revision: row,
        });
        const message = `${by.displayName} deleted the revision ${name}`;
        await recordServiceWrite(tx, key, by, { type: 'revisionDelete', reason: 'Deleted', message, pipelineId, revision: row });
        return pipelineId;
      },
    };
  };

type Row = Awaited<ReturnType<typeof requireRevision>>;
const draftOf = async (deps: ServiceDeps, trx: Transaction<DB>, key: ServiceKey, { service, row }: Row, enabled: boolean) => {
  const spec = service.spec as ServiceSpec;
  const { strategy } = spec.rollout;
  const isServing = service.serving.includes(row.name);
  if (!enabled) {
    const url = service.serving.length > 1 ? null : addressOf(deps.links, key, spec);
    const stops = note('StopsInstances', { count: String(row.replicas_wanted), url: url ?? key.service });
    return {
      consequences: row.replicas_wanted === 0 && !isServing ? [note('RedirectsNothing')] : [stops],
      steps: ['ValidateService', 'StopInstances'],
    };
  }
  const replaced = await replacedBy(trx, key, row.id);
  const running = Math.max(0, ...replaced.map(({ replicas }) => replicas));
  const starts = note('StartsInstances', { count: String(replicasOf(spec, running)), revision: row.name });
  return {
    consequences: [starts, ...rolloutNotes(strategy, replaced)],
    steps: ['ValidateService', ...rolloutStepCodes(strategy, replaced)],
  };
};

export const prepareRevisionActivation =
  (deps: ServiceDeps, by: By, key: ServiceKey, { name, enabled }: { name: string; enabled: boolean }): Prepare =>
  async (trx) => {
    const found = await requireRevision(trx, key, name);
    const { service, row } = found;
    const verdict = revisionActivationRule(revisionFacts(row, service, (await activePipeline(trx, key)) !== undefined), enabled);
    if (verdict !== true) throw new Problem(verdict);
    return {
      draft: {
        pipelineType: 'RevisionActivation',
        warnings: productionNotes(key),
        ...(await draftOf(deps, trx, key, found, enabled)),
      },
      start: async (tx) => {
        const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.enableRevision, {
          input: { ...key, revisionId: row.id, revision: name, enabled },
          by,
          trigger: 'person',
          facts: { revision: name },
          revision: row,
        });
        const message = `${by.displayName} ${enabled ? 'enabled' : 'disabled'} the revision ${name}`;
        await recordServiceWrite(tx, key, by, {
          type: 'revisionActivation',
          reason: enabled ? 'Enabled' : 'Disabled',
          message,
          revision: row,
          pipelineId,
          before: { enabled: row.enabled },
          after: { enabled },
        });
        return pipelineId;
      },
    };
  };
