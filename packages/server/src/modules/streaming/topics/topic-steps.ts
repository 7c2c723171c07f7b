/** Steps that create, change and delete a topic on the cluster and in the registry, each with its undo. */
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import type { EntityInput } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { ObservedTopic, TopicConfigs } from '#ports/streaming.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { endUses } from '../accounts/end-uses.ts';
import { configsOf, isSameConfig } from './topic-configs.ts';
import {
  clusterSettingsOf,
  columnsOf,
  copiesOf,
  requireTopicRow,
  topicRow,
  topicSubjects,
  wantedTopic,
  type TopicDeps,
  type TopicRow,
} from './topic-rows.ts';

type Step = StepDefinition<EntityInput, object>;

export const observed = async ({ streaming }: TopicDeps, row: TopicRow): Promise<ObservedTopic | undefined> =>
  (await streaming.observeTopics(row.environment, [row.topic_name])).get(row.topic_name);

const ignoring = async (kind: 'notFound' | 'conflict', work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!isPortFailure(error, kind)) throw error;
  });
};

const requireFree = async (deps: TopicDeps, row: TopicRow): Promise<void> => {
  if (await observed(deps, row)) throw new StepFailure('TopicBelongsToOthers', { topic: row.topic_name });
  for (const { subject } of await topicSubjects(deps.db, row)) {
    if ((await deps.registry.versions(row.environment, subject)).length > 0) throw new StepFailure('SubjectBelongsToOthers', { subject });
  }
};
/** Claims the names after finding them free, so everything created there afterwards is this topic's. Also validates with the cluster. */
export const checkFreeStep = (deps: TopicDeps): Step => ({
  code: 'CheckTopic',
  run: async ({ input, pipelineId }) => {
    const row = await requireTopicRow(deps.db, input);
    if (row.claim === pipelineId) return;
    await requireFree(deps, row);
    await deps.streaming.createTopic(row.environment, wantedTopic(deps, row), { validateOnly: true });
    await deps.db.updateTable('topic').set({ claim: pipelineId }).where('id', '=', row.id).execute();
  },
  undo: async ({ input }) => {
    const row = await topicRow(deps.db, input);
    // If the topic could not be removed from the cluster, keep the claim, so that a discard can remove it.
    if (row?.cluster_topic_id === null) await deps.db.updateTable('topic').set({ claim: null }).where('id', '=', row.id).execute();
  },
});

export const registerSchemasStep = (deps: TopicDeps): Step => ({
  code: 'RegisterTopicSchemas',
  run: async ({ input, log }) => {
    const row = await requireTopicRow(deps.db, input);
    for (const { subject, schema, text } of await topicSubjects(deps.db, row)) {
      await deps.registry.setLevel(row.environment, subject, schema.compatibility);
      const { version } = await deps.registry.register(row.environment, subject, text);
      log(`${schema.name} is version ${version} of ${subject}`);
    }
  },
  undo: async ({ input, pipelineId }) => {
    const row = await topicRow(deps.db, input);
    if (row?.claim !== pipelineId) return;
    for (const { subject, text } of await topicSubjects(deps.db, row)) {
      const found = await deps.registry.lookup(row.environment, subject, text);
      if (found) await deps.registry.remove(row.environment, subject, { version: found.version, isPermanent: true });
      await deps.registry.setLevel(row.environment, subject, null);
    }
  },
});

export const createTopicStep = (deps: TopicDeps): Step => ({
  code: 'CreateKafkaTopic',
  run: async ({ input }) => {
    const row = await requireTopicRow(deps.db, input);
    // The name was free when it was claimed, so an existing topic comes from an earlier attempt of this step.
    await ignoring('conflict', deps.streaming.createTopic(row.environment, wantedTopic(deps, row)));
    const { topicId } = (await observed(deps, row)) ?? {};
    if (topicId) await deps.db.updateTable('topic').set({ cluster_topic_id: topicId }).where('id', '=', row.id).execute();
  },
  undo: async ({ input, pipelineId }) => {
    const row = await topicRow(deps.db, input);
    if (row?.claim !== pipelineId) return;
    await ignoring('notFound', deps.streaming.deleteTopic(row.environment, row.topic_name));
    await deps.db.updateTable('topic').set({ cluster_topic_id: null }).where('id', '=', row.id).execute();
  },
});

const LOOK_EVERY_MS = 200;
/** The specification defines the step's name. Clients that wait for the topic read its id from the message context. */
export const awaitTopicStep = (deps: TopicDeps): Step => ({
  code: 'WaitForTopicCreation',
  run: async ({ input, signal }) => {
    const row = await requireTopicRow(deps.db, input);
    for (;;) {
      const topic = await observed(deps, row);
      if (topic?.isReady) {
        await deps.db.updateTable('topic').set({ cluster_topic_id: topic.topicId }).where('id', '=', row.id).execute();
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
const configChange = (deps: TopicDeps, row: TopicRow): { readonly forth: TopicConfigs; readonly back: TopicConfigs } => {
  if (!row.change) throw new StepFailure('Discarded');
  const copies = copiesOf(deps, row.replication_factor);
  const [before, after] = [row.change.before, row.change.after].map((one) =>
    configsOf(clusterSettingsOf(one, row.replication_factor), copies),
  );
  if (!before || !after) throw new StepFailure('Discarded');
  return { forth: changed(before, after), back: changed(after, before) };
};
const alter = async (deps: TopicDeps, row: TopicRow, configs: TopicConfigs): Promise<void> => {
  if (Object.keys(configs).length > 0) await deps.streaming.alterTopic(row.environment, row.topic_name, { configs });
};

/** Sends only changed settings, so that settings made by others stay. */
export const applySettingsStep = (deps: TopicDeps): Step => ({
  code: 'ApplyTopicSettings',
  run: async ({ input, createdBy, log }) => {
    const row = await requireTopicRow(deps.db, input);
    if (!row.change) throw new StepFailure('Discarded');
    const { forth } = configChange(deps, row);
    if (Object.keys(forth).length > 0) await requireOwn(deps, row);
    await alter(deps, row, forth);
    for (const [name, value] of Object.entries(forth)) log(`${name} is ${value}`);
    const by = { updated_at: new Date(), updated_by: createdBy.id, updated_by_name: createdBy.displayName };
    await deps.db
      .updateTable('topic')
      .set({ ...columnsOf(row.change.after), ...by })
      .where('id', '=', row.id)
      .execute();
  },
  undo: async ({ input }) => {
    const row = await topicRow(deps.db, input);
    if (!row?.change) return;
    await ignoring('notFound', alter(deps, row, configChange(deps, row).back));
    await deps.db.updateTable('topic').set(columnsOf(row.change.before)).where('id', '=', row.id).execute();
  },
});

/** The last step, since partitions cannot be removed. */
export const addPartitionsStep = (deps: TopicDeps): Step => ({
  code: 'AddPartitions',
  isPointOfNoReturn: true,
  run: async ({ input }) => {
    const row = await requireTopicRow(deps.db, input);
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
  run: async ({ input, log }) => {
    const row = await requireTopicRow(deps.db, input);
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
  run: async ({ input }) => {
    const row = await requireTopicRow(deps.db, input);
    if (row.claim === null) return { skipped: true };
    for (const { subject } of await topicSubjects(deps.db, row)) await ignoring('notFound', deps.registry.remove(row.environment, subject));
    return {};
  },
});
