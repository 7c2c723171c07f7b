/** The topic entity of the resource kernel: rows in the contract's form, rules, and steps to create, change and delete a topic. */
import { sql, type Transaction } from 'kysely';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { memberRule, ownerRule } from '@slipway/contract/kernel/rights.ts';
import { physicalName, type SchemaReference } from '@slipway/contract/streaming/streaming.ts';
import {
  compactRule,
  isLowered,
  partitionRule,
  topicResource,
  type Topic,
  type TopicCreate,
  type TopicDraft,
  type TopicUpdate,
} from '@slipway/contract/streaming/topic.ts';
import type { DB } from '#db/types.ts';
import { newId } from '#kernel/ids.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import {
  changeRule,
  draftOf,
  inPlace,
  placeOf,
  runColumns,
  type Asked,
  type Entity,
  type ListQuery,
  type RunState,
  type Write,
} from '#modules/resources/index.ts';
import { topicOfOthers } from '../free-names.ts';
import { isId, requireNone, requireSamePlace, type Inserting, type Place } from '../names.ts';
import { linkOf } from '../links.ts';
import { ratesOf } from './rates.ts';
import { differences, topicPlan, updateOf } from './topic-plan.ts';
import { copiesOf, settingsOf, type TopicDeps, type WatchedTopic } from './topic-rows.ts';
import {
  addPartitionsStep,
  applySettingsStep,
  awaitTopicStep,
  checkFreeStep,
  createTopicStep,
  deleteTopicStep,
  registerSchemasStep,
  removeSubjectsStep,
} from './topic-steps.ts';

interface Row extends WatchedTopic, RunState {
  readonly team_id: string;
  readonly key_schema: Topic['spec']['keySchema'];
  readonly value_schema: Topic['spec']['valueSchema'];
}
export interface TopicQuery extends ListQuery {
  readonly readyOnly?: boolean;
  readonly owned?: boolean;
  readonly shared?: boolean;
  readonly tag?: string | undefined;
  /** App in the path, for lists that include other apps. */
  readonly app?: string;
}

const schemaOf = (id: string) => sql`(select jsonb_build_object('resourceId', id, 'resourceType', 'SCHEMA', 'applicationCode', app_id,
  'name', name, 'type', type, 'revisionId', revision_id) from event_schema where id = ${sql.ref(id)})`;
const columns = sql`topic.*, watch.compared_at, app.team_id, ${runColumns('topic', 'topic')},
  ${schemaOf('topic.key_schema_id')} as key_schema, ${schemaOf('topic.value_schema_id')} as value_schema`;

const canOf = (row: Row, caller: Caller): Topic['can'] => {
  const member = memberRule(caller, row.team_id);
  const change = member === true ? changeRule(row, { busy: 'StreamingPipelineRunning', missing: 'TopicNotCreated' }) : member;
  const isThere = member === true && row.state !== 'ACTIVE' ? 'TopicNotCreated' : member;
  return {
    update: change,
    lowerClassification: change === true ? ownerRule(caller, row.team_id) : change,
    delete: change === 'TopicNotCreated' ? true : change,
    readMessages: isThere,
    produce: isThere === true && row.environment === 'production' ? 'DevelopmentOnly' : isThere,
    reconcile: change,
  };
};

const observedOf = ({ observed, compared_at: at }: Row): Topic['observed'] => {
  if (!observed || !at) return null;
  const { written, marks = [], ...seen } = observed;
  return { ...seen, rates: ratesOf(marks, [Math.round(at.getTime() / 1000), written]), at: at.toISOString() };
};
const toView =
  (links: TopicDeps['links']) =>
  (row: Row, caller: Caller): Topic => ({
    id: row.id,
    name: row.name,
    applicationCode: row.app_id,
    teamId: row.team_id,
    environmentClass: row.environment,
    topicName: row.topic_name,
    description: row.description,
    tags: row.tags,
    spec: {
      ...settingsOf(row).spec,
      replicationFactor: row.replication_factor,
      keySchema: row.key_schema,
      valueSchema: row.value_schema,
    },
    state: row.state,
    pipelineId: row.pipeline_id,
    observed: observedOf(row),
    externalLink: linkOf(links?.topic, { topic: row.topic_name, env: row.environment }),
    drift: row.drift && row.compared_at ? { count: row.drift.differences.length, at: row.compared_at.toISOString() } : null,
    draft: draftOf(row, (after) => differences(settingsOf(row), after).length === 0),
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    updatedAt: row.updated_at.toISOString(),
    updatedBy: { id: row.updated_by, displayName: row.updated_by_name },
    can: canOf(row, caller),
  });

interface Wanted {
  readonly reference: SchemaReference;
  readonly field: string;
  /** Id of a schema that is created together with the topic. */
  readonly coming?: string | undefined;
}
/** Locks the schema until the topic's row refers to it, so that it cannot be deleted meanwhile. */
const requireSchema = async (trx: Transaction<DB>, place: Place, { reference, field, coming }: Wanted): Promise<string> => {
  const { applicationCode = place.app, resourceId } = reference;
  const schema = await trx
    .selectFrom('event_schema')
    .select(['id', 'state'])
    .where(({ and }) => and(inPlace(place)))
    .where(isId(resourceId) ? 'id' : 'name', '=', resourceId)
    .forShare()
    .executeTakeFirst();
  // Rejects schemas of other apps, which could change or delete what this topic's messages depend on.
  if (!schema || applicationCode !== place.app) throw new Problem('SchemaDoesNotExist', { field });
  if (schema.state !== 'ACTIVE' && schema.id !== coming) throw new Problem('SchemaNotCreated', { field });
  return schema.id;
};

/** `coming`: id of a schema that is created together with the topic. */
export const insertTopic = async ({ trx, caller, wanted, names }: Inserting<TopicCreate>, coming?: string) => {
  const place = placeOf(names);
  if ((await lockApp(trx, place.app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  const { spec, name, description, tags } = wanted;
  const { keySchema: key, valueSchema: value } = spec;
  const keyId = key ? await requireSchema(trx, place, { reference: key, field: 'spec.keySchema.resourceId' }) : null;
  const valueId = await requireSchema(trx, place, { reference: value, field: 'spec.valueSchema.resourceId', coming });
  const done = await trx
    .insertInto('topic')
    .values({
      id: newId('top'),
      app_id: place.app,
      environment: place.environment,
      name,
      topic_name: physicalName(place.app, name),
      description,
      tags: [...tags],
      classification: spec.dataSecurityClassification,
      is_sharable: spec.isSharable,
      partitions: spec.partitionNumber,
      retention_hours: spec.retentionHours,
      replication_factor: spec.replicationFactor,
      segment_bytes: spec.segmentBytes,
      cleanup_policy: spec.cleanupPolicy,
      key_schema_id: keyId,
      value_schema_id: valueId,
      state: 'CREATING',
      created_by: caller.id,
      created_by_name: caller.displayName,
      updated_by: caller.id,
      updated_by_name: caller.displayName,
    })
    // Conflicts by name, or by the name on the engines, which a deleted app with this code may have used.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 0n ? undefined : { title: name };
};

const update = async ({ caller, owner, before, wanted }: Write<TopicDraft> & { readonly before: Topic }) => {
  const { spec } = wanted;
  const lowered = isLowered(before.spec.dataSecurityClassification, spec.dataSecurityClassification);
  const right = lowered ? ownerRule(caller, before.teamId) : true;
  if (right !== true) throw new Problem(right, { field: 'spec.dataSecurityClassification', context: { team: owner?.teamName ?? '' } });
  const grown = partitionRule(before.spec.partitionNumber, spec.partitionNumber);
  if (grown !== true) throw new Problem(grown, { field: 'spec.partitionNumber', context: { min: String(before.spec.partitionNumber) } });
  const compacted = compactRule({ cleanupPolicy: spec.cleanupPolicy, keySchema: before.spec.keySchema });
  if (compacted !== true) throw new Problem(compacted, { field: 'spec.cleanupPolicy' });
  const old = updateOf(before);
  if (differences(old, wanted).length === 0) throw new Problem('NothingChanged');
  return { change: { before: old, after: wanted } };
};

/** Filters topics: the path's own app, other apps that share them, or both. */
const ownership = ({ app, owned = true, shared = false }: TopicQuery) => {
  if (app === undefined) return [];
  const own = sql<boolean>`topic.app_id = ${app}`;
  const others = sql<boolean>`(topic.app_id <> ${app} and topic.is_sharable and topic.state = 'ACTIVE')`;
  if (owned && shared) return [sql<boolean>`(${own} or ${others})`];
  if (shared) return [others];
  return [owned ? own : sql<boolean>`false`];
};

export const topicEntity = (deps: TopicDeps): Entity<Topic, Row, TopicCreate, TopicDraft, TopicQuery> => ({
  resource: topicResource,
  table: 'topic',
  key: { app: 'app_id', env: 'environment', topic: 'name' },
  columns,
  from: sql`topic join app on app.id = topic.app_id left join topic_watch watch on watch.topic_id = topic.id`,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at', partitions: 'partitions', retention: 'retention_hours' },
  search: ['name', 'description'],
  filter: (query) => [
    ...ownership(query),
    ...(query.readyOnly ? [sql<boolean>`topic.state = 'ACTIVE'`] : []),
    ...(query.tag === undefined ? [] : [sql<boolean>`${query.tag} = any (topic.tags)`]),
  ],
  toView: toView(deps.links),
  title: ({ name }) => name,
  create: {
    prepare: async ({ wanted, names }: Asked<TopicCreate, object>) => {
      const place = placeOf(names);
      requireSamePlace(wanted, place);
      requireNone(await topicOfOthers(deps, place, wanted.name, Boolean(wanted.spec.keySchema)));
      return wanted;
    },
    name: ({ name }) => name,
    field: 'name',
    insert: (write: Write<TopicCreate>) => insertTopic(write),
  },
  complete: (before, changes: TopicUpdate) => {
    const old = updateOf(before);
    return { ...keepOmitted(old, changes), spec: keepOmitted(old.spec, changes.spec) };
  },
  update,
  plan: topicPlan((wanted) => copiesOf(deps, wanted)),
  before: updateOf,
  steps: {
    create: [checkFreeStep(deps), registerSchemasStep(deps), createTopicStep(deps), awaitTopicStep(deps)],
    update: [applySettingsStep(deps), addPartitionsStep(deps)],
    remove: [deleteTopicStep(deps), removeSubjectsStep(deps)],
  },
});
