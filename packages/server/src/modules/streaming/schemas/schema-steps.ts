/** Steps that create, change and delete a schema in the registry, each with its undo. A run undoes only what it made itself. */
import type { StoredUse } from '@slipway/contract/streaming/schema.ts';
import { transaction } from '#db/database.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { claimStep, type EntityInput, type RowStep } from '#modules/resources/index.ts';
import { ignoring } from '#ports/failure.ts';
import type { SchemaProblem } from '#ports/schema.ts';
import { compareAnew, subjectsOf, textOf, topicsOf, type SchemaDeps, type SchemaRow } from './schema-rows.ts';
import { checkSubjects } from './verdict.ts';

type Step = RowStep<SchemaRow, EntityInput>;
interface By {
  readonly id: string;
  readonly displayName: string;
}

export const reasonOf = ({ line, message }: Pick<SchemaProblem, 'line' | 'message'>): string => `line ${line}: ${message}`;

/** Claims the subject. Also validates the schema. */
export const validateStep = ({ db, registry }: SchemaDeps): Step =>
  claimStep<SchemaRow>(db, {
    code: 'ValidateSchema',
    table: 'event_schema',
    requireFree: async ({ environment, subject, type, content, uses }) => {
      const parsed = await registry.parse(environment, textOf(type, content, uses));
      const [problem] = parsed.ok ? [] : parsed.problems;
      if (problem) throw new StepFailure('SchemaInvalid', { reason: reasonOf(problem) });
      if ((await registry.versions(environment, subject)).length > 0) throw new StepFailure('SubjectBelongsToOthers', { subject });
    },
  });

interface Kept {
  readonly version: number;
  readonly registryId: number;
  readonly content: string;
  readonly uses: readonly StoredUse[];
}
/** Stores the newest version in the platform's rows. Idempotent. */
export const keepVersion = async ({ db }: SchemaDeps, row: SchemaRow, pipelineId: string, by: By, kept: Kept): Promise<void> => {
  const { version, registryId, content } = kept;
  const uses = JSON.stringify(kept.uses);
  await transaction(db, async (trx) => {
    await trx
      .insertInto('event_schema_version')
      .values({
        schema_id: row.id,
        version,
        registry_id: registryId,
        content,
        uses,
        pipeline_id: pipelineId,
        created_by: by.id,
        created_by_name: by.displayName,
      })
      .onConflict((conflict) => conflict.columns(['schema_id', 'version']).doNothing())
      .execute();
    await trx
      .updateTable('event_schema')
      .set({ revision_id: version, registry_id: registryId, content, uses })
      .where('id', '=', row.id)
      .execute();
  });
};

export const registered = (row: SchemaRow, version: number) => ({
  message: { code: 'SchemaRegistered', context: { schemaId: row.id, subject: row.subject, version: String(version) } },
});

export const registerStep = (deps: SchemaDeps): Step => ({
  code: 'RegisterSchema',
  isUnderClaim: true,
  run: async ({ row, pipelineId, createdBy }) => {
    const { registry } = deps;
    await registry.setLevel(row.environment, row.subject, row.compatibility);
    const { version, id } = await registry.register(row.environment, row.subject, textOf(row.type, row.content, row.uses));
    await keepVersion(deps, row, pipelineId, createdBy, { version, registryId: id, content: row.content, uses: row.uses });
    return registered(row, version);
  },
  undo: async ({ row }) => {
    const { db, registry } = deps;
    const { environment, subject } = row;
    const found = await registry.lookup(environment, subject, textOf(row.type, row.content, row.uses));
    if (found) await registry.remove(environment, subject, { version: found.version, isPermanent: true });
    await registry.setLevel(environment, subject, null);
    await db.deleteFrom('event_schema_version').where('schema_id', '=', row.id).execute();
    await db.updateTable('event_schema').set({ revision_id: null, registry_id: null }).where('id', '=', row.id).execute();
  },
});

/** The specification defines the step's name. Clients that wait for the schema read its id from the message context. */
export const awaitSchemaStep = ({ registry }: SchemaDeps): Step => ({
  code: 'WaitForSchemaCreation',
  run: async ({ row }) => {
    const found = await registry.version(row.environment, row.subject, row.revision_id ?? 'latest');
    if (!found) throw new StepFailure('SchemaDoesNotExist', { schema: row.name });
    return { message: { code: 'SchemaThere', context: { schemaId: row.id, subject: row.subject, version: String(found.version) } } };
  },
});

/** Also stores the newest version of each subject, so that the undo can recognize later versions as made by this run. */
export const compatibilityStep = (deps: SchemaDeps): Step => ({
  code: 'CheckCompatibility',
  run: async ({ row }) => {
    const { change } = row;
    if (!change) throw new StepFailure('Discarded');
    const { content, compatibility: level, references: uses } = change.after;
    if (change.newest) return;
    const verdicts = await checkSubjects(deps, row, { content, level, uses });
    const problem = verdicts.flatMap(({ verdict }) => verdict.problems)[0];
    if (problem) throw new StepFailure('SchemaInvalid', { reason: reasonOf(problem) });
    const broken = verdicts.find(({ verdict }) => !verdict.isCompatible);
    const issue = broken?.verdict.issues[0];
    if (broken && level !== 'NONE')
      throw new StepFailure('SchemaIncompatible', { reason: `${broken.subject}${issue ? `, ${reasonOf(issue)}` : ''}` });
    const newest = Object.fromEntries(verdicts.map(({ subject, verdict }) => [subject, verdict.newest ?? 0]));
    await deps.db
      .updateTable('event_schema')
      .set({ change: JSON.stringify({ ...change, newest }) })
      .where('id', '=', row.id)
      .execute();
  },
});

const registerEverywhere = async ({ registry }: SchemaDeps, row: SchemaRow, subjects: readonly string[]) => {
  const after = row.change?.after;
  if (!after) throw new StepFailure('Discarded');
  const text = textOf(row.type, after.content, after.references);
  const done = [];
  for (const subject of subjects) {
    await registry.setLevel(row.environment, subject, after.compatibility);
    done.push({ ...(await registry.register(row.environment, subject, text)), subject });
  }
  return done.find(({ subject }) => subject === row.subject);
};

/** Second step of a change. The specification requires the schema's id in its message context. */
export const registerVersionStep = (deps: SchemaDeps): Step => ({
  code: 'RegisterSchema',
  run: async ({ row, pipelineId, createdBy, log }) => {
    const { db } = deps;
    const { after } = row.change ?? {};
    const own = await registerEverywhere(deps, row, await subjectsOf(db, row));
    if (!own || !after) throw new StepFailure('Discarded');
    const kept = { version: own.version, registryId: own.id, content: after.content, uses: after.references };
    await keepVersion(deps, row, pipelineId, createdBy, kept);
    await db
      .updateTable('event_schema')
      .set({ compatibility: after.compatibility, updated_at: new Date(), updated_by: createdBy.id, updated_by_name: createdBy.displayName })
      .where('id', '=', row.id)
      .execute();
    await compareAnew(db, row.id);
    log(`Version ${own.version} of ${row.subject}`);
    return registered(row, own.version);
  },
  undo: async ({ row, pipelineId }) => {
    const { db, registry } = deps;
    if (!row.change?.newest) return;
    const { before, after, newest } = row.change;
    const text = textOf(row.type, after.content, after.references);
    // In reverse order: a version can be removed only after the versions that refer to it.
    for (const subject of Object.keys(newest).reverse()) {
      const found = await registry.lookup(row.environment, subject, text);
      if (found && found.version > (newest[subject] ?? 0))
        await registry.remove(row.environment, subject, { version: found.version, isPermanent: true });
      await registry.setLevel(row.environment, subject, before.compatibility);
    }
    await db.deleteFrom('event_schema_version').where('schema_id', '=', row.id).where('pipeline_id', '=', pipelineId).execute();
    const last = await db
      .selectFrom('event_schema_version')
      .select(['version', 'registry_id'])
      .where('schema_id', '=', row.id)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst();
    await db
      .updateTable('event_schema')
      .set({
        content: before.content,
        compatibility: before.compatibility,
        uses: JSON.stringify(before.references),
        revision_id: last?.version ?? null,
        registry_id: last?.registry_id ?? null,
        change: JSON.stringify({ before, after }),
      })
      .where('id', '=', row.id)
      .execute();
    await compareAnew(db, row.id);
  },
});

/** Deletes softly, so that existing messages stay readable. A subject that the schema never claimed belongs to someone else. */
export const removeSubjectStep = ({ db, registry }: SchemaDeps): Step => ({
  code: 'DeleteSubjects',
  isPointOfNoReturn: true,
  run: async ({ row }) => {
    if ((await topicsOf(db, row.id)).length > 0) throw new StepFailure('SCHEMA_IS_REFERENCED_BY_TOPICS', { schemaId: row.id });
    if (row.claim === null) return { skipped: true };
    await ignoring('notFound', registry.remove(row.environment, row.subject));
    return {};
  },
  // A failed deletion changes nothing, since the registry rejects it as a whole.
  undo: async () => {},
});
