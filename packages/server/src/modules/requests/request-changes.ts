/** Changes of a request that decide nothing: a new revision, delegation, comments, and reminders. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import type { PartyKey, RequestRow } from './request-kind.ts';
import type { RequestRegistry, Trx } from './request-registry.ts';
import { askerRule, assignRule, commentsOf, mostComments } from './request-rows.ts';

/** Undefined fields keep their values. */
export interface Amendment {
  readonly comment?: string;
  readonly title?: string;
  readonly payload?: unknown;
  readonly base?: unknown;
  /** As in a new request. */
  readonly askers?: readonly PartyKey[];
  /** The revision that the caller saw. If undefined, any revision is accepted. */
  readonly revision?: number | undefined;
}

/** Changes a pending request of the caller and increases its revision. The comments stay. */
export const amendRequest = async (
  requests: RequestRegistry,
  trx: Trx,
  { caller, id }: { readonly caller: Caller; readonly id: string },
  amendment: Amendment,
): Promise<RequestRow> => {
  const seen = await requests.find(trx, id, caller);
  if (askerRule(seen, caller) === 'NotTheRequester') throw new Problem('NotTheRequester');
  return reviseRequest(requests, trx, { caller, seen }, amendment);
};

/** As `amendRequest`, by a caller whose right to the subject was checked. */
export const reviseRequest = async (
  requests: RequestRegistry,
  trx: Trx,
  { caller, seen }: { readonly caller: Caller; readonly seen: RequestRow },
  { comment, title, payload, base, askers, revision }: Amendment,
): Promise<RequestRow> => {
  const row = await trx
    .updateTable('request')
    .set({
      revision: sql`revision + 1`,
      // A new comment leaves the content its author's.
      ...(title === undefined && payload === undefined && base === undefined ? {} : { revised_by: caller.id }),
      ...(comment === undefined ? {} : { comment }),
      ...(title === undefined ? {} : { title }),
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
      ...(base === undefined ? {} : { base: JSON.stringify(base) }),
      ...(askers && { askers: requests.askersOf({ kind: seen.kind, askers }, seen.requested_by) }),
    })
    .where('number', '=', seen.number)
    .where('status', '=', 'PENDING')
    .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
    .returningAll()
    .executeTakeFirst();
  if (!row) throw await requests.lost(trx, seen);
  const [before, after] = [
    { revision: seen.revision, comment: seen.comment },
    { revision: row.revision, comment: row.comment },
  ];
  await requests.record(trx, caller, row, 'requestUpdate', { reason: 'Updated', before, after });
  await requests.hint(trx, row);
  return row;
};

const addComment = async (trx: Trx, { number }: RequestRow, caller: Caller, body: string): Promise<void> => {
  const by = { by: caller.id, by_name: caller.displayName };
  await trx
    .insertInto('request_comment')
    .values({ id: newId('rqc'), request: number, ...by, body })
    .execute();
};

/** Delegates a pending request to people who may decide it. */
export const assignRequest = async (
  requests: RequestRegistry,
  trx: Trx,
  { caller, id }: { readonly caller: Caller; readonly id: string },
  { assignedTo, comment }: { readonly assignedTo: readonly string[]; readonly comment?: string | undefined },
): Promise<RequestRow> => {
  const seen = await requests.find(trx, id, caller);
  if (assignRule(seen, caller) === 'NotADecider') throw new Problem('NotADecider');
  const people = [...new Set(assignedTo)];
  for (const person of people)
    if (!(await requests.couldDecide(trx, seen, person)))
      throw new Problem('AssigneeMayNotDecide', { field: 'assignedTo', context: { id: person } });
  const row = await trx
    .updateTable('request')
    .set({ assigned_to: people })
    .where('number', '=', seen.number)
    .where('status', '=', 'PENDING')
    .returningAll()
    .executeTakeFirst();
  if (!row) throw await requests.lost(trx, seen);
  if (comment) await addComment(trx, row, caller, comment);
  const [before, after] = [{ assignedTo: seen.assigned_to }, { assignedTo: people }];
  await requests.record(trx, caller, row, 'requestAssign', { reason: 'Delegated', before, after });
  await requests.announce(trx, {
    type: 'request.delegated',
    request: row,
    actor: caller,
    to: await requests.approversOf(trx, row),
    text: comment,
  });
  return row;
};

export const commentRequest = async (requests: RequestRegistry, trx: Trx, caller: Caller, id: string, text: string): Promise<void> => {
  const row = await requests.find(trx, id, caller);
  if ((await commentsOf(trx, row.number)).length >= mostComments)
    throw new Problem('TooManyComments', { context: { max: String(mostComments) } });
  const to = [
    ...new Set([...(await requests.involvedIn(trx, row)), ...(row.status === 'PENDING' ? await requests.approversOf(trx, row) : [])]),
  ];
  await addComment(trx, row, caller, text);
  const message = `${caller.displayName} commented on a request: ${row.title}`;
  await requests.record(trx, caller, row, 'requestCommentCreate', { reason: 'Commented', message, before: undefined, after: { text } });
  await requests.announce(trx, { type: 'request.commented', request: row, actor: caller, to, text });
};

/** Reminds approvers one day before the due date, and once when it has passed. Returns the number of reminders. */
export const remindApprovers = (requests: RequestRegistry, db: Db): Promise<number> =>
  transaction(db, async (trx) => {
    const { rows } = await sql<RequestRow>`
      update request set reminders = case when due_on < current_date then 2 else 1 end
      where number = any (array(select number from request where status = 'PENDING' and due_on <= current_date + 1
        and reminders < case when due_on < current_date then 2 else 1 end
        and kind = any(${requests.kinds.map(({ kind }) => kind)}::text[])
        order by due_on, number limit 100 for update skip locked))
      returning *`.execute(trx);
    for (const row of rows)
      await requests.announce(trx, { type: 'request.due', request: row, actor: undefined, to: await requests.approversOf(trx, row) });
    return rows.length;
  });
