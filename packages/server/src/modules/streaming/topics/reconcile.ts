/** Settles a drift on demand: what is wanted is put back on the cluster (ours), or what the cluster has is taken over (theirs). */
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { PlanNote, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { topicReconcile, type TopicDifference } from '@slipway/contract/streaming/topic-status.ts';
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import { topicResource } from '@slipway/contract/streaming/topic.ts';
import { transaction } from '#db/database.ts';
import type { Context } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import {
  definePipeline,
  planOf,
  runFor,
  triggerBy,
  type PipelineDefinition,
  type PipelineEngine,
  type StepDefinition,
} from '#modules/pipelines/index.ts';
import { lockFor, recordChange, startOn, whileCurrent } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import { compare } from './compare-topics.ts';
import { levelName } from '../schemas/compare-subject.ts';
import { observeNow } from './observe-topic.ts';
import { requireMadeTopic } from './status.ts';
import { settingOf, type TopicSettings } from './topic-configs.ts';
import type { topicEntity } from './topic-entity.ts';
import { requireTopicRow, topicSubjects, wantedTopic, type TopicDeps, type TopicRow } from './topic-rows.ts';
import { observed } from './topic-steps.ts';

export interface ReconcileInput {
  readonly app: string;
  readonly env: string;
  readonly topic: string;
  readonly keep: 'ours' | 'theirs';
}
type Step = StepDefinition<ReconcileInput, object>;
export type ReconcilePipeline = PipelineDefinition<ReconcileInput, object>;
const namesOf = ({ app, env, topic }: ReconcileInput) => ({ app, env, topic });

const putBackConfigs = async (deps: TopicDeps, row: TopicRow, differences: readonly TopicDifference[]): Promise<void> => {
  const configs = Object.fromEntries(
    differences.flatMap(({ kind, name, ours }) => (kind === 'CONFIG' && ours !== null ? [[name, ours]] : [])),
  );
  const reset = differences.flatMap(({ kind, name, ours }) => (kind === 'CONFIG' && ours === null ? [name] : []));
  const isFewer = differences.some(({ kind, canRepair }) => kind === 'PARTITIONS' && canRepair);
  if (Object.keys(configs).length === 0 && reset.length === 0 && !isFewer) return;
  await deps.streaming.alterTopic(row.environment, row.topic_name, { configs, reset, ...(isFewer && { partitions: row.partitions }) });
};

/** `differences`: of a topic that is there; else all of its subjects are put back. */
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

/** Safe to repeat: what is put back is no difference any more. */
const putBackStep = (deps: TopicDeps): Step => ({
  code: 'PutBackSettings',
  isPointOfNoReturn: true,
  run: async ({ input, log }) => {
    if (input.keep !== 'ours') return { skipped: true };
    const row = await requireTopicRow(deps.db, namesOf(input));
    const topic = await observed(deps, row);
    const { differences } = await compare(deps, row, topic);
    if (!topic) {
      await deps.streaming.createTopic(row.environment, wantedTopic(deps, row)).catch((error: unknown) => {
        if (!isPortFailure(error, 'conflict')) throw error;
      });
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
  run: async ({ input, log, createdBy }) => {
    if (input.keep !== 'theirs') return { skipped: true };
    const row = await requireTopicRow(deps.db, namesOf(input));
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
/** The page shows at once what is left. */
const lookStep = (deps: TopicDeps): Step => ({
  code: 'ReconcileTopic',
  run: async ({ input }) => {
    await observeNow(deps, () => requireTopicRow(deps.db, namesOf(input)));
  },
});

type TopicEntity = ReturnType<typeof topicEntity>;
export const reconcilePipeline = (deps: TopicDeps, entity: TopicEntity): ReconcilePipeline =>
  definePipeline({
    type: 'ReconcileTopic',
    steps: [putBackStep(deps), takeOverStep(deps), lookStep(deps)].map(whileCurrent<ReconcileInput>(deps.db, entity, namesOf)),
    onFinished: (trx, run) => recordRunOutcome(trx, 'ReconcileTopic', run),
  });

export interface ReconcileDeps extends TopicDeps {
  readonly engine: PipelineEngine;
  readonly entity: TopicEntity;
  readonly pipeline: ReconcilePipeline;
}

const noteOf = (keep: ReconcileInput['keep'], { name, ours, theirs }: TopicDifference): PlanNote => ({
  code: keep === 'ours' ? 'PutsBack' : 'TakesOver',
  context: { name, ours: ours ?? 'as the cluster has it by itself', theirs: theirs ?? 'nothing' },
});

/** Of what was compared last. The pipeline compares anew, and does what is to be done then. */
export const reconcile = async (deps: ReconcileDeps, c: Context<typeof topicReconcile>): Promise<PlanOrRun> => {
  const { db, engine, entity, pipeline } = deps;
  const { caller, owner, params: names, query, body } = c;
  const row = await requireMadeTopic(deps, names);
  const differences = row.drift?.differences ?? [];
  const settled = differences.filter(({ canRepair, canAdopt }) => (body.keep === 'ours' ? canRepair : canAdopt));
  if (settled.length === 0) throw new Problem('NothingToReconcile');
  const subject = subjectOf(topicKind, names, { team: owner.teamId });
  if (query.dryRun) {
    await transaction(db, (trx) => lockFor(trx, entity, { caller, names }, 'reconcile'));
    const skipped = body.keep === 'ours' ? 'TakeOverSettings' : 'PutBackSettings';
    const steps = pipeline.steps.map(({ code }) => code).filter((code) => code !== skipped);
    return planOf(db, subjectKey(subject), {
      pipelineType: pipeline.type,
      steps,
      consequences: settled.map((difference) => noteOf(body.keep, difference)),
      warnings: row.environment === 'production' ? [{ code: 'ProductionChange', context: {} }] : [],
    });
  }
  const pipelineId = await transaction(db, async (trx) => {
    const topic = await lockFor(trx, entity, { caller, names }, 'reconcile');
    const input = { ...names, keep: body.keep };
    const id = await startOn(engine, trx, entity, {
      names,
      definition: pipeline,
      input,
      subject,
      createdBy: caller,
      trigger: triggerBy(caller),
    });
    await recordChange(trx, topicResource, topicReconcile, {
      caller,
      names,
      team: owner.teamId,
      title: topic.name,
      pipelineId: id,
      reason: body.keep === 'ours' ? 'PutBack' : 'TakenOver',
      message: `${caller.displayName} settled ${settled.length} differences of the topic ${topic.name} (${body.keep})`,
      after: { differences: settled.map(({ name }) => name) },
    });
    return id;
  });
  return runFor(db, pipelineId, caller);
};
