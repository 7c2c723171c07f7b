/** Repairs the drift of a schema's own subject on demand: restores its newest version and its level in the registry. */
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import type { Context } from '#kernel/http/handle.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import {
  definePipeline,
  StepFailure,
  type PipelineDefinition,
  type PipelineEngine,
  type StepDefinition,
} from '#modules/pipelines/index.ts';
import { observeNow, runAction, settlement, whileCurrent } from '#modules/resources/index.ts';
import { levelName } from './compare-subject.ts';
import { compareSchema, observeSchema } from './schema-drift.ts';
import type { schemaEntity } from './schema-entity.ts';
import { requireSchemaRow, textOf, watchedSchema, type SchemaDeps, type WatchedSchema } from './schema-rows.ts';
import { keepVersion, registered } from './schema-steps.ts';

export interface PutBackInput {
  readonly app: string;
  readonly env: string;
  readonly schema: string;
}
type Step = StepDefinition<PutBackInput, object>;
export type PutBackPipeline = PipelineDefinition<PutBackInput, object>;
const namesOf = ({ app, env, schema }: PutBackInput) => ({ app, env, schema });

/**
 * Idempotent: a restored value is no longer a difference. A registry that lost the subject either continues its version numbers or restarts
 * them. The row takes over the new number, and versions missing in the registry are deleted.
 */
const putBackStep = (deps: SchemaDeps): Step => ({
  code: 'PutBackSubject',
  isPointOfNoReturn: true,
  run: async ({ input, pipelineId, createdBy }) => {
    const { db, registry } = deps;
    const row = await requireSchemaRow(db, namesOf(input));
    const { environment, subject, content, uses } = row;
    const { differences } = await compareSchema(deps, row);
    const toRepair = new Set(differences.flatMap(({ name, canRepair }) => (canRepair ? [name] : [])));
    if (toRepair.size === 0) return { skipped: true };
    await registry.setLevel(environment, subject, row.compatibility);
    if (!toRepair.has(subject)) return { message: { code: 'LevelPutBack', context: { name: levelName(subject) } } };
    const { version, id } = await registry.register(environment, subject, textOf(row.type, content, uses));
    await db.deleteFrom('event_schema_version').where('schema_id', '=', row.id).where('version', '>=', version).execute();
    await keepVersion(deps, row, pipelineId, createdBy, { version, registryId: id, content, uses });
    return registered(row, version);
  },
});
const readOf = (deps: SchemaDeps, input: PutBackInput) => async (): Promise<WatchedSchema> => {
  const row = await watchedSchema(deps.db, namesOf(input));
  if (!row) throw new StepFailure('Discarded');
  return row;
};
/** Compares again, so that the page shows the remaining differences immediately. */
const lookStep = (deps: SchemaDeps): Step => ({
  code: 'ReconcileSchema',
  run: ({ input }) => observeNow(readOf(deps, input), observeSchema(deps)),
});

type SchemaEntity = ReturnType<typeof schemaEntity>;
export const putBackPipeline = (deps: SchemaDeps, entity: SchemaEntity): PutBackPipeline =>
  definePipeline({
    type: 'ReconcileSchema',
    steps: [putBackStep(deps), lookStep(deps)].map(whileCurrent<PutBackInput>(deps.db, entity, namesOf)),
    onFinished: (trx, run) => recordRunOutcome(trx, 'ReconcileSchema', run),
  });

export interface PutBackDeps extends SchemaDeps {
  readonly engine: PipelineEngine;
  readonly entity: SchemaEntity;
  readonly pipeline: PutBackPipeline;
}

/** Starts restoring the differences of the last comparison. The pipeline compares again and restores what it finds then. */
export const putBack = (deps: PutBackDeps, c: Context<typeof schemaReconcile>): Promise<PlanOrRun> =>
  runAction(deps, { entity: deps.entity, route: schemaReconcile, verb: 'reconcile' }, c, async ({ name }, trx) => ({
    definition: deps.pipeline,
    input: c.params,
    message: `${c.caller.displayName} put the subject of the schema ${name} back into the registry`,
    ...settlement((await watchedSchema(trx, c.params))?.drift, 'ours'),
  }));
