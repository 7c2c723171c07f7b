/** Routes and pipelines of topics: those of the kernel, plus topics of other apps in the list, and named readers before a deletion. */
import { Environment, type Page } from '@slipway/contract/kernel/fields.ts';
import { isPlan, Plan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { topicDriftView, topicReconcile, topicStatusView } from '@slipway/contract/streaming/topic-status.ts';
import { topicDelete, topicList, type Topic } from '@slipway/contract/streaming/topic.ts';
import { handle, type Context, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { PipelineEngine } from '#modules/pipelines/index.ts';
import { entityPage, resourceModule } from '#modules/resources/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import type { AccessRule } from '#ports/streaming.ts';
import { messageRoutes } from '../messages/messages.routes.ts';
import { withIds } from '../names.ts';
import type { StreamingUsers } from '../streaming-users.ts';
import { foreignRules } from './foreign.ts';
import { reconcile, reconcilePipeline } from './reconcile.ts';
import { topicDrift, topicStatus } from './status.ts';
import { topicEntity } from './topic-entity.ts';
import { topicRow, type TopicDeps, type TopicRow } from './topic-rows.ts';

export interface TopicAreaDeps extends TopicDeps {
  readonly engine: PipelineEngine;
  readonly users: StreamingUsers;
}

const inEnvironment = ({ env }: Readonly<Record<string, string>>) => Environment.parse(env);

/**
 * Returns the readers that a deletion would cut off, as named in the error and in `confirm`: accounts of other apps as `{app}.{account}`,
 * and groups with active members.
 */
const dependants = async ({ streaming, users }: TopicAreaDeps, row: TopicRow): Promise<string[]> => {
  if (row.state === 'NOT_CREATED') return [];
  const accounts = (await users.ofTopics([row.id])).filter(({ applicationCode }) => applicationCode !== row.app_id);
  const groups = row.claim === null ? [] : await streaming.groupsOfTopic(row.environment, row.topic_name).catch(none);
  const live = groups.filter(({ members }) => members?.length !== 0).map(({ group }) => group);
  return [...new Set([...accounts.map(({ applicationCode, account }) => `${applicationCode}.${account}`), ...live])].sort();
};
/** Returns no readers for a topic that the cluster has lost. */
const none = (error: unknown): [] => {
  if (isPortFailure(error, 'notFound')) return [];
  throw error;
};

type Removal = Context<typeof topicDelete>;
const removal = (deps: TopicAreaDeps, handler: Handler): Handler => ({
  ...handler,
  answer: async (c: never) => {
    const { params, query }: Removal = c;
    const row = await topicRow(deps.db, params);
    const readers = row ? await dependants(deps, row) : [];
    const confirmed = new Set([query.confirm ?? []].flat());
    if (!query.dryRun && readers.some((name) => !confirmed.has(name)))
      throw new Problem('TopicHasReaders', { field: 'confirm', context: { readers: readers.join(', ') } });
    const answer = await handler.answer(c);
    if (!query.dryRun || !row) return answer;
    const rules = row.claim === null ? [] : await foreignRules(deps, row);
    return withLosses(
      answer,
      readers,
      rules.filter(({ pattern, name }) => pattern === 'literal' && name === row.topic_name),
    );
  },
});
/** Adds to the plan of a deletion: readers that are cut off, and rules of others that are deleted with the topic. */
const withLosses = (answer: unknown, readers: readonly string[], rules: readonly AccessRule[]): PlanOrRun => {
  const plan = Plan.parse(answer);
  if (!isPlan(plan)) return plan;
  const cutOff = readers.map((reader) => ({ code: 'CutsOff', context: { reader } }));
  const warning = readers.length === 0 ? [] : [{ code: 'ReadersStop', context: { readers: String(readers.length) } }];
  const deleted = rules.map(({ user, operation, permission, name }) => ({
    code: 'DeletesForeignRule',
    context: { user, operation, permission, topic: name },
  }));
  return { ...plan, consequences: [...plan.consequences, ...cutOff, ...deleted], warnings: [...warning, ...plan.warnings] };
};

const listRoute = ({ db }: TopicAreaDeps, entity: ReturnType<typeof topicEntity>): Handler =>
  handle(topicList, async ({ params, query, caller }): Promise<Page<Topic>> => {
    const asked = { ...query, app: params.app };
    return entityPage(db, entity, { names: { env: inEnvironment(params) }, query: asked, caller });
  });

export const topicParts = (deps: TopicAreaDeps) => {
  const { db, engine, users } = deps;
  const entity: ReturnType<typeof topicEntity> = {
    ...topicEntity(deps),
    beforeErase: async (trx, names) => {
      const row = await topicRow(trx, names);
      if (row) await users.voidRequests(trx, row.id);
    },
  };
  const area = resourceModule({ db, engine }, entity);
  const pipeline = reconcilePipeline(deps, entity);
  const { create, view, update, remove } = area.handlers;
  const own: Handler[] = [
    handle(topicStatusView, (c) => topicStatus(deps, c.params)),
    handle(topicDriftView, (c) => topicDrift(deps, c.params)),
    handle(topicReconcile, (c) => reconcile({ ...deps, entity, pipeline }, c)),
    ...messageRoutes(deps),
  ];
  return {
    entity,
    pipelines: [...area.pipelines, pipeline],
    writes: { topicCreate: create, topicUpdate: update },
    routes: [listRoute(deps, entity), create, ...[view, update, removal(deps, remove), ...own].map(withIds(db, 'topic'))],
  };
};
