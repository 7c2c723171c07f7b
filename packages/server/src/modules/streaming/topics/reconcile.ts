/** Resolves drift on demand: restores the wanted state on the cluster (ours), or adopts the cluster's state (theirs). */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { topicReconcile, type TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import type { RowStep, SettleInput, Settling } from '#modules/resources/index.ts';
import { ignoring } from '#ports/failure.ts';
import { compare } from './compare-topics.ts';
import { levelName } from '../schemas/compare-subject.ts';
import { observeTopics } from './observe-topic.ts';
import { settingOf, type TopicSettings } from './topic-configs.ts';
import type { topicEntity } from './topic-entity.ts';
import { topicRow, topicSubjects, wantedTopic, type TopicDeps, type TopicRow, type WatchedTopic } from './topic-rows.ts';
import { observed } from './topic-steps.ts';

type Step = RowStep<TopicRow, SettleInput>;

const putBackConfigs = async (deps: TopicDeps, row: TopicRow, differences: readonly TopicDifference[]): Promise<void> => {
  const configs = Object.fromEntries(
    differences.flatMap(({ kind, name, ours }) => (kind === 'CONFIG' && ours !== null ? [[name, ours]] : [])),
  );
  const reset = differences.flatMap(({ kind, name, ours }) => (kind === 'CONFIG' && ours === null ? [name] : []));
  const isFewer = differences.some(({ kind, canRepair }) => kind === 'PARTITIONS' && canRepair);
  if (Object.keys(configs).length === 0 && reset.length === 0 && !isFewer) return;
  await deps.streaming.alterTopic(row.environment, row.topic_name, { configs, reset, ...(isFewer && { partitions: row.partitions }) });
};

/** `differences`: those of an existing topic. If undefined, all subjects are restored. */
const putBackSubjects = async (deps: TopicDeps, row: TopicRow, differences: readonly TopicDifference[] | undefined): Promise<void> => {
  const toRepair = differences && new Set(differences.flatMap(({ name, canRepair }) => (canRepair ? [name] : [])));
  const used = await topicSubjects(deps.db, row);
  const own = new Map(used.map((one) => [one.schema.subject, { ...one, subject: one.schema.subject }]));
  for (const { subject, schema, text } of [...used, ...own.values()]) {
    const isLost = toRepair?.has(subject) ?? true;
    if (isLost || toRepair?.has(levelName(subject))) await deps.registry.setLevel(row.environment, subject, schema.compatibility);
    if (isLost) await deps.registry.register(row.environment, subject, text);
  }
};

/** Idempotent: a restored value is no longer a difference. */
const putBackStep = (deps: TopicDeps): Step => ({
  code: 'PutBackSettings',
  isPointOfNoReturn: true,
  run: async ({ row, input, log }) => {
    if (input.keep !== 'ours') return { skipped: true };
    const topic = await observed(deps, row);
    const { differences } = await compare(deps, row, topic);
    if (!topic) {
      await ignoring('conflict', deps.streaming.createTopic(row.environment, wantedTopic(deps, row)));
      const made = await observed(deps, row);
      await deps.db
        .updateTable('topic')
        .set({ cluster_topic_id: made?.topicId ?? null })
        .where('id', '=', row.id)
        .execute();
    } else await putBackConfigs(deps, row, differences);
    await putBackSubjects(deps, row, topic ? differences : undefined);
    for (const { name, ours } of differences) log(`${name} is ${ours ?? 'as the cluster has it by itself'}`);
    return {};
  },
});

const adopted = (differences: readonly TopicDifference[]): Partial<TopicSettings> =>
  Object.assign(
    {},
    ...differences.map(({ kind, name, theirs, canAdopt }): Partial<TopicSettings> => {
      if (!canAdopt || theirs === null) return {};
      return kind === 'PARTITIONS' ? { partitions: Number(theirs) } : (settingOf(name, theirs) ?? {});
    }),
  );
const takeOverStep = (deps: TopicDeps): Step => ({
  code: 'TakeOverSettings',
  run: async ({ row, input, log, createdBy }) => {
    if (input.keep !== 'theirs') return { skipped: true };
    const { differences } = await compare(deps, row, await observed(deps, row));
    const settings = adopted(differences);
    if (Object.keys(settings).length === 0) return { skipped: true };
    const by = { updated_at: new Date(), updated_by: createdBy.id, updated_by_name: createdBy.displayName };
    await deps.db
      .updateTable('topic')
      .set({ ...settings, ...by })
      .where('id', '=', row.id)
      .execute();
    for (const [name, value] of Object.entries(settings)) log(`${name.replaceAll('_', ' ')} is ${value}`);
    return {};
  },
});

export const topicSettling = (deps: TopicDeps, entity: ReturnType<typeof topicEntity>): Settling<Topic, WatchedTopic> => ({
  entity,
  route: topicReconcile,
  type: 'ReconcileTopic',
  steps: [putBackStep(deps), takeOverStep(deps)],
  skips: { ours: ['TakeOverSettings'], theirs: ['PutBackSettings'] },
  read: topicRow,
  observe: observeTopics(deps),
  unset: 'as the cluster has it by itself',
  message: ({ name }, keep, count) => `settled ${count} differences of the topic ${name} (${keep})`,
});
