/** Request rows in the contract's form, and the keys by which callers may read and decide them. */
import { sql, type RawBuilder } from 'kysely';
import { subjectPath } from '@slipway/contract/kinds.ts';
import { requestKindLabel } from '@slipway/contract/request/request-kinds.ts';
import type { Request, RequestComment, Who } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { RequestKind, RequestRow } from './request-kind.ts';

/** Maximum number of comments on a request. */
export const mostComments = 200;

/** A row with the caller's relation to it. */
export interface SeenRow extends RequestRow {
  readonly is_decider: boolean;
  readonly is_asker: boolean;
  /** True for those who raised the request or wrote its content, also through a service or robot account whose secret they were shown. */
  readonly is_own: boolean;
  readonly is_open: boolean;
  readonly is_late: boolean;
  readonly assignees: Who[];
}

/** Keys of a caller as SQL. Includes the keys of all apps that the teams own now. */
export const keysSql = (keys: readonly string[], teams: readonly string[]): RawBuilder<string[]> =>
  sql`(${[...keys, ...teams.map((team) => `team:${team}`)]}::text[]
    || array(select 'app:' || app.id from app where app.team_id = any(${[...teams]}::text[])))`;

/** Takes requests away from the team of a former app, and forgets who knew its robots' secrets, before another app gets its id. Kinds void requests that still wait. */
export const releaseApp = async (trx: Db, app: string): Promise<void> => {
  const key = `app:${app}`;
  await sql`update request set deciders = array_remove(deciders, ${key}), askers = array_remove(askers, ${key})
    where deciders @> ${[key]}::text[] or askers @> ${[key]}::text[]`.execute(trx);
  await sql`delete from service_account_holder where starts_with(account_id, ${`robot$${app}+`})`.execute(trx);
};

/**
 * Remembers that a caller was shown a token of a service account or the secret of a robot account, so that they do not decide what the account
 * asks for or pushes. Neither do the holders of a service account that was shown it.
 */
export const holdAccount = async (trx: Db, caller: string, account: string): Promise<void> => {
  await sql`insert into service_account_holder (account_id, identity_id) select ${account}, ${caller}
    union select ${account}, identity_id from service_account_holder where account_id = ${caller} on conflict do nothing`.execute(trx);
};

/** Place of a value in a secret group. */
interface SecretPlace {
  readonly app: string;
  readonly environment: string;
  readonly group: string;
  readonly key: string;
}
/** As `holdAccount`, for a caller who is shown a value of a secret group: the robot accounts whose secret was ever written there. */
export const holdAccountsAt = async (trx: Db, caller: string, { app, ...place }: SecretPlace): Promise<void> => {
  await sql`insert into service_account_holder (account_id, identity_id)
    select distinct 'robot$' || app_id || '+' || (subject_names ->> 'robot'), ${caller} from activity
    where app_id = ${app} and type in ('robotAccountCreate', 'robotAccountRotate') and after -> 'into' @> ${JSON.stringify(place)}::jsonb
    on conflict do nothing`.execute(trx);
};

/** Condition of `is_own` for a person. */
export const ownSql = (
  id: string,
): RawBuilder<boolean> => sql<boolean>`(request.requested_by = ${id} or request.revised_by is not distinct from ${id}
  or exists (select from service_account_holder held where held.identity_id = ${id} and held.account_id in (request.requested_by, request.revised_by)))`;
interface Seeing {
  readonly keys: RawBuilder<string[]>;
  /** Condition under which others may read a request. */
  readonly open: RawBuilder<boolean>;
  readonly caller: Pick<Caller, 'id'>;
}
export const seenColumns = ({ keys, open, caller }: Seeing): RawBuilder<unknown> => sql`request.*,
  request.deciders && ${keys} as is_decider, request.askers && ${keys} as is_asker, ${open} as is_open, ${ownSql(caller.id)} as is_own,
  request.status = 'PENDING' and request.due_on < current_date as is_late,
  coalesce((select jsonb_agg(jsonb_build_object('id', identity.id, 'displayName', identity.display_name) order by identity.display_name)
    from identity where identity.id = any(request.assigned_to)), '[]') as assignees`;

/** Returns the number in `REQ-20418`, in any case. Undefined for other text. */
export const numberOf = (id: string): number | undefined => {
  const [, digits] = /^REQ-([1-9][0-9]{0,14})$/i.exec(id) ?? [];
  return digits === undefined ? undefined : Number(digits);
};
export const idOf = ({ number }: Pick<RequestRow, 'number'>): string => `REQ-${number}`;

const isAsker = (row: SeenRow, caller: Caller): boolean => row.is_asker || caller.isAdministrator;
export const mayRead = (row: SeenRow, caller: Caller): boolean => row.is_open || row.is_decider || isAsker(row, caller);
/** As `mayRead`, as a condition on `request`. */
export const readable = (keys: RawBuilder<string[]>, open: RawBuilder<boolean>, caller: Pick<Caller, 'isAdministrator'>) =>
  caller.isAdministrator ? sql<boolean>`true` : sql<boolean>`(request.deciders && ${keys} or request.askers && ${keys} or ${open})`;

const pendingRule = ({ status }: RequestRow): true | 'RequestDecided' => (status === 'PENDING' ? true : 'RequestDecided');
/** Condition on `request` under which it is not a person's own. `mayDecideOwn` has the names of the kinds whose own requests they decide. */
export const isForeign = (id: string, mayDecideOwn: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`(not ${ownSql(id)} or request.kind = any(${[...mayDecideOwn]}::text[]))`;
export const decideRule = (kind: RequestKind, row: SeenRow, caller: Caller) => {
  if (row.status !== 'PENDING') return 'RequestDecided';
  if (row.is_own && kind.mayDecideOwn !== true) return 'OwnRequest';
  if (!row.is_decider && !caller.isAdministrator) return 'NotADecider';
  return kind.mayDecide?.(row, caller) ?? true;
};
export const askerRule = (row: SeenRow, caller: Caller) => (isAsker(row, caller) ? pendingRule(row) : 'NotTheRequester');
export const assignRule = (row: SeenRow, caller: Caller) => (row.is_decider || caller.isAdministrator ? pendingRule(row) : 'NotADecider');
export const againRule = (kind: RequestKind, row: SeenRow, caller: Caller) => {
  if (!isAsker(row, caller)) return 'NotTheRequester';
  if (row.status === 'PENDING' || row.status === 'APPROVED' || !kind.raiseAgain) return 'RequestNotRepeatable';
  return kind.mayRaiseAgain?.(row) ?? true;
};

const whoOf = (id: string | null, displayName: string | null): Who | null => (id === null ? null : { id, displayName: displayName ?? '' });

export const requestOf = (kind: RequestKind, row: SeenRow, caller: Caller, comments: readonly RequestComment[] = []): Request => {
  const subject = kind.subject(row);
  return {
    id: idOf(row),
    kind: row.kind,
    kindLabel: requestKindLabel(row.kind),
    subject: {
      kind: row.subject_kind,
      id: row.subject_id,
      path: (kind.path ? kind.path(row) : subject && subjectPath(subject)) ?? null,
    },
    title: row.title,
    environmentClass: row.environment,
    status: row.status,
    requestedBy: { id: row.requested_by, displayName: row.requested_by_name },
    requestedAt: row.requested_at.toISOString(),
    comment: row.comment,
    assignedTo: row.assignees,
    actionedBy: whoOf(row.actioned_by, row.actioned_by_name),
    actionedAt: row.actioned_at?.toISOString() ?? null,
    actionComment: row.action_comment,
    differences: [...kind.differences(row)],
    revision: row.revision,
    isVoid: row.is_void,
    voidReason: row.void_reason,
    dueOn: row.due_on,
    isLate: row.is_late,
    comments: [...comments],
    can: {
      decide: decideRule(kind, row, caller),
      withdraw: askerRule(row, caller),
      update: askerRule(row, caller),
      assign: assignRule(row, caller),
      comment: comments.length < mostComments ? true : 'TooManyComments',
      raiseAgain: againRule(kind, row, caller),
    },
  };
};

/** Oldest first. */
export const commentsOf = async (db: Db, number: number): Promise<RequestComment[]> => {
  const rows = await db.selectFrom('request_comment').selectAll().where('request', '=', number).orderBy('at').orderBy('id').execute();
  return rows.map(({ by, by_name, at, body }) => ({ by: { id: by, displayName: by_name }, at: at.toISOString(), text: body }));
};
