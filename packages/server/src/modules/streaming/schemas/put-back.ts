/** Repairs the drift of a schema's own subject on demand: restores its newest version and its level in the registry. */
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import { schemaReconcile } from '@slipway/contract/streaming/schema-drift.ts';
import type { RowStep, SettleInput, Settling } from '#modules/resources/index.ts';
import { levelName } from './compare-subject.ts';
import { compareSchema, observeSchemas } from './schema-drift.ts';
import type { schemaEntity } from './schema-entity.ts';
import { textOf, watchedSchema, type SchemaDeps, type SchemaRow, type WatchedSchema } from './schema-rows.ts';
import { keepVersion, registered } from './schema-steps.ts';

type Step = RowStep<SchemaRow, SettleInput>;

/**
 * Idempotent: a restored value is no longer a difference. A registry that lost the subject either continues its version numbers or restarts
 * them. The row takes over the new number, and versions missing in the registry are deleted.
 */
const putBackStep = (deps: SchemaDeps): Step => ({
  code: 'PutBackSubject',
  isPointOfNoReturn: true,
  run: async ({ row, pipelineId, createdBy }) => {
    const { db, registry } = deps;
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

export const schemaSettling = (deps: SchemaDeps, entity: ReturnType<typeof schemaEntity>): Settling<Schema, WatchedSchema> => ({
  entity,
  route: schemaReconcile,
  type: 'ReconcileSchema',
  steps: [putBackStep(deps)],
  read: watchedSchema,
  observe: observeSchemas(deps),
  message: ({ name }) => `put the subject of the schema ${name} back into the registry`,
});
