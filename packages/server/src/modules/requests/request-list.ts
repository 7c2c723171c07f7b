/** Pages and counts of the inbox. */
import { sql, type RawBuilder } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { Request, RequestCounts, RequestQuery } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { countedAtMost, countTotal, likeOf, pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import type { RequestRegistry } from './request-registry.ts';
import { isForeign, keysSql, readable, requestOf, seenColumns, type SeenRow } from './request-rows.ts';

type Scope = Pick<RequestQuery, 'team' | 'app' | 'environment'>;
type Condition = RawBuilder<unknown>;

/** Returns the keys of a team or an app. Throws unless the caller is a member. Undefined for the caller's own inbox. */
const scopeKeys = async (db: Db, { team, app }: Scope, caller: Caller): Promise<RawBuilder<string[]> | undefined> => {
  if (app !== undefined) {
    const row = await db.selectFrom('app').select('team_id').where('id', '=', app).executeTakeFirst();
    // Strangers do not learn of an app's requests, as with its other lists.
    if (!row || memberRule(caller, row.team_id) !== true) throw new Problem('ApplicationDoesNotExists');
    return sql`${[`app:${app}`]}::text[]`;
  }
  if (team === undefined) return undefined;
  const row = await db.selectFrom('team').select('display_name').where('id', '=', team).executeTakeFirst();
  if (!row) throw new Problem('TeamDoesNotExist');
  if (memberRule(caller, team) !== true) throw new Problem('NotAMember', { context: { team: row.display_name } });
  return keysSql([], [team]);
};

interface Inbox {
  readonly own: RawBuilder<string[]>;
  readonly scope: RawBuilder<string[]> | undefined;
}
/** Reads the keys once. Within a larger query, each mention would read the apps of the teams again. */
const asValues = async (db: Db, keys: RawBuilder<string[]>): Promise<RawBuilder<string[]>> => {
  const { rows } = await sql<{ keys: string[] }>`select ${keys} as keys`.execute(db);
  return sql`${rows[0]?.keys ?? []}::text[]`;
};
const inboxOf = async (requests: RequestRegistry, db: Db, scope: Scope, caller: Caller): Promise<Inbox> => {
  const scoped = await scopeKeys(db, scope, caller);
  return {
    own: await asValues(db, keysSql(await requests.keysOf(db, caller), [...caller.memberOf])),
    scope: scoped && (await asValues(db, scoped)),
  };
};

const wordsOf = (requests: RequestRegistry, is: (kind: RequestRegistry['kinds'][number]) => boolean | undefined): RawBuilder<string[]> =>
  sql`${requests.kinds.filter(is).map(({ kind }) => kind)}::text[]`;

/** Conditions of a view. */
const viewOf = (requests: RequestRegistry, view: RequestQuery['view'], { own, scope }: Inbox, caller: Caller): Condition[] => {
  const isForScope = sql`request.deciders && ${scope ?? own}`;
  const isReadable = readable(own, requests.openTo(caller), caller);
  if (view === 'mine') {
    if (scope) return [sql`request.askers && ${scope}`];
    return [sql`(request.askers @> ${[`person:${caller.id}`]}::text[] or request.requested_by = ${caller.id})`, isReadable];
  }
  if (view === 'decided')
    return [sql`request.status <> 'PENDING'`, ...(scope ? [isForScope] : [sql`request.actioned_by = ${caller.id}`, isReadable])];
  if (view === 'decide') {
    const mayDecideOwn = requests.kinds.filter((kind) => kind.mayDecideOwn).map(({ kind }) => kind);
    // A member sees what waits for the team, including own requests that others decide.
    return [sql`request.status = 'PENDING'`, isForScope, ...(scope ? [] : [isForeign(caller.id, mayDecideOwn)])];
  }
  if (scope) return [sql`(request.deciders && ${scope} or request.askers && ${scope})`];
  return [isReadable];
};

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

const filters = (requests: RequestRegistry, { kind, status, environment, query }: Partial<RequestQuery>): Condition[] => {
  const statuses = listOf(status);
  return [
    // Skips kinds that only a later version knows.
    sql`request.kind = any(${wordsOf(requests, (known) => kind === undefined || known.kind === kind)})`,
    ...(statuses.length === 0 ? [] : [sql`request.status in (${sql.join(statuses)})`]),
    ...(environment === undefined ? [] : [sql`request.environment = ${environment}`]),
    ...(query ? [sql`request.title ilike ${likeOf(query)}`] : []),
  ];
};

export const requestPage = async (requests: RequestRegistry, db: Db, query: RequestQuery, caller: Caller): Promise<Page<Request>> => {
  const inbox = await inboxOf(requests, db, query, caller);
  const where = sql.join([...filters(requests, query), ...viewOf(requests, query.view, inbox, caller)], sql` and `);
  const total = await countTotal(db, sql`select 1 from request where ${where}`);
  const isPendingView = query.view === 'decide' || (listOf(query.status).length === 1 && listOf(query.status)[0] === 'PENDING');
  const order = isPendingView
    ? sql`request.assigned_to @> ${[caller.id]}::text[] desc, request.due_on, request.number`
    : sql`request.number desc`;
  const { rows } = await sql<SeenRow>`select ${seenColumns(inbox.own, requests.openTo(caller))} from request where ${where}
    order by ${order} limit ${query.size} offset ${query.page * query.size}`.execute(db);
  return pageOf(
    rows.map((row) => requestOf(requests.kindOf(row), row, caller)),
    total,
    query,
  );
};

/** Counts stop at the limit of every list. */
export const requestCountsOf = async (requests: RequestRegistry, db: Db, scope: Scope, caller: Caller): Promise<RequestCounts> => {
  const inbox = await inboxOf(requests, db, scope, caller);
  const known = filters(requests, { environment: scope.environment });
  const toDecide = sql.join([...known, ...viewOf(requests, 'decide', inbox, caller)], sql` and `);
  const mine = sql.join([...known, ...viewOf(requests, 'mine', inbox, caller)], sql` and `);
  const { rows } = await sql<RequestCounts>`
    select count(*)::integer as decide, (count(*) filter (where is_late))::integer as late,
      (select count(*)::integer from (select 1 from request where ${mine} and request.status = 'PENDING' limit ${countedAtMost}) as own) as mine
    from (select request.due_on < current_date as is_late from request where ${toDecide} order by request.due_on limit ${countedAtMost}) as waiting`.execute(
    db,
  );
  return rows[0] ?? { decide: 0, late: 0, mine: 0 };
};
