/** Names instead of ids in the differences of a request: people, entries, and options of lists. */
import { sql } from 'kysely';
import type { RequestDifference } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';

/** Fields whose values are text that a person wrote. */
const plain = /name$|description|date$|code$|comments?$/i;
const separator = ', ';

export const namedDifferences = async (db: Db, differences: readonly RequestDifference[]): Promise<RequestDifference[]> => {
  const idsIn = ({ field, before, after }: RequestDifference): string[] =>
    plain.test(field) ? [] : [before, after].flatMap((value) => value?.split(separator) ?? []);
  const ids = [...new Set(differences.flatMap(idsIn))];
  if (ids.length === 0) return [...differences];
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from catalog_option where id = any(${ids}::text[])
    union all select id, name from catalog_entry where id = any(${ids}::text[])
    union all select id, display_name from identity where id = any(${ids}::text[])`.execute(db);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const named = (value: string | null): string | null =>
    value === null
      ? null
      : value
          .split(separator)
          .map((id) => names.get(id) ?? id)
          .join(separator);
  return differences.map((one) => (plain.test(one.field) ? one : { ...one, before: named(one.before), after: named(one.after) }));
};
