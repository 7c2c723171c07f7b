/** Found entries: fewer columns than a page of an entry has. */
import { sql, type Selectable } from 'kysely';
import type { CatalogPerson } from '@slipway/contract/catalog/entry.ts';
import type { CatalogFound } from '@slipway/contract/catalog/search.ts';
import { prepared, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { peopleIn, type EntryRow } from '../entries/entry-row.ts';

type Stored = Pick<
  Selectable<DB['catalog_entry']>,
  | 'id'
  | 'kind'
  | 'name'
  | 'description'
  | 'status'
  | 'owners'
  | 'platform_id'
  | 'portfolio_id'
  | 'is_valid'
  | 'is_verified'
  | 'target_date'
  | 'modified_at'
>;
export interface FoundRow extends Stored {
  readonly platform_name: string | null;
  readonly portfolio_name: string | null;
  readonly criticality_name: string | null;
  readonly classification_name: string | null;
  readonly people: CatalogPerson[] | null;
  readonly label_list: EntryRow['label_list'];
  readonly app_id: string | null;
}

/** Returns the entries in the order of the ids. */
export const foundRows = async (db: Db, ids: readonly string[]): Promise<FoundRow[]> => {
  if (ids.length === 0) return [];
  const { rows } = await sql<FoundRow>`
    select entry.id, entry.kind, entry.name, entry.description, entry.status, entry.owners, entry.platform_id, entry.portfolio_id, entry.is_valid,
      entry.is_verified, entry.target_date, entry.modified_at, platform.name as platform_name, portfolio.name as portfolio_name,
      criticality.name as criticality_name, classification.name as classification_name,
      (select jsonb_agg(jsonb_build_object('id', id, 'displayName', display_name, 'email', email, 'active', left_at is null))
        from identity where id = any(entry.owners)) as people,
      (select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'description', description, 'properties', properties) order by name)
        from catalog_label where id = any(entry.labels)) as label_list,
      case when entry.kind = 'application' then (select id from app where mac_id = entry.id) end as app_id
    from unnest(${[...ids]}::text[]) with ordinality as page (id, place) join catalog_entry entry on entry.id = page.id
      left join catalog_entry platform on platform.id = entry.platform_id left join catalog_entry portfolio on portfolio.id = entry.portfolio_id
      left join catalog_option criticality on criticality.list = 'criticalityCategories' and criticality.id = entry.criticality and entry.kind = 'application'
      left join catalog_option classification on classification.list = 'informationClassifications' and classification.id = entry.classification
        and entry.kind = 'application'
    order by page.place ${prepared}`.execute(db);
  return rows;
};

export const foundOf = (row: FoundRow, score: number | null): CatalogFound => ({
  kind: row.kind,
  id: row.id,
  name: row.name,
  description: row.description,
  status: row.status,
  owners: peopleIn(row, row.owners),
  platformId: row.platform_id,
  platformName: row.platform_name,
  portfolioId: row.portfolio_id,
  portfolioName: row.portfolio_name,
  criticality: row.criticality_name,
  classification: row.classification_name,
  validApp: row.is_valid,
  verified: row.is_verified,
  targetDecommissioningDate: row.target_date,
  labels: row.label_list ?? [],
  modifiedDate: row.modified_at.toISOString(),
  score,
});
