/** Promotes an account: production gets an account with the same name, its own password, and the topics that it lists in development. */
import { sql } from 'kysely';
import type { Account, AccountTopic } from '@slipway/contract/streaming/account.ts';
import { grantRule, type TopicOperation } from '@slipway/contract/streaming/grant.ts';
import {
  accountPromote,
  accountPromotionView,
  type AccountPromotion,
  type PromotedTopic,
  type PromotionDifference,
} from '@slipway/contract/streaming/promotion.ts';
import type { PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { DataClassification } from '@slipway/contract/streaming/streaming.ts';
import type { Db } from '#db/database.ts';
import { handle, type Caller, type Context, type Handler } from '#kernel/http/handle.ts';
import { requireEntity } from '#modules/resources/index.ts';
import { inProduction, markOf, requireDevelopment, requireMark, writeInProduction } from '../in-production.ts';
import type { accountEntity } from './account-entity.ts';
import { accountRow, type AccountNames } from './account-rows.ts';

export interface AccountPromotionDeps {
  readonly db: Db;
  readonly entity: ReturnType<typeof accountEntity>;
  /** The production write handlers with all their checks. */
  readonly writes: Readonly<Record<'create' | 'update', Handler>>;
}
interface Sides {
  readonly here: Account;
  /** Undefined if production has no such account. */
  readonly there: Account | undefined;
}
interface Listed {
  readonly topic: AccountTopic;
  readonly operation: TopicOperation;
}
interface TopicRow {
  readonly app_id: string;
  readonly name: string;
  readonly is_sharable: boolean;
  readonly classification: DataClassification;
  readonly team_id: string;
  readonly team_name: string;
}

const sides = async ({ db, entity }: AccountPromotionDeps, params: AccountNames, caller: Caller): Promise<Sides> => {
  const here = await requireEntity(db, entity, params, caller);
  requireDevelopment(params);
  const isThere = await accountRow(db, inProduction(params));
  return { here, there: isThere && (await requireEntity(db, entity, inProduction(params), caller)) };
};

const isWanted = ({ state }: AccountTopic): boolean => state === 'APPROVED' || state === 'REQUESTED';
const listedBy = ({ produceTopics, consumeTopics }: Account): Listed[] => [
  ...produceTopics.filter(isWanted).map((topic): Listed => ({ topic, operation: 'WRITE' })),
  ...consumeTopics.filter(isWanted).map((topic): Listed => ({ topic, operation: 'READ' })),
];
const nameOf = ({ applicationCode, name }: Pick<AccountTopic, 'applicationCode' | 'name'>): string => `${applicationCode}.${name}`;

/** Finds topics by app and name. */
const topicsThere = async (db: Db, listed: readonly Listed[]): Promise<ReadonlyMap<string, TopicRow>> => {
  if (listed.length === 0) return new Map();
  const { rows } = await sql<TopicRow>`
    select topic.app_id, topic.name, topic.is_sharable, topic.classification, app.team_id, team.display_name as team_name
    from topic join app on app.id = topic.app_id join team on team.id = app.team_id
    where topic.environment = 'production' and topic.state in ('ACTIVE', 'CREATING')
      and topic.app_id = any(${listed.map(({ topic }) => topic.applicationCode)}) and topic.name = any(${listed.map(({ topic }) => topic.name)})`.execute(
    db,
  );
  return new Map(rows.map((row) => [nameOf({ applicationCode: row.app_id, name: row.name }), row]));
};
const stateOf = (row: TopicRow | undefined, operation: TopicOperation, own: string, isListed: boolean): PromotedTopic['state'] => {
  if (row === undefined) return 'MISSING';
  if (isListed) return 'LISTED';
  const { is_sharable: isSharable, classification, team_id: team } = row;
  const rule = grantRule({ environment: 'production', operation, isOwnTeam: team === own, isSharable, classification });
  if (rule === 'TopicNotShared') return 'NOT_SHARED';
  return rule === 'REQUEST' ? 'ASKED' : 'FREE';
};

const linesOf = (account: Account, wanted: TopicOperation): string =>
  listedBy(account)
    .filter(({ operation }) => operation === wanted)
    .map(({ topic }) => nameOf(topic))
    .toSorted()
    .join('\n');
const settingsOf = (account: Account) => ({
  description: account.description,
  produceTopics: linesOf(account, 'WRITE'),
  consumeTopics: linesOf(account, 'READ'),
});
const labels = { description: 'Description', produceTopics: 'Topics that it writes', consumeTopics: 'Topics that it reads' } as const;
const fields = ['description', 'produceTopics', 'consumeTopics'] as const;
const differencesOf = ({ here, there }: Sides): PromotionDifference[] => {
  const [wanted, now] = [settingsOf(here), there && settingsOf(there)];
  return fields.flatMap((field) => {
    const [before, after] = [now?.[field] ?? null, wanted[field]];
    return (before ?? '') === after ? [] : [{ field, label: labels[field], before, after }];
  });
};

const markOfAccount = (there: Account | undefined): string => markOf(there && [there.id, settingsOf(there)]);

const promotion = async (deps: AccountPromotionDeps, c: Context<typeof accountPromotionView>): Promise<AccountPromotion> => {
  const both = await sides(deps, c.params, c.caller);
  const { here, there } = both;
  const listed = listedBy(here);
  const rows = await topicsThere(deps.db, listed);
  const already = new Set(there && listedBy(there).map(({ topic, operation }) => `${operation} ${nameOf(topic)}`));
  const topics = listed.map(({ topic, operation }): PromotedTopic => {
    const { name, applicationCode } = topic;
    const row = rows.get(nameOf(topic));
    const state = stateOf(row, operation, c.owner.teamId, already.has(`${operation} ${nameOf(topic)}`));
    return { name, applicationCode, operation, state, team: row ? { id: row.team_id, displayName: row.team_name } : null };
  });
  return {
    isNew: there === undefined,
    differences: differencesOf(both),
    mark: markOfAccount(there),
    topics,
    secretGroup: there?.credentials?.secretGroup?.name ?? null,
  };
};

const promote = async (deps: AccountPromotionDeps, c: Context<typeof accountPromote>): Promise<PlanOrRun> => {
  const { here, there } = await sides(deps, c.params, c.caller);
  const referencesOf = (wanted: TopicOperation) =>
    listedBy(here)
      .filter(({ operation }) => operation === wanted)
      .map(({ topic: { name, applicationCode } }) => ({ resourceId: name, resourceType: 'TOPIC' as const, applicationCode }));
  const { reason, secretGroup, mark } = c.body;
  requireMark(mark, markOfAccount(there));
  const settings = {
    description: here.description,
    produceTopics: referencesOf('WRITE'),
    consumeTopics: referencesOf('READ'),
    ...(reason === undefined || reason === '' ? {} : { reason }),
  };
  if (there) return writeInProduction(deps.writes.update, c, settings);
  return writeInProduction(deps.writes.create, c, {
    ...settings,
    name: here.name,
    ...(secretGroup === undefined ? {} : { secretGroup }),
  });
};

export const accountPromotions = (deps: AccountPromotionDeps): Handler[] => [
  handle(accountPromotionView, (c) => promotion(deps, c)),
  handle(accountPromote, (c) => promote(deps, c)),
];
