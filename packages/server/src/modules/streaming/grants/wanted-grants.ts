/** Turns the topics that an account lists into grants: evaluates the rules and inserts the rows. */
import { sql, type Transaction } from 'kysely';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { grantRule, type GrantState, type TopicOperation, type TopicReference } from '@slipway/contract/streaming/grant.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { requireNone } from '../names.ts';

/** The account that lists the topics. */
export interface Asker {
  readonly app: string;
  readonly environment: Environment;
  readonly team: string;
  readonly account: string;
}
export interface TopicLists {
  readonly produceTopics: readonly TopicReference[];
  readonly consumeTopics: readonly TopicReference[];
}
interface TopicFacts {
  readonly id: string;
  readonly app_id: string;
  readonly name: string;
  readonly topic_name: string;
  readonly team_id: string;
  readonly classification: Parameters<typeof grantRule>[0]['classification'];
  readonly is_sharable: boolean;
}
export interface WantedTopic extends TopicFacts {
  readonly operation: TopicOperation;
  /** Field that names the topic: `produceTopics.0.resourceId`. */
  readonly field: string;
}

/** Returns every listed topic. Throws for missing topics and duplicates in a list, each at its field. */
export const namedTopics = async (trx: Transaction<DB>, { app, environment }: Asker, lists: TopicLists): Promise<WantedTopic[]> => {
  const asked = [
    ...lists.produceTopics.map((reference, row) => ({ reference, operation: 'WRITE', field: `produceTopics.${row}.resourceId` }) as const),
    ...lists.consumeTopics.map((reference, row) => ({ reference, operation: 'READ', field: `consumeTopics.${row}.resourceId` }) as const),
  ];
  if (asked.length === 0) return [];
  const words = asked.map(({ reference }) => reference.resourceId);
  const apps = asked.map(({ reference }) => reference.applicationCode ?? app);
  const { rows } = await sql<TopicFacts>`
    select topic.id, topic.app_id, topic.name, topic.topic_name, topic.classification, topic.is_sharable, app.team_id
    from topic join app on app.id = topic.app_id
    where topic.environment = ${environment} and topic.state in ('ACTIVE', 'CREATING')
      and topic.app_id = any(${apps}) and (topic.name = any(${words}) or topic.id = any(${words}))
    for share of topic`.execute(trx);
  const seen = new Set<string>();
  const refused: FieldError[] = [];
  const named = asked.flatMap(({ reference, operation, field }): WantedTopic[] => {
    const owner = reference.applicationCode ?? app;
    const topic = rows.find((row) => row.app_id === owner && (row.id === reference.resourceId || row.name === reference.resourceId));
    const key = `${operation} ${topic?.id}`;
    if (!topic) refused.push({ field, code: 'TopicDoesNotExist' });
    else if (seen.has(key)) refused.push({ field, code: 'DuplicateTopic', context: { topic: topic.name } });
    seen.add(key);
    return topic ? [{ ...topic, operation, field }] : [];
  });
  requireNone(refused);
  return named;
};

interface NewGrantBy {
  readonly caller: Pick<Caller, 'id' | 'displayName' | 'origin'>;
  readonly reason: string | undefined;
  readonly isListed?: boolean;
}
export interface NewGrant {
  readonly id: string;
  readonly state: GrantState;
}
/** Inserts a grant. Throws TopicNotShared. If the topic belongs to another app, the topic's team is notified. */
export const addGrant = async (
  trx: Transaction<DB>,
  asker: Asker & { readonly accountId: string },
  topic: WantedTopic,
  { caller, reason, isListed = true }: NewGrantBy,
): Promise<NewGrant> => {
  const verdict = grantRule({
    environment: asker.environment,
    operation: topic.operation,
    isOwnTeam: topic.team_id === asker.team,
    isSharable: topic.is_sharable,
    classification: topic.classification,
  });
  if (verdict === 'TopicNotShared') throw new Problem(verdict, { field: topic.field, context: { topic: topic.topic_name } });
  const state = verdict === 'REQUEST' ? 'REQUESTED' : 'APPROVED';
  const id = newId('tg');
  await trx
    .insertInto('topic_grant')
    .values({
      id,
      account_id: asker.accountId,
      topic_id: topic.id,
      operation: topic.operation,
      state,
      basis: verdict === 'REQUEST' ? null : verdict,
      is_listed: isListed,
      reason: reason ?? null,
      requested_by: caller.id,
      requested_by_name: caller.displayName,
    })
    .execute();
  if (topic.app_id === asker.app) return { id, state };
  const names = { app: topic.app_id, env: asker.environment, topic: topic.name };
  await recordActivity(trx, {
    type: 'topicGrantRequest',
    reason: state === 'REQUESTED' ? 'Requested' : 'Granted',
    message: `${asker.app} ${state === 'REQUESTED' ? 'asks to' : 'may'} ${topic.operation === 'READ' ? 'read' : 'write'} ${topic.name} with its account ${asker.account}`,
    actor: caller,
    origin: caller.origin,
    outcome: 'DONE',
    subject: subjectOf(topicKind, names, { team: topic.team_id }),
    after: { grant: id, operation: topic.operation, app: asker.app, account: asker.account, reason },
  });
  await notifyChange(trx, { kind: 'topicGrant', app: topic.app_id, env: asker.environment, team: topic.team_id });
  return { id, state };
};
