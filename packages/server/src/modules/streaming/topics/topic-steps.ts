/** Steps that create, change and delete a topic on the cluster and in the registry, each with its undo. */
import type { TopicDraft } from '@slipway/contract/streaming/topic.ts';
import { StepFailure } from '#modules/pipelines/index.ts';
import { changeStep, claimStep, type EntityInput, type RowStep } from '#modules/resources/index.ts';
import { ignoring } from '#ports/failure.ts';
import type { ObservedTopic, TopicConfigs } from '#ports/streaming.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { endUses } from '../accounts/end-uses.ts';
import { configsOf, isSameConfig } from './topic-configs.ts';
import { clusterSettingsOf, columnsOf, copiesOf, topicSubjects, wantedTopic, type TopicDeps, type TopicRow } from './topic-rows.ts';

type Step = RowStep<TopicRow, EntityInput>;

export const observed = async ({ streaming }: TopicDeps, row: TopicRow): Promise<ObservedTopic | undefined> =>
  (await streaming.observeTopics(row.environment, [row.topic_name])).get(row.topic_name);

const requireFree = async (deps: TopicDeps, row: TopicRow): Promise<void> => {
  if (await observed(deps, row)) throw new StepFailure('TopicBelongsToOthers', { topic: row.topic_name });
  for (const { subject } of await topicSubjects(deps.db, row)) {
    if ((await deps.registry.versions(row.environment, subject)).length > 0) throw new StepFailure('SubjectBelongsToOthers', { subject });
  }
};
/** Claims the names, for topic and subjects. Also validates with the cluster. */
export const checkFreeStep = (deps: TopicDeps): Step =>
  claimStep<TopicRow>(deps.db, {
    code: 'CheckTopic',
    table: 'topic',
    requireFree: async (row) => {
      await requireFree(deps, row);
      await deps.streaming.createTopic(row.environment, wantedTopic(deps, row), { validateOnly: true });
    },
    isLeft: ({ cluster_topic_id: id }) => id !== null,
  });

export const registerSchemasStep = (deps: TopicDeps): Step => ({
  code: 'RegisterTopicSchemas',
  isUnderClaim: true,
  run: async ({ row, log }) => {
    for (const { subject, schema, text } of await topicSubjects(deps.db, row)) {
      await deps.registry.setLevel(row.environment, subject, schema.compatibility);
      const { version } = await deps.registry.register(row.environment, subject, text);
      log(`${schema.name} is version ${version} of ${subject}`);
    }
  },
  undo: async ({ row }) => {
    for (const { subject, text } of await topicSubjects(deps.db, row)) {
      const found = await deps.registry.lookup(row.environment, subject, text);
      if (found) await deps.registry.remove(row.environment, subject, { version: found.version, isPermanent: true });
      await deps.registry.setLevel(row.environment, subject, null);
    }
  },
});

const setTopicId = async ({ db }: TopicDeps, { id }: TopicRow, topicId: string | null): Promise<void> => {
  await db.updateTable('topic').set({ cluster_topic_id: topicId }).where('id', '=', id).execute();
};

export const createTopicStep = (deps: TopicDeps): Step => ({
  code: 'CreateKafkaTopic',
  isUnderClaim: true,
  run: async ({ row }) => {
    // The name was free when it was claimed, so an existing topic comes from an earlier attempt of this step.
    await ignoring('conflict', deps.streaming.createTopic(row.environment, wantedTopic(deps, row)));
    const { topicId } = (await observed(deps, row)) ?? {};
    if (topicId) await setTopicId(deps, row, topicId);
  },
  undo: async ({ row }) => {
    await ignoring('notFound', deps.streaming.deleteTopic(row.environment, row.topic_name));
    await setTopicId(deps, row, null);
  },
});

const LOOK_EVERY_MS = 200;
/** The specification defines the step's name. Clients that wait for the topic read its id from the message context. */
export const awaitTopicStep = (deps: TopicDeps): Step => ({
  code: 'WaitForTopicCreation',
  run: async ({ row, signal }) => {
    for (;;) {
      const topic = await observed(deps, row);
      if (topic?.isReady) {
        await setTopicId(deps, row, topic.topicId);
        const context = { topicId: row.id, topic: row.topic_name, partitions: String(topic.partitions.length) };
        return { message: { code: 'TopicThere', context } };
      }
      await wait(LOOK_EVERY_MS, undefined, { signal });
    }
  },
});

/** Requires that the topic is ours. A topic that someone else created with the same name is not touched. */
const requireOwn = async (deps: TopicDeps, row: TopicRow): Promise<ObservedTopic> => {
  const topic = await observed(deps, row);
  if (!topic) throw new StepFailure('TopicNotOnCluster', { topic: row.topic_name });
  if (row.cluster_topic_id !== null && row.cluster_topic_id !== topic.topicId)
    throw new StepFailure('TopicBelongsToOthers', { topic: row.topic_name });
  return topic;
};

const changed = (before: TopicConfigs, after: TopicConfigs): TopicConfigs =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSameConfig(name, value, before[name] ?? '')));

/** Sends only changed settings, so that settings made by others stay. */
export const applySettingsStep = (deps: TopicDeps): Step =>
  changeStep<TopicDraft, TopicRow>('ApplyTopicSettings', async ({ row, createdBy, log }, { from, to, isUndo }) => {
    const configsIn = (settings: TopicDraft): TopicConfigs =>
      configsOf(clusterSettingsOf(settings, row.replication_factor), copiesOf(deps, row.replication_factor));
    const configs = changed(configsIn(from), configsIn(to));
    if (Object.keys(configs).length > 0) {
      if (!isUndo) await requireOwn(deps, row);
      const altered = deps.streaming.alterTopic(row.environment, row.topic_name, { configs });
      await (isUndo ? ignoring('notFound', altered) : altered);
    }
    for (const [name, value] of Object.entries(configs)) log(`${name} is ${value}`);
    const by = { updated_at: new Date(), updated_by: createdBy.id, updated_by_name: createdBy.displayName };
    const columns = { ...columnsOf(to), ...(isUndo ? {} : by) };
    await deps.db.updateTable('topic').set(columns).where('id', '=', row.id).execute();
  });

/** The last step, since partitions cannot be removed. */
export const addPartitionsStep = (deps: TopicDeps): Step => ({
  code: 'AddPartitions',
  isPointOfNoReturn: true,
  run: async ({ row }) => {
    const wanted = row.change?.after.spec.partitionNumber ?? row.partitions;
    if (wanted === row.partitions) return { skipped: true };
    const { partitions } = await requireOwn(deps, row);
    if (partitions.length < wanted) await deps.streaming.alterTopic(row.environment, row.topic_name, { partitions: wanted });
    await deps.db.updateTable('topic').set({ partitions: wanted }).where('id', '=', row.id).execute();
    return {};
  },
});

export const deleteTopicStep = (deps: TopicDeps): Step => ({
  code: 'DeleteKafkaTopic',
  isPointOfNoReturn: true,
  run: async ({ row, log }) => {
    if (row.claim === null) return { skipped: true };
    const topic = await observed(deps, row);
    if (topic && row.cluster_topic_id !== null && row.cluster_topic_id !== topic.topicId) {
      log(`${row.topic_name} on the cluster was made by somebody else, and stays`, 'WARNING');
      return { skipped: true };
    }
    // Also runs if the topic is already gone: an interrupted attempt may have left rules that name it.
    await ignoring('notFound', deps.streaming.deleteTopic(row.environment, row.topic_name));
    await endUses(deps, row);
    return {};
  },
});
/** Deletes softly, so that messages stored by other systems stay readable. */
export const removeSubjectsStep = (deps: TopicDeps): Step => ({
  code: 'DeleteSubjects',
  run: async ({ row }) => {
    if (row.claim === null) return { skipped: true };
    for (const { subject } of await topicSubjects(deps.db, row)) await ignoring('notFound', deps.registry.remove(row.environment, subject));
    return {};
  },
});
