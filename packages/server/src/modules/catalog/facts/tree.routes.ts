/** The catalog as a tree. Each node counts the applications below it by one index. */
import { sql, type RawBuilder } from 'kysely';
import type { EntryKind, EntryStatus } from '@slipway/contract/catalog/entry.ts';
import { catalogTreeView, treePageSize, type CatalogTree, type CatalogTreeNode } from '@slipway/contract/catalog/tree.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { missing } from '../entries/entry-row.ts';
import { peopleById } from '../directory/people.ts';

interface Row extends Omit<CatalogTreeNode, 'owners'> {
  readonly owners: string[];
  readonly status: EntryStatus;
}
type Parent = Exclude<EntryKind, 'application'>;
type Condition = RawBuilder<boolean>;

const mostCounted = 10_000;
const shown = sql<boolean>`entry.status in ('ACTIVE', 'PENDING')`;
const isTroubled = (entry: string): Condition => {
  const of = (column: string) => sql.ref(`${entry}.${column}`);
  return sql<boolean>`(${withoutOwner(entry)} or not ${of('is_verified')} or ${of('target_date')} <= current_date)`;
};
/** Cheap for entries with two active owners, which the trigger has counted. */
const withoutOwner = (entry: string): Condition => {
  const of = (column: string) => sql.ref(`${entry}.${column}`);
  return sql<boolean>`('owners' = any(${of('failing')}) and cardinality(catalog_active(${of('owners')})) = 0)`;
};

/** Nodes of the kinds below a parent. An application has no lateral part. */
const nodesOf = (kind: EntryKind): RawBuilder<unknown> => {
  const own = sql`entry.kind, entry.id, entry.name, entry.status, entry.owners, entry.criticality, entry.is_verified as verified,
    entry.target_date::text as "targetDecommissioningDate"`;
  if (kind === 'application')
    return sql`select ${own}, false as "hasChildren", null::jsonb as below from catalog_entry entry where entry.kind = 'application'`;
  const column = sql.ref(`app.${kind}_id`);
  const child = sql.ref(`child.${kind}_id`);
  return sql`select ${own}, exists (select from catalog_entry child where ${child} = entry.id and child.id <> entry.id
      and child.status in ('ACTIVE', 'PENDING')) as "hasChildren", counted.below
    from catalog_entry entry cross join lateral (select jsonb_build_object(
      'applications', count(*),
      'mostCritical', count(*) filter (where app.criticality =
        (select id from catalog_option where list = 'criticalityCategories' order by position limit 1)),
      'verified', count(*) filter (where app.is_verified),
      'withoutOwner', count(*) filter (where ${withoutOwner('app')}),
      'datePassed', count(*) filter (where app.target_date <= current_date)) as below
      from catalog_entry app where ${column} = entry.id and app.kind = 'application' and app.status = 'ACTIVE') counted
    where entry.kind = ${sql.lit(kind)}`;
};

/** The kinds of the children with the condition of each. */
const childrenOf = (parent: { kind: Parent; id: string } | undefined): readonly (readonly [EntryKind, Condition])[] => {
  if (!parent) return [['portfolio', sql<boolean>`true`]];
  const { kind, id } = parent;
  if (kind === 'portfolio') return [['platform', sql<boolean>`entry.portfolio_id = ${id}`]];
  if (kind === 'product') return [['application', sql<boolean>`entry.product_id = ${id}`]];
  return [
    ['product', sql<boolean>`entry.platform_id = ${id}`],
    ['application', sql<boolean>`entry.platform_id = ${id} and entry.product_id is null`],
  ];
};
/** Keeps entries with a problem, and those with such an application below. */
const troubled = (kind: EntryKind): Condition => {
  if (kind === 'application') return isTroubled('entry');
  const column = sql.ref(`app.${kind}_id`);
  return sql<boolean>`(${withoutOwner('entry')} or exists (select from catalog_entry app where ${column} = entry.id
    and app.kind = 'application' and app.status = 'ACTIVE' and ${isTroubled('app')}))`;
};

const viewsOf = async (db: Db, rows: readonly Row[]): Promise<CatalogTreeNode[]> => {
  const people = await peopleById(db, [...new Set(rows.flatMap(({ owners }) => owners))]);
  return rows.map(({ owners, ...node }) => ({ ...node, owners: owners.flatMap((id) => people.get(id) ?? []) }));
};

const parentOf = async (db: Db, id: string): Promise<Row> => {
  const { rows } = await sql<{ id: string; kind: EntryKind }>`select id, kind from catalog_entry entry
    where id in (${id}, ${id.toUpperCase()}) and kind <> 'application' and status <> 'REJECTED' limit 1`.execute(db);
  const [found] = rows;
  if (!found) throw missing('entry');
  const nodes = await sql<Row>`${nodesOf(found.kind)} and entry.id = ${found.id}`.execute(db);
  const [row] = nodes.rows;
  if (!row) throw missing('entry');
  return row;
};

/** Place of a node in the order of its siblings, by its id. */
const placeOf = async (db: Db, id: string): Promise<readonly [rank: number, norm: string, id: string]> => {
  const { rows } = await sql<{ kind: EntryKind; norm: string }>`select kind, norm from catalog_entry where id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Problem('InvalidValue', { field: 'after' });
  return [row.kind === 'application' ? 1 : 0, row.norm, id];
};

export const treeOf = async (
  db: Db,
  { parent: id, after, problems }: { parent?: string | undefined; after?: string | undefined; problems: boolean },
): Promise<CatalogTree> => {
  const parent = id === undefined ? undefined : await parentOf(db, id);
  const start = after === undefined ? undefined : await placeOf(db, after);
  const of = childrenOf(parent && { kind: parent.kind as Parent, id: parent.id });
  const conditions = of.map(([kind, isChild]) => {
    const rank = kind === 'application' ? 1 : 0;
    const follows = start
      ? sql<boolean>`(${sql.lit(rank)}, entry.norm, entry.id) > (${start[0]}::integer, ${start[1]}, ${start[2]})`
      : sql<boolean>`true`;
    return [kind, sql`${isChild} and ${shown} and ${follows} and ${problems ? troubled(kind) : sql<boolean>`true`}`] as const;
  });
  const rows: Row[] = [];
  for (const [kind, where] of conditions) {
    const left = treePageSize - rows.length;
    if (left <= 0) break;
    const { rows: found } = await sql<Row>`${nodesOf(kind)} and ${where} order by entry.norm, entry.id limit ${left}`.execute(db);
    rows.push(...found);
  }
  const last = rows.at(-1);
  let all = 0;
  for (const [kind, where] of rows.length < treePageSize ? [] : conditions) {
    const counted = await sql<{ n: number }>`select count(*)::integer as n from (select from catalog_entry entry
      where entry.kind = ${kind} and ${where} limit ${mostCounted}) as counted`.execute(db);
    all += counted.rows[0]?.n ?? 0;
  }
  const more = Math.max(0, Math.min(mostCounted, all - rows.length));
  const [parentNode = null] = parent ? await viewsOf(db, [parent]) : [];
  return {
    parent: parentNode,
    nodes: await viewsOf(db, rows),
    next: more > 0 && last ? last.id : null,
    more,
  };
};

export const treeRoutes = (db: Db): Handler[] => [handle(catalogTreeView, ({ query }) => treeOf(db, query))];
