/** Lists of entries of one kind. */
import { sql, type RawBuilder } from 'kysely';
import type { EntryKind, Records } from '@slipway/contract/catalog/entry.ts';
import { prepared, type Db } from '#db/database.ts';
import { fewMatches } from '#kernel/text-search.ts';
import { viewOf } from '../entries/entry-kinds.ts';
import type { Viewer } from '../entries/entry-rights.ts';
import { isVisible } from '../entries/entry-row.ts';
import { cellsOf, totalOfCells } from './cells.ts';
import { keptCells } from './kept-counts.ts';
import { entryRecords, type RecordsQuery } from './records.ts';

type Condition = RawBuilder<boolean>;

/** Matches entries whose name contains the text. Case and accents are ignored. `isFew`: the matches were found already. */
const nameContains = async (db: Db, text: string): Promise<{ condition: Condition; isFew: boolean }> => {
  const { rows } = await sql<{ norm: string }>`select catalog_norm(${text}) as norm`.execute(db);
  const norm = rows[0]?.norm ?? text;
  const few = await fewMatches(db, { table: 'catalog_entry', key: 'id', text: sql<string>`catalog_entry.norm` }, norm);
  // Many matches are soon found in the order of the list, whose index holds the name.
  const condition = few ? sql<boolean>`entry.id = any(${few}::text[])` : sql<boolean>`position(${norm} in entry.norm) > 0`;
  return { condition, isFew: few !== undefined };
};

export interface ListFilter {
  readonly name?: string | undefined;
  /** True for active entries, false for all others. */
  readonly active?: boolean | undefined;
  /** Id of an owner. */
  readonly oid?: string | undefined;
  readonly id?: string | undefined;
  readonly under?: { readonly column: 'platform_id' | 'portfolio_id' | 'product_id'; readonly id: string };
}

export const listEntries = async (db: Db, viewer: Viewer, kind: EntryKind, query: RecordsQuery & ListFilter): Promise<Records<object>> => {
  const { name, active, oid, id, under } = query;
  const named = name ? await nameContains(db, name) : undefined;
  const filters: Condition[] = [
    ...(named ? [named.condition] : []),
    ...(active === undefined ? [] : [active ? sql<boolean>`entry.status = 'ACTIVE'` : sql<boolean>`entry.status <> 'ACTIVE'`]),
    ...(oid === undefined ? [] : [sql<boolean>`entry.owners @> ${[oid]}::text[]`]),
    ...(id === undefined ? [] : [sql<boolean>`entry.id in (${id}, ${id.toUpperCase()})`]),
    ...(under === undefined ? [] : [sql<boolean>`${sql.ref(`entry.${under.column}`)} = ${under.id}`]),
  ];
  const total = filters.length === 0 ? totalOfCells(await cellsOf(db, viewer), { kind: [kind] }) : undefined;
  const conditions = [sql<boolean>`entry.kind = ${kind}`, isVisible(viewer), ...filters];
  const isRead = oid !== undefined || named?.isFew === true;
  return entryRecords(db, conditions, query, (row) => viewOf(row, viewer), { total, isRead });
};

/** Counts beside the list of applications. */
export const catalogInfo = async (db: Db, days: number) => {
  const cells = await keptCells(db);
  const infoOf = (kind: EntryKind) => {
    const [active = 0, inactive = 0] = ['ACTIVE', 'DECOMMISSIONED'].map((status) =>
      totalOfCells(cells, { kind: [kind], status: [status] }),
    );
    return { active, inactive, total: active + inactive };
  };
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from catalog_event
    where type = 'ONBOARDED' and at > now() - make_interval(days => ${days})
      and exists (select from catalog_entry where id = entry_id and kind = 'application') ${prepared}`.execute(db);
  return {
    applicationInfo: infoOf('application'),
    platformInfo: infoOf('platform'),
    portfolioInfo: infoOf('portfolio'),
    appOnboardedCount: rows[0]?.n ?? 0,
    days,
  };
};
