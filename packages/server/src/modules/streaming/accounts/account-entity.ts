/** The account entity of the resource kernel: rows in the contract's form, rules, and steps to create, change and delete an account. */
import { sql } from 'kysely';
import {
  accountResource,
  type Account,
  type AccountCreate,
  type AccountTopic,
  type AccountUpdate,
} from '@slipway/contract/streaming/account.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { note } from '#modules/pipelines/index.ts';
import {
  changeRule,
  endFormerRule,
  formerOf,
  isBusy,
  placeOf,
  rotateRule,
  runColumns,
  type Entity,
  type Names,
  type RunState,
  type Write,
} from '#modules/resources/index.ts';
import { isInUseSql, requireFreeGroup, reservesGroups } from '#modules/secret-groups/index.ts';
import { addGrant, followGrants, namedTopics, voidRequests } from '../grants/index.ts';
import { requireSamePlace, type Inserting } from '../names.ts';
import { planChange, setSide } from './account-change.ts';
import { accountCredential, accountRow, currentTurn, requireAccount, userName, type AccountDeps, type AccountRow } from './account-rows.ts';
import { grantsStep, passwordSteps, removeSteps } from './account-steps.ts';

interface ListedTopic {
  readonly operation: 'READ' | 'WRITE';
  readonly topic: AccountTopic;
}
export interface Row extends AccountRow, RunState {
  readonly topics: readonly ListedTopic[];
  readonly is_in_use: boolean;
}
const topics = sql`(select coalesce(jsonb_agg(jsonb_build_object('operation', topic_grant.operation, 'topic', jsonb_build_object('resourceId', topic.id,
    'resourceType', 'TOPIC', 'applicationCode', topic.app_id, 'name', topic.name, 'topicName', topic.topic_name, 'valueSchema',
    (select jsonb_build_object('name', event_schema.name, 'type', event_schema.type) from event_schema where event_schema.id = topic.value_schema_id),
    'grant', topic_grant.id, 'state', topic_grant.state,
    'basis', topic_grant.basis, 'since', to_char(topic_grant.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'decidedBy', topic_grant.decided_by_name, 'decision', topic_grant.decision)) order by topic.topic_name), '[]')
  from topic_grant join topic on topic.id = topic_grant.topic_id
  where topic_grant.account_id = account.id and topic_grant.is_listed)`;
const columns = sql`account.*, ${runColumns('account', 'account')},
  ${topics} as topics,
  account.secret_group is not null
    and ${isInUseSql(sql`account.app_id`, sql`account.environment`, sql`account.secret_group`)} as is_in_use`;

const isWaiting = ({ waiting_until: until }: Row): boolean => until !== null && until > new Date();
const takeRule = (row: Row, caller: Caller): true | 'AccountPasswordGone' | 'AccountPasswordOfOther' => {
  if (!isWaiting(row)) return 'AccountPasswordGone';
  return row.waiting_for === caller.id ? true : 'AccountPasswordOfOther';
};
const canOf = (row: Row, caller: Caller): Account['can'] => {
  const change = changeRule(row, { busy: 'StreamingPipelineRunning', missing: 'AccountNotCreated' });
  const kept = row.is_in_use ? 'SecretIsReferencedInAtLeastOneStack' : true;
  return {
    update: change,
    delete: change === 'StreamingPipelineRunning' ? change : kept,
    rotate: rotateRule(accountCredential(row), change),
    endFormerPassword: endFormerRule(accountCredential(row)),
    takePassword: takeRule(row, caller),
    repair: change,
  };
};

const credentialsOf = (row: Row): Account['credentials'] => {
  const { password_at: changedAt, password_by_name: changedBy, secret_group: name, secret_version: version } = row;
  if (row.turn === null || changedAt === null || changedBy === null) return null;
  const { waiting_for: forId, waiting_for_name: forName, waiting_until: until } = row;
  return {
    changedAt: changedAt.toISOString(),
    changedBy,
    secretGroup: name === null || version === null ? null : { name, version },
    former: formerOf(accountCredential(row), (turn) => userName(row, turn)),
    waiting: isWaiting(row) && forId !== null && forName !== null && until ? { forId, forName, until: until.toISOString() } : null,
  };
};
const topicsOf = ({ topics: listed }: Row, wanted: ListedTopic['operation']): AccountTopic[] =>
  listed.filter(({ operation }) => operation === wanted).map(({ topic }) => topic);

const toView = (row: Row, caller: Caller): Account => ({
  id: row.id,
  name: row.name,
  applicationCode: row.app_id,
  environmentClass: row.environment,
  description: row.description,
  produceTopics: topicsOf(row, 'WRITE'),
  consumeTopics: topicsOf(row, 'READ'),
  state: row.state,
  user: userName(row, currentTurn(row)),
  groupPrefix: row.group_prefix,
  connection: row.connection && { certificateAuthority: null, ...row.connection },
  credentials: credentialsOf(row),
  status: {
    pipelineId: row.pipeline_id,
    isBusy: isBusy(row),
    drift: row.drift,
    comparedAt: row.compared_at?.toISOString() ?? null,
  },
  createdAt: row.created_at.toISOString(),
  createdBy: { id: row.created_by, displayName: row.created_by_name },
  can: canOf(row, caller),
});

/** Without requests: an account with topics of other teams needs `followGrants`. */
export const insertAccount = async ({ trx, caller, wanted, names, owner }: Inserting<AccountCreate>) => {
  const place = placeOf(names);
  const { app, environment } = place;
  requireSamePlace(wanted, place);
  // Apps that are being deleted accept no new accounts.
  if ((await lockApp(trx, app))?.state !== 'ACTIVE') throw new Problem('ApplicationNotCreated');
  const { name, secretGroup, description, reason } = wanted;
  if (await accountRow(trx, { ...names, account: name })) return undefined;
  if (secretGroup !== undefined) await requireFreeGroup(trx, { ...place, group: secretGroup });
  const id = newId('ka');
  const asker = { app, environment, team: owner?.teamId ?? '', account: name, accountId: id };
  const named = await namedTopics(trx, asker, wanted);
  const principal = physicalName(app, name);
  const done = await trx
    .insertInto('account')
    .values({
      id,
      app_id: app,
      environment,
      name,
      description,
      state: 'CREATING',
      principal,
      group_prefix: `${principal}.`,
      secret_group: secretGroup ?? null,
      created_by: caller.id,
      created_by_name: caller.displayName,
    })
    // Conflicts by name, or by the name on the engines, which a deleted app with this code may have used.
    .onConflict((conflict) => conflict.columns(['environment', 'principal']).doNothing())
    .executeTakeFirst();
  if (done.numInsertedOrUpdatedRows === 0n) return undefined;
  for (const topic of named) await addGrant(trx, asker, topic, { caller, reason });
  return { id, title: name };
};

const update = async ({ requests }: AccountDeps, { trx, names, caller, wanted, owner }: Write<AccountUpdate>) => {
  const row = await requireAccount(trx, names);
  const asker = { app: row.app_id, environment: row.environment, team: owner?.teamId ?? '', account: row.name, accountId: row.id };
  const change = await planChange(trx, row, asker, { wanted, caller });
  await setSide(trx, row, change.after, change.before);
  await followGrants(trx, requests, row.id);
  return { change };
};

const listNotes = ({ produceTopics, consumeTopics }: Pick<AccountUpdate, 'produceTopics' | 'consumeTopics'>, app = ''): PlanNote[] => [
  ...produceTopics.map(({ resourceId, applicationCode = app }) => note('MayWriteTopic', { topic: `${applicationCode}.${resourceId}` })),
  ...consumeTopics.map(({ resourceId, applicationCode = app }) => note('MayReadTopic', { topic: `${applicationCode}.${resourceId}` })),
];
const plan = {
  create: ({ names, wanted }: { names: Names; wanted: AccountCreate }) => ({
    consequences: [
      note('MakesClusterUser', { user: physicalName(names['app'] ?? '', wanted.name) }),
      ...listNotes(wanted, names['app']),
      wanted.secretGroup === undefined ? note('ShowsPasswordOnce') : note('MakesSecretGroup', { group: wanted.secretGroup }),
    ],
  }),
  update: (before: Account, wanted: AccountUpdate) => ({
    consequences: listNotes(wanted, before.applicationCode),
  }),
  remove: ({ user, groupPrefix }: Account) => ({
    consequences: [note('DeletesClusterUser', { user }), note('DeletesGroups', { prefix: groupPrefix })],
  }),
};

reservesGroups('account', 'secret_group');

const settingsIn = ({ description, produceTopics, consumeTopics }: Account) => ({
  description,
  produceTopics: produceTopics.map(({ topicName }) => topicName),
  consumeTopics: consumeTopics.map(({ topicName }) => topicName),
});

export const accountEntity = (deps: AccountDeps): Entity<Account, Row, AccountCreate, AccountUpdate> => ({
  resource: accountResource,
  table: 'account',
  key: { app: 'app_id', env: 'environment', account: 'name' },
  columns,
  sort: { name: 'name', createdAt: 'created_at', passwordAt: 'password_at' },
  search: ['name', 'description'],
  toView,
  title: ({ name }) => name,
  create: {
    name: ({ name }) => name,
    field: 'name',
    insert: async (write) => {
      const made = await insertAccount(write);
      if (made) await followGrants(write.trx, deps.requests, made.id);
      return made;
    },
  },
  update: (write) => update(deps, write),
  plan,
  before: settingsIn,
  beforeErase: async (trx, names) => {
    const row = await accountRow(trx, names);
    if (row) await voidRequests(trx, deps.requests, { account: row.id });
  },
  steps: { create: passwordSteps(deps, () => 0), update: [grantsStep(deps)], remove: removeSteps(deps) },
});
