/** Rules and subjects of others that concern a topic. They are read on demand, not stored, and never changed. */
import type { ForeignThing } from '@slipway/contract/streaming/topic-status.ts';
import { sql } from 'kysely';
import type { AccessRule } from '#ports/streaming.ts';
import { subjectOfPart } from '../schemas/schema-rows.ts';
import type { TopicDeps, TopicRow } from './topic-rows.ts';

/** Returns whether the rule has the form of the platform's own rules. */
const couldBeOurs = ({ host, permission, pattern }: AccessRule): boolean => host === '*' && permission === 'allow' && pattern === 'literal';

/** Returns rules for the topic that the platform did not create. */
export const foreignRules = async ({ db, streaming }: TopicDeps, { environment, topic_name: topic }: TopicRow): Promise<AccessRule[]> => {
  const found = await streaming.listRules(environment, { topic });
  if (found.length === 0) return [];
  const { rows: made } = await sql<{ cluster_user: string; operation: string }>`
    select cluster_user, account_rule.operation from account_rule join account on account.id = account_rule.account_id
    where account.environment = ${environment} and resource = 'topic' and pattern = 'literal' and account_rule.name = ${topic}
      and cluster_user = any (${[...new Set(found.map(({ user }) => user))]})`.execute(db);
  const ours = new Set(made.map(({ cluster_user: user, operation }) => `${operation} ${user}`));
  return found.filter((rule) => !couldBeOurs(rule) || !ours.has(`${rule.operation} ${rule.user}`));
};

/** Returns an existing key subject that clients would look for although the topic has no key schema. */
const foreignSubjects = async ({ registry }: TopicDeps, row: TopicRow): Promise<string[]> => {
  if (row.key_schema_id !== null) return [];
  const subject = subjectOfPart(row.topic_name, 'key');
  return [...(await registry.heads(row.environment, [subject])).keys()];
};

export const foreignTo = async (deps: TopicDeps, row: TopicRow): Promise<ForeignThing[]> => {
  const [rules, subjects] = await Promise.all([foreignRules(deps, row), foreignSubjects(deps, row)]);
  return [
    ...rules.map(({ user, operation, permission, host, pattern, name }): ForeignThing => ({
      kind: 'RULE',
      name: pattern === 'prefixed' ? `${name}*` : name,
      rule: { user, operation, permission, host },
    })),
    ...subjects.map((name): ForeignThing => ({ kind: 'SUBJECT', name, rule: null })),
  ];
};
