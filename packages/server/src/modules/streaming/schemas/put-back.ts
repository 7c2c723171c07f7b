/** Settles the drift of a schema's own subject on demand: its newest version and its level are put back into the registry. */
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import { schemaKind } from '@slipway/contract/streaming/schema.kind.ts';
import { schemaResource } from '@slipway/contract/streaming/schema.ts';
import { transaction } from '#db/database.ts';
import type { Context } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import {
  definePipeline,
  planOf,
  runFor,
  StepFailure,
  triggerBy,
  type PipelineDefinition,
  type PipelineEngine,
  type StepDefinition,
} from '#modules/pipelines/index.ts';
import { lockFor, recordChange, startOn, whileCurrent } from '#modules/resources/index.ts';
import { levelName } from './compare-subject.ts';
import { compareSchema, observeSchemaNow } from './schema-drift.ts';
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
 * Safe to repeat: what is put back is no difference any more. A registry that has lost the subject counts on, or begins anew: the row follows,
 * and versions that are not there any more are no versions of it.
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
/** The page shows at once what is left. */
const lookStep = (deps: SchemaDeps): Step => ({
  code: 'ReconcileSchema',
  run: ({ input }) => observeSchemaNow(deps, readOf(deps, input)),
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

/** Of what was compared last. The pipeline compares anew, and does what is to be done then. */
export const putBack = async (deps: PutBackDeps, c: Context<typeof schemaReconcile>): Promise<PlanOrRun> => {
  const { db, engine, entity, pipeline } = deps;
  const { caller, owner, params: names, query } = c;
  const row = await watchedSchema(db, names);
  if (!row) throw new Problem('SchemaDoesNotExist');
  if (row.state !== 'ACTIVE') throw new Problem('SchemaNotCreated');
  const settled = (row.drift?.differences ?? []).filter(({ canRepair }) => canRepair);
  if (settled.length === 0) throw new Problem('NothingToReconcile');
  const subject = subjectOf(schemaKind, names, { team: owner.teamId });
  if (query.dryRun) {
    await transaction(db, (trx) => lockFor(trx, entity, { caller, names }, 'reconcile'));
    return planOf(db, subjectKey(subject), {
      pipelineType: pipeline.type,
      steps: pipeline.steps.map(({ code }) => code),
      consequences: settled.map(({ name, ours, theirs }) => ({
        code: 'PutsBack',
        context: { name, ours: ours ?? '', theirs: theirs ?? 'nothing' },
      })),
      warnings: row.environment === 'production' ? [{ code: 'ProductionChange', context: {} }] : [],
    });
  }
  const pipelineId = await transaction(db, async (trx) => {
    const schema = await lockFor(trx, entity, { caller, names }, 'reconcile');
    const started = { names, definition: pipeline, input: names, subject, createdBy: caller, trigger: triggerBy(caller) };
    const id = await startOn(engine, trx, entity, started);
    await recordChange(trx, schemaResource, schemaReconcile, {
      caller,
      names,
      team: owner.teamId,
      title: schema.name,
      pipelineId: id,
      reason: 'PutBack',
      message: `${caller.displayName} put the subject of the schema ${schema.name} back into the registry`,
      after: { differences: settled.map(({ name }) => name) },
    });
    return id;
  });
  return runFor(db, pipelineId, caller);
};
