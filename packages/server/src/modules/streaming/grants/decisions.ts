/**
 * Decisions on grants: approve, decline, revoke, withdraw. The first, second and last of these decide the grant's request. A decision that
 * changes a rule runs in a pipeline of the account, which also updates the grant, so a decision that cannot be applied does not count.
 */
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import { topicGrantKind } from '@slipway/contract/kinds/grant.kind.ts';
import {
  topicGrantApprove,
  topicGrantDecline,
  topicGrantRevoke,
  topicGrantWithdraw,
  type TopicGrant,
} from '@slipway/contract/streaming/grant.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import type { Transaction } from 'kysely';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordActivity, recordWrite, type ActivityEntry } from '#modules/activity/index.ts';
import type { Deciding, RequestKind, RequestRow } from '#modules/requests/index.ts';
import { lockEntity, lockFor } from '#modules/resources/index.ts';
import { setGrant, type GrantSide } from '../accounts/account-pipelines.ts';
import { startRules, type WriteDeps } from '../accounts/account-writes.ts';
import { followAllGrants, newAccessRequest, pendingRequest, topicAccess, type AccessWish } from './access-requests.ts';
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
}
const approval: Decision = { verb: 'decide', type: topicGrantApprove.id, state: 'APPROVED', word: 'approved' };
const refusal: Decision = { verb: 'decide', type: topicGrantDecline.id, state: 'DECLINED', word: 'declined' };
const revocation: Decision = { verb: 'revoke', type: topicGrantRevoke.id, state: 'REVOKED', word: 'took back' };
const withdrawal: Decision = { verb: 'withdraw', type: topicGrantWithdraw.id, state: 'WITHDRAWN', word: 'gave up' };

/** A decision in progress: who decides about which grant, and why. */
interface GrantWrite {
  readonly trx: Transaction<DB>;
  readonly caller: Caller;
  readonly row: GrantRow;
  readonly reason: string | undefined;
}
type Entry = Omit<ActivityEntry, 'actor' | 'origin' | 'outcome'>;

/** Returns the entry for the activity of the account's app, and records the decision in the activity of the topic's app. */
const entryOf = async ({ trx, caller, row, reason }: GrantWrite, { type, state, word }: Decision, pipelineId?: string): Promise<Entry> => {
  const may = row.operation === 'READ' ? 'read' : 'write';
  const message = `${caller.displayName} ${word} that ${row.account_app} may ${may} ${row.topic_name} with its account ${row.account}`;
  const change = { before: { state: row.state }, after: { state, reason, grant: row.id } };
  const subject = subjectOf(accountKind, namesOf(row), { team: row.account_team });
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
  return { type, reason: 'Decided', message, subject, pipelineId, ...change };
};

const afterOf = ({ row, caller, reason }: GrantWrite, { state }: Decision): GrantSide => ({
  state,
  isListed: state === 'WITHDRAWN' ? false : row.is_listed,
  basis: state === 'APPROVED' ? 'DECISION' : row.basis,
  decidedAt: new Date().toISOString(),
  decidedBy: caller.id,
  decidedByName: caller.displayName,
  decision: reason ?? null,
});

/** Decides with a pipeline that updates the rules. */
const doByPipeline = async (deps: WriteDeps, write: GrantWrite, decision: Decision): Promise<Entry> => {
  const { trx, row, caller } = write;
  if (decision.state === 'APPROVED' && !row.is_sharable && row.topic_team !== row.account_team)
    throw new Problem('TopicNotShared', { context: { topic: row.topic_name } });
  const params = namesOf(row);
  await lockFor(trx, deps.entity, { caller, names: params }, 'repair');
  const [before, after] = [sideOf(row), afterOf(write, decision)];
  await setGrant(trx, row.id, after, before);
  const started = await startRules(deps, trx, { caller, owner: { teamId: row.account_team }, params }, { id: row.id, before, after });
  return entryOf(write, decision, started);
};
/** Declines a request. It has no rules, so no pipeline is needed. */
const doDecline = async (write: GrantWrite): Promise<Entry> => {
  await setGrant(write.trx, write.row.id, afterOf(write, refusal), sideOf(write.row));
  return entryOf(write, refusal);
};

/** Locks the account, then the grant, in the order of changes of the account. */
const lockGrant = async (deps: WriteDeps, trx: Transaction<DB>, id: string): Promise<GrantRow | undefined> => {
  const row = await grantRow(trx, id);
  if (row) await lockEntity(trx, deps.entity, namesOf(row));
  return row && grantRow(trx, id, { isLocked: true });
};
const decideGrant = (deps: WriteDeps, id: string, caller: Caller, reason: string | undefined, decision: Decision): Promise<TopicGrant> =>
  transaction(deps.db, async (trx) => {
    await requireGrant(trx, id, caller);
    await lockGrant(deps, trx, id);
    const row = await requireGrant(trx, id, caller);
    requireCan(row, caller, decision.verb);
    if (row.state !== 'REQUESTED') {
      const { type, reason: why, message, ...rest } = await doByPipeline(deps, { trx, caller, row, reason }, decision);
      await recordWrite(trx, caller, { type, reason: why, message, ...rest });
    } else {
      const request = await pendingRequest(trx, deps.requests, row);
      if (decision.verb === 'withdraw') await deps.requests.withdraw(trx, caller, request, reason);
      else {
        const status = decision.state === 'APPROVED' ? 'APPROVED' : 'REJECTED';
        await deps.requests.decideIn(trx, caller, request, { status, comment: reason });
      }
    }
    return grantView(await requireGrant(trx, id, caller), caller);
  });

export const approveGrant = (deps: WriteDeps, id: string, caller: Caller, reason?: string) =>
  decideGrant(deps, id, caller, reason, approval);
export const declineGrant = (deps: WriteDeps, id: string, caller: Caller, reason: string) => decideGrant(deps, id, caller, reason, refusal);
export const revokeGrant = (deps: WriteDeps, id: string, caller: Caller, reason: string) =>
  decideGrant(deps, id, caller, reason, revocation);
export const withdrawGrant = (deps: WriteDeps, id: string, caller: Caller) => decideGrant(deps, id, caller, undefined, withdrawal);

const wishOf = ({ payload }: Pick<RequestRow, 'payload'>): AccessWish => payload as AccessWish;

/** The kind of requests for topic access. Members of both teams may decide their own requests, because the topic's team is responsible. */
export const topicAccessKind = (deps: WriteDeps): RequestKind => {
  const writeOf = async ({ trx, row, caller, comment }: Deciding): Promise<GrantWrite> => {
    const grant = await grantRow(trx, row.subject_id);
    if (!grant) throw new Problem('TopicGrantDoesNotExist');
    return { trx, caller, row: grant, reason: comment };
  };
  const path = (row: RequestRow): string => {
    const { environment, topic } = wishOf(row);
    return `/app/${topic.app}/${environment}/events-processing/requests/${row.subject_id}`;
  };
  return {
    kind: topicAccess,
    isOfAskers: true,
    mayDecideOwn: true,
    lock: async (trx, { subject_id: id }) => {
      await lockGrant(deps, trx, id);
    },
    voidReason: async (trx, { subject_id: id }) => {
      const grant = await grantRow(trx, id);
      return grant?.state === 'REQUESTED' ? undefined : 'The account no longer asks for the topic';
    },
    approve: async (deciding) => doByPipeline(deps, await writeOf(deciding), approval),
    reject: async (deciding) => doDecline(await writeOf(deciding)),
    withdraw: async (deciding) => doByPipeline(deps, await writeOf(deciding), withdrawal),
    mayRaiseAgain: ({ status, is_void: isVoid }) => (status === 'REJECTED' && !isVoid ? true : 'RequestNotRepeatable'),
    raiseAgain: async (trx, { subject_id: id }, caller) => {
      const grant = await grantRow(trx, id);
      if (grant?.state !== 'DECLINED' || !grant.is_listed) throw new Problem('RequestNotRepeatable');
      const asked = { requested_at: new Date(), requested_by: caller.id, requested_by_name: caller.displayName };
      const undecided = { decided_at: null, decided_by: null, decided_by_name: null, decision: null };
      await trx
        .updateTable('topic_grant')
        .set({ state: 'REQUESTED', since: new Date(), ...asked, ...undecided })
        .where('id', '=', id)
        .execute();
      return newAccessRequest(grant);
    },
    differences: (row) => {
      const { account, topic, operation } = wishOf(row);
      const may = operation === 'READ' ? 'read' : 'write';
      return [{ field: 'access', label: 'Access', before: null, after: `${account.user} may ${may} ${topic.topicName}` }];
    },
    subject: (row) => {
      const { account, environment: env } = wishOf(row);
      return subjectOf(accountKind, { app: account.app, env, account: account.name });
    },
    path,
    hints: (row) => {
      const { account, topic, environment: env } = wishOf(row);
      return [...new Set([account.app, topic.app])].map((app) => ({ kind: topicGrantKind.kind, app, env }));
    },
    sync: (db) => followAllGrants(db, deps.requests),
  };
};
