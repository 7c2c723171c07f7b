/** Pages and counts of the inbox. */
import { sql, type RawBuilder } from 'kysely';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { RequestCounts } from '@slipway/contract/request/request-counts.ts';
import type { Request, RequestQuery } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { countedAtMost, countTotal, likeOf, pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import type { RequestRegistry } from './request-registry.ts';
import { idOf, isForeign, keysSql, numberOf, readable, requestOf, seenColumns, type SeenRow } from './request-rows.ts';

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

const filters = (requests: RequestRegistry, { kind, status, environment, query, upTo }: Partial<RequestQuery>): Condition[] => {
  const statuses = listOf(status);
  return [
    // Skips kinds that only a later version knows.
    sql`request.kind = any(${wordsOf(requests, (known) => kind === undefined || known.kind === kind)})`,
    ...(statuses.length === 0 ? [] : [sql`request.status in (${sql.join(statuses)})`]),
    ...(environment === undefined ? [] : [sql`request.environment = ${environment}`]),
    ...(upTo === undefined ? [] : [sql`request.number <= ${numberOf(upTo) ?? 0}`]),
    ...(query ? [sql`request.title ilike ${likeOf(query)}`] : []),
  ];
};

interface Sources {
  /** Keys of `request_holder`. */
  readonly holders: readonly string[];
  readonly role: Condition;
  /** Condition under which everybody reads a request of one of these kinds. */
  readonly open: { readonly kinds: readonly string[]; readonly where: Condition } | undefined;
}
/** Sources of views that grow with the table: each is read in the order of the page. Undefined for views of few rows, or of all of them. */
const sourcesOf = (
  requests: RequestRegistry,
  { view, team, app }: RequestQuery,
  keys: readonly string[],
  caller: Caller,
): Sources | undefined => {
  if (view === 'decide') return undefined;
  if (team === undefined && app === undefined) {
    if (view !== 'all' || caller.isAdministrator) return undefined;
    const kinds = requests.kinds.filter(({ openTo }) => openTo).map(({ kind }) => kind);
    const holders = [...keys, ...[...caller.memberOf].map((id) => `team:${id}`)];
    return { holders, role: sql`true`, open: { kinds, where: requests.openTo(caller) } };
  }
  const role = view === 'mine' ? sql`held.is_asker` : view === 'decided' ? sql`held.is_decider and request.status <> 'PENDING'` : sql`true`;
  return { holders: [app === undefined ? `team:${team ?? ''}` : `app:${app}`], role, open: undefined };
};
/** Numbers of the newest matches, in no order and without repeats. Reads at most `most` matches of each source. */
const newest = ({ holders, role, open }: Sources, where: Condition, most: number): Condition => {
  const held = sql`select found.number from unnest(${[...holders]}::text[]) as own (holder) cross join lateral (
    select held.number from request_holder held join request on request.number = held.number
    where held.holder = own.holder and ${role} and ${where} order by held.number desc limit ${sql.lit(most)}) as found`;
  if (!open || open.kinds.length === 0) return sql`select distinct number from (${held}) as every`;
  return sql`${held} union select found.number from unnest(${[...open.kinds]}::text[]) as known (kind) cross join lateral (
    select request.number from request where request.kind = known.kind and ${open.where} and ${where}
    order by request.number desc limit ${sql.lit(most)}) as found`;
};

/** Id of the newest request. Null before the first one. */
const newestId = async (db: Db): Promise<string | null> => {
  const { rows } = await sql<{ number: number }>`select number from request order by number desc limit 1`.execute(db);
  return rows[0] ? idOf(rows[0]) : null;
};

export const requestPage = async (
  requests: RequestRegistry,
  db: Db,
  asked: RequestQuery,
  caller: Caller,
): Promise<Page<Request> & { upTo: string | null }> => {
  if (asked.upTo !== undefined && numberOf(asked.upTo) === undefined) throw new Problem('InvalidValue', { field: 'upTo' });
  const upTo = asked.upTo ?? (await newestId(db));
  const query = { ...asked, ...(upTo !== null && { upTo }) };
  const inbox = await inboxOf(requests, db, query, caller);
  const isPendingView = query.view === 'decide' || (listOf(query.status).length === 1 && listOf(query.status)[0] === 'PENDING');
  const known = sql.join(filters(requests, query), sql` and `);
  const sources = isPendingView ? undefined : sourcesOf(requests, query, await requests.keysOf(db, caller), caller);
  const where = sources
    ? sql`request.number = any(array(${newest(sources, known, (query.page + 1) * query.size)}))
        and ${sql.join(viewOf(requests, query.view, inbox, caller), sql` and `)}`
    : sql.join([known, ...viewOf(requests, query.view, inbox, caller)], sql` and `);
  const total = await countTotal(db, sources ? newest(sources, known, countedAtMost + 1) : sql`select 1 from request where ${where}`);
  const order = isPendingView
    ? sql`request.assigned_to @> ${[caller.id]}::text[] desc, request.due_on, request.number`
    : sql`request.number desc`;
  const { rows } =
    await sql<SeenRow>`select ${seenColumns({ keys: inbox.own, open: requests.openTo(caller), caller })} from request where ${where}
    order by ${order} limit ${query.size} offset ${query.page * query.size}`.execute(db);
  const content = rows.map((row) => requestOf(requests.kindOf(row), row, caller));
  return { ...pageOf(content, total, query), upTo };
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
