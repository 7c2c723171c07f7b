/** Rows of entries with everything that a view shows, and the parts of a view that all kinds share. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { CatalogPerson, EntryKind } from '@slipway/contract/catalog/entry.ts';
import { prepared, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { canOf, type Viewer } from './entry-rights.ts';

/** Columns of the table without the search document. */
const stored =
  `id kind name norm description status owners ea_contacts type code platform_id portfolio_id product_id criticality classification
  mip_layer intent target_date decommissioned_on decommission_due production_deployed exploration_app locally_managed source labels
  rejected_comments seen_running_at attested_at attested_by activated_at open_issues is_valid is_verified failing version
  external_id created_at created_by modified_at modified_by`.split(/\s+/);
interface Ref {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly status: EntryRow['status'];
}
export interface EntryRow extends Omit<Selectable<DB['catalog_entry']>, 'document'> {
  /** Ids of those who act as owners now: of the entry, and of its platform or portfolio. */
  readonly hands: string[];
  readonly parent_hands: string[];
  readonly people: CatalogPerson[] | null;
  readonly platform: Ref | null;
  readonly portfolio: Ref | null;
  readonly product: Ref | null;
  readonly children: Ref[] | null;
  readonly child_count: number;
  readonly label_list: { id: string; name: string; description: string; properties: Record<string, string> }[] | null;
  /** Names of its options by list. */
  readonly options: Record<string, string> | null;
  readonly app: { id: string; displayName: string } | null;
}

const refTo = (parent: string): RawBuilder<unknown> => {
  const of = (column: string) => sql.ref(`${parent}.${column}`);
  return sql`case when ${of('id')} is not null
    then jsonb_build_object('id', ${of('id')}, 'name', ${of('name')}, 'type', ${of('type')}, 'status', ${of('status')}) end`;
};
/** Owners of an entry who are active in the directory. As `catalog_active`, whose call would cost more than the lookup. */
const activeOf = (entry: string): RawBuilder<unknown> =>
  sql`(select array_agg(id order by id) from identity where id = any(${sql.ref(`${entry}.owners`)}) and left_at is null)`;
const children = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'type', code, 'status', status) order by norm, id)
    from (select id, name, norm, code, status from catalog_entry child where ${condition} and child.status <> 'REJECTED'
      order by norm, id limit ${sql.lit(CHILDREN)}) as first_ones)`;
const CHILDREN = 100;

/** Needs `entryTables`. */
export const entryColumns = sql`${sql.join(stored.map((name) => sql.ref(`entry.${name}`)))},
  coalesce(${activeOf('entry')}, ${activeOf('platform')}, ${activeOf('portfolio')}, '{}') as hands,
  case when platform.id is not null then coalesce(${activeOf('platform')}, ${activeOf('portfolio')}, '{}')
    when portfolio.id is not null then coalesce(${activeOf('portfolio')}, '{}') end as parent_hands,
  (select jsonb_agg(jsonb_build_object('id', id, 'displayName', display_name, 'email', email, 'active', left_at is null)) from identity
    where id = any(entry.owners || entry.ea_contacts || array[entry.created_by, entry.modified_by, entry.attested_by])) as people,
  ${refTo('platform')} as platform, ${refTo('portfolio')} as portfolio, ${refTo('product')} as product,
  case entry.kind when 'platform' then ${children(sql`child.platform_id = entry.id and child.kind = 'product'`)}
    when 'portfolio' then ${children(sql`child.portfolio_id = entry.id and child.kind = 'platform'`)}
    when 'product' then ${children(sql`child.product_id = entry.id and child.kind = 'application'`)} end as children,
  case when entry.kind = 'platform' then (select count(*)::integer from catalog_entry child
    where child.platform_id = entry.id and child.kind = 'application' and child.status = 'ACTIVE') else 0 end as child_count,
  (select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'description', description, 'properties', properties) order by name)
    from catalog_label where id = any(entry.labels)) as label_list,
  case when entry.kind = 'application' then (select jsonb_object_agg(list, name) from catalog_option where (list, id) in (
    ('criticalityCategories', entry.criticality), ('informationClassifications', entry.classification),
    ('mipLayers', entry.mip_layer), ('strategicIntents', entry.intent))) end as options,
  case when entry.kind = 'application' then
    (select jsonb_build_object('id', id, 'displayName', display_name) from app where mac_id = entry.id) end as app`;
/** Tables of `entryColumns`. */
export const entryTables = sql`catalog_entry entry left join catalog_entry platform on platform.id = entry.platform_id
  left join catalog_entry portfolio on portfolio.id = entry.portfolio_id left join catalog_entry product on product.id = entry.product_id`;

type VisibleTo = Pick<Viewer, 'isApprover' | 'rejected'> & { readonly caller: Pick<Caller, 'id'> };
/** Rejected entries exist only for those who asked, own and decide. */
export const isVisible = ({ caller: { id }, isApprover, rejected }: VisibleTo): RawBuilder<boolean> => {
  if (isApprover) return sql<boolean>`true`;
  // An index with the status and the id is enough for these.
  if (rejected?.length === 0) return sql<boolean>`entry.status <> 'REJECTED'`;
  if (rejected) return sql<boolean>`(entry.status <> 'REJECTED' or entry.id = any(${[...rejected]}::text[]))`;
  return sql<boolean>`(entry.status <> 'REJECTED' or entry.created_by = ${id} or entry.owners @> ${[id]}::text[])`;
};

/** Up to this many rejected entries are looked up with each call. */
const FEW_REJECTED = 1000;
export const viewerOf = async (db: Db, caller: Caller): Promise<Viewer> => {
  const { rows } = await sql<{ is_approver: boolean; rejected: string[] }>`
    select exists (select from identity where id = ${caller.id} and type = 'USER'
        and (is_administrator or exists (select from catalog_approver where identity_id = identity.id))) as is_approver,
      array((select id from catalog_entry where status = 'REJECTED' and created_by = ${caller.id} limit ${sql.lit(FEW_REJECTED + 1)})
        union (select id from catalog_entry where status = 'REJECTED' and owners @> ${[caller.id]}::text[] limit ${sql.lit(FEW_REJECTED + 1)})) as rejected
      ${prepared}`.execute(db);
  const { is_approver: approves = false, rejected = [] } = rows[0] ?? {};
  return { caller, isApprover: approves, ...(rejected.length <= FEW_REJECTED && { rejected }) };
};

/** Approvers are people: service accounts never approve. Administrators are approvers. */
export const isApprover = async (db: Db, { id }: Pick<Caller, 'id'>): Promise<boolean> => {
  const { rows } = await sql`select 1 from identity where id = ${id} and type = 'USER'
    and (is_administrator or exists (select from catalog_approver where identity_id = identity.id))`.execute(db);
  return rows.length > 0;
};

export const missing = (kind: EntryKind | 'entry'): Problem => new Problem('EntryDoesNotExist', { context: { kind } });

/** Returns the entry. Ids are found in any case. Throws EntryDoesNotExist, also for rejected entries of others. */
export const requireEntry = async (db: Db, viewer: Viewer, kind: EntryKind, id: string): Promise<EntryRow> => {
  const { rows } = await sql<EntryRow>`select ${entryColumns} from ${entryTables}
    where entry.id in (${id}, ${id.toUpperCase()}) and entry.kind = ${kind} and ${isVisible(viewer)}
    order by entry.id = ${id} desc limit 1 ${prepared}`.execute(db);
  if (!rows[0]) throw missing(kind);
  return rows[0];
};
/** Locks the row, then returns what `requireEntry` returns. */
export const lockEntry = async (trx: Db, viewer: Viewer, kind: EntryKind, id: string): Promise<EntryRow> => {
  const found = await requireEntry(trx, viewer, kind, id);
  await sql`select 1 from catalog_entry where id = ${found.id} for update`.execute(trx);
  return requireEntry(trx, viewer, kind, found.id);
};

export const personIn = ({ people }: Pick<EntryRow, 'people'>, id: string | null): CatalogPerson | null =>
  id === null ? null : (people?.find((person) => person.id === id) ?? { id, displayName: id, email: null, active: false });
export const peopleIn = (row: Pick<EntryRow, 'people'>, ids: readonly string[]): CatalogPerson[] =>
  ids.flatMap((id) => personIn(row, id) ?? []);
export const instantOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Fields that the views of all kinds have. */
export const sharedView = (row: EntryRow, viewer: Viewer) => {
  const can = canOf(row, viewer);
  return {
    description: row.description,
    owners: peopleIn(row, row.owners),
    labels: row.label_list ?? [],
    status: row.status,
    createdBy: personIn(row, row.created_by),
    createdDate: row.created_at.toISOString(),
    modifiedBy: personIn(row, row.modified_by),
    modifiedDate: row.modified_at.toISOString(),
    canEdit: can['update'] === true,
    can,
    version: row.version,
    rejectedComments: row.rejected_comments,
  };
};
