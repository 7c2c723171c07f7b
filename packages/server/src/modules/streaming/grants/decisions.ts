/**
 * Decisions on grants: approve, decline, revoke, withdraw. The second of two concurrent decisions fails. A decision that changes a rule
 * runs in a pipeline of the account, which also updates the grant, so a decision that cannot be applied does not count.
 */
import { accountKind } from '@slipway/contract/streaming/account.kind.ts';
import type { TopicGrant } from '@slipway/contract/streaming/grant.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { topicKind } from '@slipway/contract/streaming/topic.kind.ts';
import type { Transaction } from 'kysely';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity, recordWrite } from '#modules/activity/index.ts';
import { lockFor } from '#modules/resources/index.ts';
import { setGrant, type GrantSide } from '../accounts/account-pipelines.ts';
import { startRules, type WriteDeps } from '../accounts/account-writes.ts';
import { grantRow, grantView, type GrantRow } from './grant-rows.ts';

const decisionWords: Readonly<Partial<Record<TopicGrant['state'], string>>> = {
  APPROVED: 'approved',
  DECLINED: 'declined',
  REVOKED: 'revoked',
  WITHDRAWN: 'withdrew',
};
const MINUTE_MS = 60_000;

/** Only the two teams involved can see the grant. */
export const requireGrant = async (
  db: Transaction<DB> | WriteDeps['db'],
  id: string,
  caller: Caller,
  isLocked = false,
): Promise<GrantRow> => {
  const row = await grantRow(db, id, { isLocked });
  const isKnown = row && (memberRule(caller, row.topic_team) === true || memberRule(caller, row.account_team) === true);
  if (!isKnown) throw new Problem('TopicGrantDoesNotExist');
  return row;
};

const requireCan = (row: GrantRow, caller: Caller, verb: 'decide' | 'revoke' | 'withdraw'): void => {
  const verdict = grantView(row, caller).can[verb];
  if (verdict === true) return;
  if (verdict === 'NotAMember')
    throw new Problem(verdict, { context: { team: verb === 'withdraw' ? row.account_team_name : row.topic_team_name } });
  if (verdict === 'TopicGrantNotApproved') throw new Problem(verdict);
  const since = row.decided_at ?? row.requested_at;
  throw new Problem('TopicGrantDecided', {
    context: {
      name: row.decided_by_name ?? 'Slipway',
      decision: decisionWords[row.state] ?? '',
      minutes: String(Math.max(0, Math.round((Date.now() - since.getTime()) / MINUTE_MS))),
    },
  });
};

const sideOf = (row: GrantRow): GrantSide => ({
  state: row.state,
  isListed: row.is_listed,
  basis: row.basis,
  decidedAt: row.decided_at?.toISOString() ?? null,
  decidedBy: row.decided_by,
  decidedByName: row.decided_by_name,
  decision: row.decision,
});
const namesOf = (row: GrantRow) => ({ app: row.account_app, env: row.environment, account: row.account });

interface Decision {
  readonly verb: 'decide' | 'revoke' | 'withdraw';
  /** Route id. */
  readonly type: string;
  readonly state: TopicGrant['state'];
  readonly word: string;
  readonly reason: string | undefined;
}

/** Records the decision in the activity of the account's app and of the topic's app. */
const record = async (
  trx: Transaction<DB>,
  caller: Caller,
  row: GrantRow,
  { type, state, word, reason }: Decision,
  pipelineId?: string,
) => {
  const may = row.operation === 'READ' ? 'read' : 'write';
  const message = `${caller.displayName} ${word} that ${row.account_app} may ${may} ${row.topic_name} with its account ${row.account}`;
  const change = { before: { state: row.state }, after: { state, reason, grant: row.id } };
  const subject = subjectOf(accountKind, namesOf(row), { team: row.account_team });
  await recordWrite(trx, caller, { type, reason: 'Decided', message, subject, pipelineId, ...change });
  if (row.topic_app !== row.account_app)
    await recordActivity(trx, {
      type,
      reason: 'Decided',
      message,
      actor: caller,
      origin: caller.origin,
      outcome: 'DONE',
      subject: subjectOf(topicKind, { app: row.topic_app, env: row.environment, topic: row.topic }, { team: row.topic_team }),
      ...change,
    });
  for (const [app, team] of [
    [row.account_app, row.account_team],
    [row.topic_app, row.topic_team],
  ] as const)
    await notifyChange(trx, { kind: 'topicGrant', app, env: row.environment, team });
};

const afterOf = (row: GrantRow, caller: Caller, { state, reason }: Decision): GrantSide => ({
  state,
  isListed: state === 'WITHDRAWN' ? false : row.is_listed,
  basis: state === 'APPROVED' ? 'DECISION' : row.basis,
  decidedAt: new Date().toISOString(),
  decidedBy: caller.id,
  decidedByName: caller.displayName,
  decision: reason ?? null,
});

/** Decides with a pipeline that updates the rules. */
export const decideByPipeline = (deps: WriteDeps, id: string, caller: Caller, decision: Decision): Promise<TopicGrant> =>
  transaction(deps.db, async (trx) => {
    const row = await requireGrant(trx, id, caller, true);
    requireCan(row, caller, decision.verb);
    if (decision.state === 'APPROVED' && !row.is_sharable && row.topic_team !== row.account_team)
      throw new Problem('TopicNotShared', { context: { topic: row.topic_name } });
    const params = namesOf(row);
    await lockFor(trx, deps.entity, { caller, names: params }, 'repair');
    const [before, after] = [sideOf(row), afterOf(row, caller, decision)];
    await setGrant(trx, id, after, before);
    const started = await startRules(deps, trx, { caller, owner: { teamId: row.account_team }, params }, { id, before, after });
    await record(trx, caller, row, decision, started);
    return grantView(await requireGrant(trx, id, caller), caller);
  });

/** Declines a request. It has no rules, so no pipeline is needed. */
export const decline = (deps: WriteDeps, id: string, caller: Caller, reason: string): Promise<TopicGrant> =>
  transaction(deps.db, async (trx) => {
    const row = await requireGrant(trx, id, caller, true);
    requireCan(row, caller, 'decide');
    const decision: Decision = { verb: 'decide', type: 'topicGrantDecline', state: 'DECLINED', word: 'declined', reason };
    await setGrant(trx, id, afterOf(row, caller, decision), sideOf(row));
    await record(trx, caller, row, decision);
    return grantView(await requireGrant(trx, id, caller), caller);
  });
