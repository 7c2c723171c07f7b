/** Deletes, enables and disables a revision: each change is prepared, then planned or performed (see operation.ts). */
import type { Transaction } from 'kysely';
import { replicasOf } from '@slipway/contract/service/replicas.ts';
import { revisionActivationRule, revisionDeleteRule } from '@slipway/contract/service/revision.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { activePipeline, planned, type Prepare } from '../operation.ts';
import { revisionFacts } from './revisions.sql.ts';
import { addressOf, productionNotes, rolloutNotes } from '../rollout-plan.ts';
import { olderRevisions } from '../pipelines/rollout.sql.ts';
import type { ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireRevision, startServicePipeline, type By, type ServiceDeps } from '../service-context.ts';

export const prepareRevisionDelete =
  (deps: ServiceDeps, by: By, key: ServiceKey, name: string): Prepare =>
  async (trx) => {
    const { service, row } = await requireRevision(trx, key, name);
    const verdict = revisionDeleteRule(revisionFacts(row, service, (await activePipeline(trx, key)) !== undefined));
    if (verdict !== true) throw new Problem(verdict);
    return {
      draft: {
        ...planned(deps.pipelines.deleteRevision, {}),
        consequences: [note('DeletesRevision', { revision: name }), note('RedirectsNothing')],
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
  const spec = service.spec;
  const { strategy } = spec.rollout;
  const isServing = service.serving.includes(row.name);
  if (!enabled) {
    const url = service.serving.length > 1 ? null : addressOf(deps.links, key, spec);
    const stops = note('StopsInstances', { count: String(row.replicas_wanted), url: url ?? key.service });
    return {
      ...planned(deps.pipelines.enableRevision, { isDisabled: true, rollout: null }),
      consequences: row.replicas_wanted === 0 && !isServing ? [note('RedirectsNothing')] : [stops],
    };
  }
  const replaced = await olderRevisions(trx, service.id, row.id);
  const running = Math.max(0, ...replaced.map(({ replicas }) => replicas));
  const starts = note('StartsInstances', { count: String(replicasOf(spec, running)), revision: row.name });
  const rollout = { strategy, replaces: replaced.map(({ name }) => name) };
  return {
    ...planned(deps.pipelines.enableRevision, { isDisabled: false, rollout }),
    consequences: [starts, ...rolloutNotes(strategy, replaced)],
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
