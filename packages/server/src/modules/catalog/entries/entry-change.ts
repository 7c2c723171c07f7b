/** Writes an entry's row with what follows: void requests, the activity entry, and hints. */
import { sql, type Transaction } from 'kysely';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { labelOf } from '@slipway/contract/kernel/issues.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import { errorCode } from '#kernel/caught.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { RequestRow, Requests } from '#modules/requests/index.ts';
import { notifyOwners } from '../facts/entry-notices.ts';
import { same, toColumns, type Values } from './entry-fields.ts';
import { namesOf, specOf, type Column, type KindSpec } from './entry-kinds.ts';
import type { EntryRow } from './entry-row.ts';

export type Trx = Transaction<DB>;
export interface CatalogDeps {
  readonly db: Db;
  readonly requests: Requests;
}
/** Columns that only the module sets. */
export interface OwnColumns {
  readonly status?: EntryRow['status'];
  readonly product_id?: null;
  readonly rejected_comments?: string | null;
  readonly decommissioned_on?: string | null;
  readonly decommission_due?: string | null;
  readonly activated_at?: Date;
  readonly attested_at?: Date;
  readonly attested_by?: string;
}
export const systemActor = { id: 'system', displayName: 'Slipway' } as const;

export const entrySubject = (spec: KindSpec, id: string): Subject => subjectOf(spec.subject, namesOf(spec, id));

/** Names of unique indexes with the column that they are about. */
const uniqueColumns: Readonly<Record<string, Column>> = {
  catalog_application_name: 'name',
  catalog_platform_name: 'name',
  catalog_portfolio_name: 'name',
  catalog_portfolio_code: 'code',
  catalog_product_code: 'code',
};
/** Turns the violation of a unique index into the kind's problem. */
export const taken =
  (spec: KindSpec, values: Values) =>
  (error: unknown): never => {
    const column = isRecord(error) ? uniqueColumns[String(error['constraint'])] : undefined;
    if (errorCode(error) !== '23505' || column === undefined) throw error;
    const field = Object.entries(spec.fields).find(([, of]) => of === column)?.[0];
    const value = values[column];
    const context = { value: typeof value === 'string' ? value : '' };
    throw new Problem(spec.taken, { ...(field && { field }), context, cause: error, also: spec.alsoTaken });
  };

/** Why a write on the entry overtakes a pending request: the causes of void requests that the entry itself shows. */
const overtaken = (spec: KindSpec, row: EntryRow, request: RequestRow): string | undefined => {
  if (row.status === 'REJECTED' || row.status === 'DECOMMISSIONED') return `The entry is ${row.status.toLowerCase()}`;
  if (!isRecord(request.base) || !isRecord(request.payload)) return undefined;
  for (const [field, value] of Object.entries(request.base)) {
    const column = spec.fields[field];
    if (column && !same(value, row[column])) return `${labelOf(field)} has changed since the request was raised`;
  }
  const wanted = Object.entries(toColumns(spec, request.payload));
  const isTrue = row.status === 'ACTIVE' && wanted.length > 0 && wanted.every(([column, value]) => same(value, row[column as Column]));
  return isTrue ? 'What it asks for is true already' : undefined;
};

const plainRow = async (trx: Db, id: string): Promise<EntryRow> => {
  const { rows } = await sql<EntryRow>`select * from catalog_entry where id = ${id}`.execute(trx);
  if (!rows[0]) throw new Error(`The entry ${id} is gone`);
  return rows[0];
};

/** Voids requests for other entries that ask for this one, which is no longer active: as their platform or portfolio. */
const voidReferences = async (trx: Trx, { requests }: CatalogDeps, id: string): Promise<void> => {
  const { rows } = await sql<{ kind: string; id: string }>`select distinct subject_kind as kind, subject_id as id from request
    where status = 'PENDING' and subject_kind like 'catalog%' and subject_id <> ${id} and ${id} in (payload ->> 'platformId', payload ->> 'portfolioId')`.execute(
    trx,
  );
  for (const subject of rows)
    await requests.void(trx, { subjectKind: subject.kind, subjectIds: [subject.id] }, ({ payload }) =>
      isRecord(payload) && (payload['platformId'] === id || payload['portfolioId'] === id) ? `${id} is no longer active` : undefined,
    );
};

/** Voids what the entry's new state overtakes. Call it after each write of the row, in its transaction. */
export const voidOvertaken = async (trx: Trx, deps: CatalogDeps, id: string): Promise<void> => {
  const row = await plainRow(trx, id);
  const spec = specOf(row.kind);
  await deps.requests.void(trx, { subjectKind: spec.subject.kind, subjectIds: [id] }, (request) => overtaken(spec, row, request));
  if (row.status === 'REJECTED' || row.status === 'DECOMMISSIONED') await voidReferences(trx, deps, id);
};

/** Writes columns of a locked row, and voids the requests that the write overtakes. */
export const changeEntry = async (
  trx: Trx,
  deps: CatalogDeps,
  { id, kind }: Pick<EntryRow, 'id' | 'kind'>,
  values: Values & OwnColumns,
  by: string,
): Promise<void> => {
  const spec = specOf(kind);
  const former = values.owners === undefined ? undefined : await plainRow(trx, id);
  const changes = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  await sql`update catalog_entry set ${sql.join([...changes, sql`version = version + 1`, sql`modified_at = now()`, sql`modified_by = ${by}`])}
    where id = ${id}`
    .execute(trx)
    .catch(taken(spec, values));
  if (former) await notifyOwners(trx, former, { before: former.owners, after: values.owners as string[], by });
  await voidOvertaken(trx, deps, id);
};

interface Written {
  readonly reason: string;
  readonly message: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
/** Records a write of a caller on an entry, and tells browsers. */
export const recordEntry = async (
  trx: Trx,
  caller: Caller,
  { id, kind }: Pick<EntryRow, 'id' | 'kind'>,
  route: Pick<RouteShape, 'id'>,
  written: Written,
): Promise<void> => {
  const spec = specOf(kind);
  await recordWrite(trx, caller, { type: route.id, subject: entrySubject(spec, id), ...written });
  await hintEntry(trx, spec, id);
};
export const hintEntry = (trx: Db, spec: KindSpec, id: string): Promise<void> =>
  notifyChange(trx, { ...namesOf(spec, id), kind: spec.subject.kind });

/** Notes what monthly summaries count. */
export const noteEvent = async (
  trx: Db,
  { id, platform_id: platform }: Pick<EntryRow, 'id' | 'platform_id'>,
  type: 'ONBOARDED' | 'REJECTED' | 'DECOMMISSIONED' | 'PUT_BACK' | 'MOVED',
  { from = null, request = null }: { readonly from?: string | null; readonly request?: string | null } = {},
): Promise<void> => {
  await trx.insertInto('catalog_event').values({ entry_id: id, type, platform_id: platform, from_platform_id: from, request }).execute();
};
