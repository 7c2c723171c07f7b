/** People of the catalog: resolving owners, the people search, and approvers. */
import { sql } from 'kysely';
import type { CatalogPerson, PersonRef } from '@slipway/contract/catalog/entry.ts';
import type { Db } from '#db/database.ts';
import { adminIdentityId } from '#kernel/auth/reserved-ids.ts';
import { likeOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';

const textOf = (ref: PersonRef): string => (typeof ref === 'string' ? ref : (ref.id ?? ref.email ?? ''));

/**
 * Returns the ids of people given by id or e-mail address. Throws OwnerNotInDirectory for unknown people, and for people who left unless
 * they are among `known`.
 */
export const resolvePeople = async (
  db: Db,
  refs: readonly PersonRef[],
  { field, known = [] }: { readonly field: string; readonly known?: readonly string[] },
): Promise<string[]> => {
  const asked = [...new Set(refs.map(textOf))];
  const { rows } = await sql<{ id: string; email: string | null; active: boolean }>`
    select id, lower(email) as email, left_at is null as active from identity
    where (id = any(${asked}::text[]) or lower(email) = any(${asked.map((text) => text.toLowerCase())}::text[])) and id <> ${adminIdentityId}`.execute(
    db,
  );
  const ids = asked.map((text) => {
    const person = rows.find(({ id }) => id === text) ?? rows.find(({ email }) => email === text.toLowerCase());
    if (!person || (!person.active && !known.includes(person.id)))
      throw new Problem('OwnerNotInDirectory', { field, context: { value: text } });
    return person.id;
  });
  return [...new Set(ids)];
};

/** Returns the number of these people who are active in the directory. */
export const countActive = async (db: Db, ids: readonly string[]): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select cardinality(catalog_active(${[...ids]}::text[])) as n`.execute(db);
  return rows[0]?.n ?? 0;
};

const person = sql`id, display_name as "displayName", email, left_at is null as active`;
export const peopleById = async (db: Db, ids: readonly (string | null)[]): Promise<Map<string, CatalogPerson>> => {
  const { rows } = await sql<CatalogPerson>`select ${person} from identity where id = any(${[...new Set(ids)]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
};

const FOUND = 20;
/** Finds people by name, e-mail address or employee id, active people first. */
export const searchPeople = async (db: Db, text: string) => {
  const { rows } = await sql<{ id: string; name: string; email: string | null; employeeId: string | null; active: boolean }>`
    select id, display_name as name, email, employee_id as "employeeId", left_at is null as active from identity
    where id <> ${adminIdentityId} and (employee_id = ${text}
      or (search_grams(lower(display_name || E'\n' || coalesce(email, ''))) @> sought_grams(lower(${text}))
        and lower(display_name || E'\n' || coalesce(email, '')) like ${likeOf(text.toLowerCase())}))
    order by left_at is not null, lower(display_name), id limit ${FOUND}`.execute(db);
  return rows;
};

export const approvers = async (db: Db): Promise<CatalogPerson[]> => {
  const { rows } = await sql<CatalogPerson>`select ${person} from identity
    where id in (select identity_id from catalog_approver) order by lower(display_name), id`.execute(db);
  return rows;
};
export const setApprovers = async (trx: Db, ids: readonly string[], by: string): Promise<void> => {
  await sql`delete from catalog_approver where not identity_id = any(${[...ids]}::text[])`.execute(trx);
  await sql`insert into catalog_approver (identity_id, added_by) select id, ${by} from unnest(${[...ids]}::text[]) as id
    on conflict do nothing`.execute(trx);
};
