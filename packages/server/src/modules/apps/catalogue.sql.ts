/** The small catalogue: finds entries by name or macId, best match first. */
import { sql } from 'kysely';
import type { CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import type { Db } from '#db/database.ts';
import { likeOf } from '#kernel/page.ts';

/** Scores: exact 1, prefix 0.8, substring 0.6, description 0.3. */
export const catalogueEntries = async (db: Db, term: string): Promise<{ fullMatched: boolean; contents: CatalogMatch[] }> => {
  const text = term.trim();
  const { rows } = await sql<CatalogMatch>`
    select * from (
      select entry.id, entry.name, entry.description, entry.status, entry.platform_name as "platformName", app.id as app,
        case when ${text} = '' then 0.1
          when lower(entry.name) = lower(${text}) or lower(entry.id) = lower(${text}) then 1
          when entry.name ilike ${likeOf(text).slice(1)} or entry.id ilike ${likeOf(text).slice(1)} then 0.8
          when entry.name ilike ${likeOf(text)} or entry.id ilike ${likeOf(text)} then 0.6
          when entry.description ilike ${likeOf(text)} then 0.3 else 0 end::float8 as score
      from catalogue_entry entry left join app on app.mac_id = entry.id) found
    where score > 0 order by score desc, name limit 25`.execute(db);
  return { fullMatched: rows[0]?.score === 1, contents: rows };
};
