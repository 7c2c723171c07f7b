/** Requests in the catalog's form, and the caller's inbox. */
import { sql, type RawBuilder } from 'kysely';
import type { CatalogPerson, Records } from '@slipway/contract/catalog/entry.ts';
import { CatalogRequest, CatalogRequestType, requestTypes, type requestViews } from '@slipway/contract/catalog/request.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { Db } from '#db/database.ts';
import { cursorOf, keysetOf, readAfter, type SortKey } from '#kernel/keyset.ts';
import type { Total } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { commentsOf, isForeign, keysSql, readable, requestOf, seenColumns, type SeenRow } from '#modules/requests/index.ts';
import { peopleById } from '../directory/people.ts';
import type { CatalogDeps } from '../entries/entry-change.ts';
import { viewOf } from '../entries/entry-kinds.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { viewerOf, type EntryRow } from '../entries/entry-row.ts';
import { countedAtMost, recordsOf, rowsById, totalOf } from '../search/records.ts';
import { specOfRequest } from './request-kinds.ts';
import { kindOfType, typeOfKind } from './raise.ts';

type Condition = RawBuilder<boolean>;
type Caller = Viewer['caller'];
const kinds = requestTypes.map(kindOfType);

/** The person as the request names them, with the directory's data if they are still there. */
const personOf = (people: ReadonlyMap<string, CatalogPerson>, id: string, displayName: string): CatalogPerson =>
  people.get(id) ?? { id, displayName, email: null, active: false };

/** The entry as it would be: its view, with the fields of the payload. */
const wouldBe = (entry: EntryRow | undefined, payload: unknown, viewer: Viewer): Record<string, unknown> | null =>
  entry ? { ...viewOf(entry, viewer), ...(isRecord(payload) ? payload : {}) } : null;

const viewsOf = async ({ db, requests }: CatalogDeps, viewer: Viewer, rows: readonly SeenRow[]): Promise<CatalogRequest[]> => {
  const { caller } = viewer;
  const entries = new Map((await rowsById(db, [...new Set(rows.map((row) => row.subject_id))])).map((row) => [row.id, row]));
  const views: CatalogRequest[] = [];
  for (const row of rows) {
    const comments = await commentsOf(db, row.number);
    const { can, ...request } = requestOf(requests.kindOf(row), row, caller, comments);
    const people = await peopleById(db, [row.requested_by, row.actioned_by, ...row.assigned_to, ...comments.map(({ by }) => by.id)]);
    const entry = entries.get(row.subject_id);
    const { kind } = specOfRequest(row);
    views.push({
      requestId: request.id,
      entityId: row.subject_id,
      entity: kind.toUpperCase() as CatalogRequest['entity'],
      entityName: entry?.name ?? row.title,
      reqType: CatalogRequestType.parse(typeOfKind(row.kind)),
      status: row.status,
      requestedBy: personOf(people, row.requested_by, row.requested_by_name),
      requestedDate: request.requestedAt,
      requestComment: row.comment,
      assignedTo: request.assignedTo.map(({ id, displayName }) => personOf(people, id, displayName)),
      actionedDate: request.actionedAt,
      actionedBy: row.actioned_by === null ? null : personOf(people, row.actioned_by, row.actioned_by_name ?? ''),
      actionComment: row.action_comment,
      applicationMetaResponse: kind === 'application' ? wouldBe(entry, row.payload, viewer) : null,
      payload: isRecord(row.payload) ? row.payload : {},
      base: isRecord(row.base) ? row.base : {},
      revision: row.revision,
      void: row.is_void,
      voidReason: row.void_reason,
      dueDate: row.due_on,
      comments: comments.map(({ by, at, text }) => ({ by: personOf(people, by.id, by.displayName), at, text })),
      can: Object.fromEntries(
        Object.entries(can).map(([verb, verdict]) => [verb, verdict === 'NotADecider' ? 'NotCatalogueApprover' : verdict]),
      ),
    });
  }
  return views;
};

const rowsWhere = async (
  { db, requests }: CatalogDeps,
  caller: Caller,
  conditions: readonly Condition[],
  rest: RawBuilder<unknown>,
): Promise<SeenRow[]> => {
  const keys = keysSql(await requests.keysOf(db, caller), []);
  const seen = seenColumns({ keys, open: requests.openTo(caller), caller });
  const { rows } = await sql<SeenRow>`select ${seen} from request where ${sql.join(conditions, sql` and `)} ${rest}`.execute(db);
  return rows;
};
const ofCatalog = sql<boolean>`request.kind = any(${kinds}::text[])`;

/** Throws RequestDoesNotExist, also for requests of other areas, and of other entries if `entry` is given. */
export const requestView = async (deps: CatalogDeps, caller: Caller, id: string, entry?: string): Promise<CatalogRequest> => {
  const row = await deps.requests.find(deps.db, id, caller);
  if (!kinds.includes(row.kind) || (entry !== undefined && row.subject_id !== entry)) throw new Problem('RequestDoesNotExist');
  const [view] = await viewsOf(deps, await viewerOf(deps.db, caller), [row]);
  if (!view) throw new Problem('RequestDoesNotExist');
  return view;
};

/** The oldest pending request of a type for an entry, or null. */
export const pendingView = async (deps: CatalogDeps, viewer: Viewer, entry: string, type: CatalogRequestType | undefined) => {
  const conditions = [
    sql<boolean>`request.subject_id = ${entry}`,
    sql<boolean>`request.status = 'PENDING'`,
    type === undefined ? ofCatalog : sql<boolean>`request.kind = ${kindOfType(type)}`,
  ];
  const rows = await rowsWhere(deps, viewer.caller, conditions, sql`order by number limit 1`);
  return (await viewsOf(deps, viewer, rows))[0] ?? null;
};

interface Page {
  readonly page: number;
  readonly size: number;
  readonly after?: string | undefined;
}
/** Order of a list: its keys, and their values of a row. */
interface Order {
  readonly keys: readonly SortKey[];
  readonly valuesOf: (row: SeenRow) => string[];
  readonly isDescending: boolean;
}
const number = { sql: sql`request.number`, type: 'bigint' };
const newestFirst: Order = { keys: [number], valuesOf: (row) => [String(row.number)], isDescending: true };
/** Requests that the caller is assigned to come first, then by due date. */
const dueFirst = ({ id }: Caller): Order => ({
  keys: [{ sql: sql`(not request.assigned_to @> ${[id]}::text[])`, type: 'boolean' }, { sql: sql`request.due_on`, type: 'date' }, number],
  valuesOf: (row) => [String(!row.assigned_to.includes(id)), row.due_on, String(row.number)],
  isDescending: false,
});
const records = async (
  deps: CatalogDeps,
  viewer: Viewer,
  conditions: readonly Condition[],
  { page, size, after }: Page,
  { keys, valuesOf, isDescending }: Order,
): Promise<Records<CatalogRequest>> => {
  const { from, by } = keysetOf(keys, isDescending, after);
  const offset = after === undefined ? page * size : 0;
  const [total, rows] = await Promise.all([
    countRequests(deps.db, conditions),
    readAfter(after, rowsWhere(deps, viewer.caller, [...conditions, ...from], sql`order by ${by} limit ${size + 1} offset ${offset}`)),
  ]);
  const shown = rows.slice(0, size);
  const last = rows.length > size ? shown.at(-1) : undefined;
  return recordsOf(await viewsOf(deps, viewer, shown), total, { page, size, next: last ? cursorOf(valuesOf(last)) : null });
};
const countRequests = async (db: Db, conditions: readonly Condition[]): Promise<Total> => {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::integer as n from (select 1 from request where ${sql.join(conditions, sql` and `)}
    limit ${countedAtMost + 1}) as counted`.execute(db);
  return totalOf(rows[0]?.n ?? 0);
};

export const requestsOfEntry = (deps: CatalogDeps, viewer: Viewer, entry: string, page: Page): Promise<Records<CatalogRequest>> =>
  records(deps, viewer, [ofCatalog, sql<boolean>`request.subject_id = ${entry}`], page, newestFirst);

interface Inbox {
  readonly statuses: readonly string[];
  readonly view: (typeof requestViews)[number] | undefined;
}
/** Requests that the caller raised, may decide, or decided. */
const inboxOf = async ({ db, requests }: CatalogDeps, caller: Caller, { statuses, view }: Inbox): Promise<Condition[]> => {
  const keys = await requests.keysOf(db, caller);
  const views = {
    mine: sql<boolean>`request.requested_by = ${caller.id}`,
    decide: sql<boolean>`(request.status = 'PENDING' and request.deciders && ${keys}::text[] and ${isForeign(caller.id, [])})`,
    decided: sql<boolean>`(request.status <> 'PENDING' and request.actioned_by = ${caller.id})`,
  };
  return [
    ofCatalog,
    readable(sql`${keys}::text[]`, requests.openTo(caller), caller),
    ...(statuses.length === 0 ? [] : [sql<boolean>`request.status = any(${[...statuses]}::text[])`]),
    view === undefined ? sql<boolean>`(${sql.join(Object.values(views), sql` or `)})` : views[view],
  ];
};
export const inbox = async (deps: CatalogDeps, caller: Caller, asked: Inbox & Page): Promise<Records<CatalogRequest>> => {
  const isPending = asked.view === 'decide' || asked.statuses.join(',') === 'PENDING';
  const conditions = await inboxOf(deps, caller, asked);
  return records(deps, await viewerOf(deps.db, caller), conditions, asked, isPending ? dueFirst(caller) : newestFirst);
};
export const inboxCount = async (deps: CatalogDeps, caller: Caller, asked: Inbox): Promise<number> =>
  (await countRequests(deps.db, await inboxOf(deps, caller, asked))).total;
