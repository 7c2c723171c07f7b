/** The schema entity of the resource kernel: rows in the contract's form, rules, and steps to create, change and delete a schema. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import {
  compatibilityTexts,
  contentRule,
  schemaDeleteRule,
  schemaResource,
  type Schema,
  type SchemaCreate,
  type SchemaDraft,
  type SchemaUpdate,
  type StoredUse,
} from '@slipway/contract/streaming/schema.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { newId } from '#kernel/ids.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { note } from '#modules/pipelines/index.ts';
import {
  changeRule,
  draftOf,
  placeOf,
  runColumns,
  type Asked,
  type Entity,
  type ListQuery,
  type PlanParts,
  type RunState,
  type Write,
} from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { Streaming } from '#ports/streaming.ts';
import { linkOf, type LinkDeps } from '../links.ts';
import { schemaOfOthers } from '../free-names.ts';
import { requireNone, requireSamePlace, type Inserting } from '../names.ts';
import { resolveUses } from './references.ts';
import { schemaRow, textOf, topicsOf, usesOfSchema, type SchemaDeps, type SchemaRow, type WatchedSchema } from './schema-rows.ts';
import { awaitSchemaStep, compatibilityStep, registerStep, registerVersionStep, removeSubjectStep, validateStep } from './schema-steps.ts';

interface Row extends SchemaRow, Pick<WatchedSchema, 'compared_at' | 'drift'>, RunState {
  readonly team_id: string;
  readonly used_by: Schema['usedBy'];
  readonly referenced_by: string[];
}
interface SchemaQuery extends ListQuery {
  readonly readyOnly?: boolean;
}
/** The request with its resolved references. */
export interface PreparedSchema extends SchemaCreate {
  readonly uses: readonly StoredUse[];
}
export type SchemaEntityDeps = SchemaDeps & LinkDeps & { readonly streaming: Streaming };

/** `offset 0` makes PostgreSQL compute the search value once per row instead of once per pair of rows. */
const columns = sql`event_schema.*, watch.compared_at, watch.drift, app.team_id, ${runColumns('event_schema', 'schema')},
  (select coalesce(jsonb_agg(jsonb_build_object('topicId', topic.id, 'topic', topic.name, 'applicationCode', topic.app_id, 'part', part)
      order by topic.name, part), '[]'::jsonb)
     from ${usesOfSchema(sql`event_schema.id`)}) as used_by,
  array(select other.name from (select jsonb_build_array(jsonb_build_object('resourceId', event_schema.id)) as wanted offset 0) sought
    join event_schema other on other.uses @> sought.wanted and other.app_id = event_schema.app_id order by other.name) as referenced_by`;

const changeOf = (row: Row) => changeRule(row, { busy: 'StreamingPipelineRunning', missing: 'SchemaNotCreated' });
const deleteRule = (row: Row) => {
  const change = changeOf(row);
  if (change === 'StreamingPipelineRunning') return change;
  const kept = schemaDeleteRule({ usedBy: row.used_by });
  return kept === true && row.referenced_by.length > 0 ? 'SchemaIsReferencedBySchemas' : kept;
};
const canOf = (row: Row, caller: Caller): Schema['can'] => {
  const member = memberRule(caller, row.team_id);
  return member === true
    ? { update: changeOf(row), delete: deleteRule(row), reconcile: changeOf(row) }
    : { update: member, delete: member, reconcile: member };
};

const isApplied = ({ content, compatibility, uses }: Row, after: SchemaDraft): boolean =>
  after.content === content && after.compatibility === compatibility && isDeepStrictEqual(after.references, uses);

const toView =
  (links: LinkDeps['links']) =>
  (row: Row, caller: Caller): Schema => ({
    id: row.id,
    name: row.name,
    type: row.type,
    content: row.content,
    revisionId: row.revision_id,
    compatibility: row.compatibility,
    references: row.uses,
    applicationCode: row.app_id,
    environmentClass: row.environment,
    subject: row.subject,
    registryId: row.registry_id,
    externalLink: linkOf(links?.schema, { subject: row.subject, env: row.environment }),
    state: row.state,
    usedBy: row.used_by,
    referencedBy: row.referenced_by,
    pipelineId: row.pipeline_id,
    drift: row.drift && row.compared_at ? { count: row.drift.differences.length, at: row.compared_at.toISOString() } : null,
    draft: draftOf(row, (after) => isApplied(row, after)),
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    updatedAt: row.updated_at.toISOString(),
    updatedBy: { id: row.updated_by, displayName: row.updated_by_name },
    can: canOf(row, caller),
  });

const plan = {
  create: ({ names: { app = '' }, wanted }: { names: Readonly<Record<string, string>>; wanted: SchemaCreate }): PlanParts => ({
    consequences: [
      note('MakesSchema', {
        schema: wanted.name,
        subject: physicalName(app, wanted.name),
        level: compatibilityTexts[wanted.compatibility].label,
      }),
    ],
  }),
  update: (before: Schema, { content, compatibility = before.compatibility }: SchemaUpdate): PlanParts => {
    const topics = before.usedBy.map(({ topic, applicationCode, part }) => `${physicalName(applicationCode, topic)}-${part}`);
    const subjects = content === before.content ? [] : [before.subject, ...topics];
    const level = { before: compatibilityTexts[before.compatibility].label, after: compatibilityTexts[compatibility].label };
    return {
      consequences: [
        ...subjects.map((subject) => note('RegistersVersion', { subject })),
        ...(compatibility === before.compatibility ? [] : [note('ChangesLevel', level)]),
      ],
    };
  },
  remove: ({ name }: Schema): PlanParts => ({ consequences: [note('DeletesSchema', { schema: name })] }),
};

/** Rejects invalid schemas immediately. If the registry is unavailable, the pipeline waits and validates later. */
export const prepareSchema = async (
  { db, registry }: SchemaDeps,
  { wanted: body, names }: Pick<Asked<SchemaCreate, object>, 'wanted' | 'names'>,
): Promise<PreparedSchema> => {
  const place = placeOf(names);
  requireSamePlace(body, place);
  const uses = await resolveUses(db, place, body.references);
  await requireValid(registry, place.environment, textOf(body.type, body.content, uses));
  return { ...body, uses };
};
/** Throws if the content is not a valid schema, with the first wrong line. */
export const requireValid = async (
  registry: SchemaDeps['registry'],
  environment: Environment,
  text: Parameters<SchemaDeps['registry']['parse']>[1],
) => {
  const parsed = await registry.parse(environment, text).catch((error: unknown) => {
    if (isPortFailure(error, 'unavailable')) return undefined;
    throw error;
  });
  if (parsed === undefined || parsed.ok) return;
  const errors = parsed.problems.slice(0, 20).map(({ line, message }) => ({
    field: 'content',
    code: 'SchemaInvalid',
    context: { line: String(line), reason: message },
  }));
  throw Problem.fields(errors);
};

export const insertSchema = async ({ trx, caller, wanted, names }: Inserting<PreparedSchema>) => {
  const { app, environment } = placeOf(names);
  if ((await lockApp(trx, app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  const by = { created_by: caller.id, created_by_name: caller.displayName, updated_by: caller.id, updated_by_name: caller.displayName };
  const done = await trx
    .insertInto('event_schema')
    .values({
      id: newId('sch'),
      app_id: app,
      environment,
      name: wanted.name,
      type: wanted.type,
      compatibility: wanted.compatibility,
      subject: physicalName(app, wanted.name),
      content: wanted.content,
      uses: JSON.stringify(wanted.uses),
      state: 'CREATING',
      ...by,
    })
    // Conflicts by name, or by the name on the engines, which a deleted app with this code may have used.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (done.numInsertedOrUpdatedRows === 0n) return undefined;
  return { title: wanted.name, after: { name: wanted.name, type: wanted.type, compatibility: wanted.compatibility } };
};

const update = async ({ trx, names, before, wanted }: Write<SchemaUpdate> & { readonly before: Schema }) => {
  if (wanted.revisionId !== before.revisionId)
    throw new Problem('SchemaChangedMeanwhile', { field: 'revisionId', context: { version: String(before.revisionId) } });
  const json = contentRule(before.type, wanted.content);
  if (json !== true) throw new Problem(json, { field: 'content' });
  const references = wanted.references ? await resolveUses(trx, placeOf(names), wanted.references) : before.references;
  const after: SchemaDraft = { content: wanted.content, compatibility: wanted.compatibility ?? before.compatibility, references };
  const old: SchemaDraft = { content: before.content, compatibility: before.compatibility, references: before.references };
  if (isDeepStrictEqual(after, old)) throw new Problem('NothingChanged');
  const { revisionId, compatibility } = before;
  return { change: { before: old, after }, before: { revisionId, compatibility }, after: { compatibility: after.compatibility } };
};

export const schemaEntity = (deps: SchemaEntityDeps): Entity<Schema, Row, PreparedSchema, SchemaUpdate, SchemaQuery> => ({
  resource: schemaResource,
  table: 'event_schema',
  key: { app: 'app_id', env: 'environment', schema: 'name' },
  columns,
  from: sql`event_schema join app on app.id = event_schema.app_id left join schema_watch watch on watch.schema_id = event_schema.id`,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at', type: 'type' },
  search: ['name'],
  filter: ({ readyOnly }) => (readyOnly ? [sql<boolean>`event_schema.state = 'ACTIVE'`] : []),
  toView: toView(deps.links),
  title: ({ name }) => name,
  create: {
    prepare: async (asked: Asked<SchemaCreate, object>) => {
      const prepared = await prepareSchema(deps, asked);
      requireNone(await schemaOfOthers(deps, placeOf(asked.names), prepared.name));
      return prepared;
    },
    name: ({ name }) => name,
    field: 'name',
    insert: insertSchema,
  },
  update,
  plan,
  before: ({ name, type, compatibility, revisionId }) => ({ name, type, compatibility, revisionId }),
  whyKept: async (db, names) => {
    const row = await schemaRow(db, names);
    return row && (await topicsOf(db, row.id)).length > 0 ? 'SCHEMA_IS_REFERENCED_BY_TOPICS' : undefined;
  },
  steps: {
    create: [validateStep(deps), registerStep(deps), awaitSchemaStep(deps)],
    update: [compatibilityStep(deps), registerVersionStep(deps)],
    remove: [removeSubjectStep(deps)],
  },
});
