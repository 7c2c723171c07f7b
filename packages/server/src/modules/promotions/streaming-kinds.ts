/** Schemas, topics and accounts: compared and promoted by their own promotions. */
import { accountGroupName, accountView } from '@slipway/contract/streaming/account.ts';
import {
  accountPromote,
  accountPromotionView,
  schemaPromote,
  schemaPromotionView,
  topicPromote,
  topicPromotionView,
  type PromotedTopic,
  type PromotionDifference,
} from '@slipway/contract/streaming/promotion.ts';
import { isPlan, type PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { note } from '#modules/pipelines/index.ts';
import type { Compared, PromotedKind } from './promoted-kind.ts';

interface View {
  readonly isNew: boolean;
  readonly differences: readonly PromotionDifference[];
  readonly mark: string;
}
const comparedOf = ({ isNew, differences, mark }: View, isUsual = true): Omit<Compared, 'write'> => {
  const isChosen = isUsual && (isNew || differences.length > 0);
  return {
    isThere: !isNew,
    isChosen,
    differences: differences.map((one) => ({ ...one, isChosen })),
    seen: [mark, differences],
  };
};

const schemas: PromotedKind = {
  kind: 'schema',
  table: 'event_schema',
  compare: async ({ callInside }, { app, name, caller }) => {
    const params = { app, env: 'development', schema: name };
    const view = await callInside(schemaPromotionView, { caller, params });
    const isBreaking = view.verdict?.state === 'INCOMPATIBLE';
    return {
      ...comparedOf(view, !isBreaking),
      notes: isBreaking ? [note('BreaksReaders')] : [],
      write: () => ({ route: schemaPromote, params, body: { mark: view.mark } }),
    };
  },
};

const topics: PromotedKind = {
  kind: 'topic',
  table: 'topic',
  compare: async ({ callInside }, { app, name, caller }) => {
    const params = { app, env: 'development', topic: name };
    const view = await callInside(topicPromotionView, { caller, params });
    const body = { mark: view.mark };
    const isChanged = !view.isNew && view.differences.length > 0;
    const plan = isChanged ? await callInside(topicPromote, { caller, params, body, query: { dryRun: 'true' } }) : undefined;
    const notes = plan && isPlan(plan) ? plan.warnings.filter(({ code }) => code !== 'ProductionChange') : [];
    return {
      ...comparedOf(view, !notes.some(({ code }) => code === 'MessagesGo')),
      notes,
      write: () => ({ route: topicPromote, params, body }),
    };
  },
};

const noteOf = ({ state, name: topic, team }: PromotedTopic): PlanNote[] => {
  if (state === 'MISSING') return [note('TopicNotInProduction', { topic })];
  if (state === 'NOT_SHARED') return [note('TopicNotShared', { topic })];
  return state === 'ASKED' ? [note('TeamDecides', { topic, team: team?.displayName ?? '' })] : [];
};

const accounts: PromotedKind = {
  kind: 'account',
  table: 'account',
  compare: async ({ callInside }, { app, name, caller }) => {
    const params = { app, env: 'development', account: name };
    const view = await callInside(accountPromotionView, { caller, params });
    const here = await callInside(accountView, { caller, params });
    const secretGroup = here.credentials?.secretGroup?.name ?? accountGroupName(app, name);
    const closed = view.topics.find(({ state }) => state === 'NOT_SHARED');
    return {
      ...comparedOf(view),
      notes: view.topics.flatMap(noteOf),
      blocked: closed ? note('TopicNotShared', { topic: closed.name }) : null,
      write: () => ({ route: accountPromote, params, body: { mark: view.mark, ...(view.isNew ? { secretGroup } : {}) } }),
    };
  },
};

export const streamingKinds: readonly PromotedKind[] = [schemas, topics, accounts];
