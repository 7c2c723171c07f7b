/** Promotes schemas and topics: creates or changes them in production like development, through the usual write handlers. */
import { isPlan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import {
  schemaPromote,
  schemaPromotionView,
  topicPromote,
  topicPromotionView,
  type PromotionDifference,
  type SchemaPromotion,
  type TopicPromotion,
} from '@slipway/contract/streaming/promotion.ts';
import { schemaLabels, type Schema } from '@slipway/contract/streaming/schema.ts';
import { topicDefaults, topicLabels, type Topic } from '@slipway/contract/streaming/topic.ts';
import type { Db } from '#db/database.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import { mapLimited } from '#kernel/map-limited.ts';
import { requireEntity, type Names } from '#modules/resources/index.ts';
import { unlessAway } from '#ports/failure.ts';
import { inProduction, markOf, requireDevelopment, requireMark, writeInProduction } from './in-production.ts';
import type { schemaEntity } from './schemas/schema-entity.ts';
import { schemaRow, type SchemaDeps } from './schemas/schema-rows.ts';
import { draftVerdict } from './schemas/verdict.ts';
import type { StreamingUsers } from './streaming-users.ts';
import type { topicEntity } from './topics/topic-entity.ts';
import { differences, flat, updateOf } from './topics/topic-plan.ts';
import { topicRow, type TopicDeps } from './topics/topic-rows.ts';

export interface PromotionDeps extends SchemaDeps, Pick<TopicDeps, 'streaming'> {
  readonly users: StreamingUsers;
  readonly schemas: ReturnType<typeof schemaEntity>;
  readonly topics: ReturnType<typeof topicEntity>;
  /** The production write handlers with all their checks. */
  readonly writes: Readonly<Record<'schemaCreate' | 'schemaUpdate' | 'topicCreate' | 'topicUpdate', Handler>>;
}
/** Undefined if production has none. */
const schemaThere = async ({ db, schemas }: PromotionDeps, names: Names, caller: Caller): Promise<Schema | undefined> =>
  (await schemaRow(db, inProduction(names))) && requireEntity(db, schemas, inProduction(names), caller);
const topicThere = async ({ db, topics }: PromotionDeps, names: Names, caller: Caller): Promise<Topic | undefined> =>
  (await topicRow(db, inProduction(names))) && requireEntity(db, topics, inProduction(names), caller);

const schemaDifferences = (there: Schema | undefined, here: Schema): PromotionDifference[] =>
  (['type', 'content', 'compatibility'] as const).flatMap((field) =>
    there?.[field] === here[field]
      ? []
      : [{ field, label: schemaLabels[field] ?? field, before: there?.[field] ?? null, after: here[field] }],
  );
/** Fingerprint of production's state that the promotion is based on. */
const schemaMark = (there: Schema | undefined): string =>
  markOf(there && [there.id, there.revisionId, there.type, there.content, there.compatibility, there.references]);
const topicMark = (there: Topic | undefined): string => markOf(there && [there.id, updateOf(there)]);
/** Returns the production state of the named schemas. */
const schemasThere = async (db: Db, app: string, names: readonly string[]) => {
  const rows = await mapLimited(new Set(names), async (schema) => ({
    schema,
    row: await schemaRow(db, { app, env: 'production', schema }),
  }));
  const isThere = ({ row }: (typeof rows)[number]): boolean => row?.state === 'ACTIVE';
  const older = async ({ schema, row }: (typeof rows)[number]): Promise<string[]> => {
    const here = await schemaRow(db, { app, env: 'development', schema });
    return row?.content === here?.content ? [] : [schema];
  };
  return {
    missingSchemas: rows.filter((one) => !isThere(one)).map(({ schema }) => schema),
    olderSchemas: (await mapLimited(rows.filter(isThere), older)).flat(),
  };
};

const schemaPromotion = async (deps: PromotionDeps, c: Context<typeof schemaPromotionView>): Promise<SchemaPromotion> => {
  const here = await requireEntity(deps.db, deps.schemas, c.params, c.caller);
  requireDevelopment(c.params);
  const there = await schemaThere(deps, c.params, c.caller);
  const row = await schemaRow(deps.db, inProduction(c.params));
  const draft = row && { content: here.content, level: row.compatibility, uses: row.uses };
  return {
    isNew: there === undefined,
    differences: schemaDifferences(there, here),
    mark: schemaMark(there),
    verdict: row && draft ? await draftVerdict(deps, row, draft) : null,
    missingSchemas: (
      await schemasThere(
        deps.db,
        here.applicationCode,
        here.references.map(({ schema }) => schema),
      )
    ).missingSchemas,
  };
};

/** Returns production's default, at most what its cluster supports. Development's cluster may have another number of brokers. */
const productionReplication = async ({ streaming }: PromotionDeps): Promise<number> => {
  const { replicationFactor } = topicDefaults;
  if (streaming.isDevelopmentBroker) return replicationFactor;
  const cluster = await unlessAway(streaming.cluster('production'));
  return Math.min(replicationFactor, cluster?.maxReplication ?? replicationFactor);
};

/** Returns all settings of a new topic. */
const madeOf = (here: Topic, replicationFactor: number): Omit<PromotionDifference, 'label'>[] => {
  const { keySchema, valueSchema } = here.spec;
  const settings = new Map([
    ...flat(updateOf(here)),
    ['spec.replicationFactor', String(replicationFactor)],
    ['spec.keySchema', keySchema?.name ?? ''],
    ['spec.valueSchema', valueSchema.name],
  ]);
  return [...settings].filter(([, after]) => after !== '').map(([field, after]) => ({ field, before: null, after }));
};

const topicPromotion = async (deps: PromotionDeps, c: Context<typeof topicPromotionView>): Promise<TopicPromotion> => {
  const here = await requireEntity(deps.db, deps.topics, c.params, c.caller);
  requireDevelopment(c.params);
  const there = await topicThere(deps, c.params, c.caller);
  const wanted = updateOf(here);
  return {
    isNew: there === undefined,
    mark: topicMark(there),
    differences: (there ? differences(updateOf(there), wanted) : madeOf(here, await productionReplication(deps))).map((one) => ({
      ...one,
      label: topicLabels[one.field] ?? one.field,
    })),
    ...(await schemasThere(deps.db, here.applicationCode, [here.spec.keySchema?.name ?? [], here.spec.valueSchema.name].flat())),
  };
};

const promoteSchema = async (deps: PromotionDeps, c: Context<typeof schemaPromote>): Promise<PlanOrRun> => {
  const here = await requireEntity(deps.db, deps.schemas, c.params, c.caller);
  requireDevelopment(c.params);
  const there = await schemaThere(deps, c.params, c.caller);
  requireMark(c.body.mark, schemaMark(there));
  const { name, type, content, compatibility } = here;
  // Omits the versions of references, since production has its own.
  const references = here.references.map((use) => ({ name: use.name, resourceId: use.schema }));
  if (!there) return writeInProduction(deps.writes.schemaCreate, c, { name, type, content, compatibility, references });
  return writeInProduction(deps.writes.schemaUpdate, c, { content, compatibility, references, revisionId: there.revisionId ?? 1 });
};
const promoteTopic = async (deps: PromotionDeps, c: Context<typeof topicPromote>): Promise<PlanOrRun> => {
  const here = await requireEntity(deps.db, deps.topics, c.params, c.caller);
  requireDevelopment(c.params);
  const settings = updateOf(here);
  const there = await topicThere(deps, c.params, c.caller);
  requireMark(c.body.mark, topicMark(there));
  if (there) return writeInProduction(deps.writes.topicUpdate, c, settings);
  const { name, spec } = here;
  const { keySchema, valueSchema } = spec;
  const replicationFactor = await productionReplication(deps);
  const byName = ({ name: resourceId }: { readonly name: string }) => ({ resourceId, resourceType: 'SCHEMA' as const });
  const schemas = { ...(keySchema && { keySchema: byName(keySchema) }), valueSchema: byName(valueSchema) };
  const body = { ...settings, name, spec: { ...settings.spec, replicationFactor, ...schemas } };
  const answer = await writeInProduction(deps.writes.topicCreate, c, body);
  if (!isPlan(answer) || replicationFactor === spec.replicationFactor) return answer;
  const context = { before: String(spec.replicationFactor), after: String(replicationFactor) };
  return { ...answer, warnings: [{ code: 'OtherReplication', context, field: 'spec.replicationFactor' }, ...answer.warnings] };
};

export const promotionRoutes = (deps: PromotionDeps): { readonly schemas: Handler[]; readonly topics: Handler[] } => ({
  schemas: [handle(schemaPromotionView, (c) => schemaPromotion(deps, c)), handle(schemaPromote, (c) => promoteSchema(deps, c))],
  topics: [handle(topicPromotionView, (c) => topicPromotion(deps, c)), handle(topicPromote, (c) => promoteTopic(deps, c))],
});
