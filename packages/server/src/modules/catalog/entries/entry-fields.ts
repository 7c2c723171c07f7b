/** Turns the body of a write into values of columns, after its rules: people, options, labels, dates, and the parent. */
import { sql } from 'kysely';
import type { PersonRef } from '@slipway/contract/catalog/entry.ts';
import { shortNameOf } from '@slipway/contract/catalog/rules.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { resolvePeople } from '../directory/people.ts';
import type { Column, KindSpec } from './entry-kinds.ts';
import type { EntryRow } from './entry-row.ts';

export type Values = Partial<Record<Column, unknown>>;
/** Body of a write, by the names of the kind's fields. */
export type Body = Readonly<Record<string, unknown>>;

const optionLists: Readonly<Partial<Record<Column, string>>> = {
  criticality: 'criticalityCategories',
  classification: 'informationClassifications',
  mip_layer: 'mipLayers',
  intent: 'strategicIntents',
};

export const same = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((item) => other.includes(item))
    : (one ?? null) === (other ?? null);

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
/** Throws DateInPast for dates before tomorrow. */
export const requireFuture = (date: string, field: string): void => {
  if (date < tomorrow()) throw new Problem('DateInPast', { field });
};

export const requireLabels = async (db: Db, ids: readonly string[], known: readonly string[] = [], field = 'labels'): Promise<string[]> => {
  const wanted = [...new Set(ids)];
  const added = wanted.filter((id) => !known.includes(id));
  if (added.length === 0) return wanted;
  const rows = await db.selectFrom('catalog_label').select('id').where('id', 'in', added).where('is_archived', '=', false).execute();
  const missing = added.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw new Problem('LabelDoesNotExist', { field, context: { value: missing } });
  return wanted;
};

const requireOption = async (db: Db, list: string, id: string, field: string): Promise<void> => {
  const { rows } = await sql`select 1 from catalog_option where list = ${list} and id = ${id}`.execute(db);
  if (rows.length === 0) throw new Problem('OptionDoesNotExist', { field, context: { value: id } });
};

/** Requires an active parent, and keeps it active until the transaction ends. Returns its id. */
export const requireParent = async (trx: Db, { parent }: KindSpec, id: string): Promise<string> => {
  if (!parent) throw new Error('This kind has no parent');
  const { rows } = await sql<{ id: string }>`select id from catalog_entry
    where id in (${id}, ${id.toUpperCase()}) and kind = ${parent.kind} and status = 'ACTIVE' for share`.execute(trx);
  if (!rows[0]) throw new Problem(parent.inactive, { field: parent.field });
  return rows[0].id;
};

/** Returns the value for one column. */
const valueOf = async (
  trx: Db,
  spec: KindSpec,
  row: EntryRow | undefined,
  [field, column, value]: [string, Column, unknown],
): Promise<unknown> => {
  const current = row?.[column];
  if (column === 'owners' || column === 'ea_contacts')
    return resolvePeople(trx, value as PersonRef[], { field, known: row?.[column] ?? [] });
  if (same(value, current)) return current;
  if (column === 'labels') return requireLabels(trx, value as string[], row?.labels);
  if (column === spec.parent?.column && typeof value === 'string') {
    if (value.toUpperCase() === current) return current;
    return requireParent(trx, spec, value);
  }
  if (column === 'target_date' && typeof value === 'string') requireFuture(value, field);
  const list = optionLists[column];
  if (list !== undefined && typeof value === 'string') await requireOption(trx, list, value, field);
  return value;
};

/** Returns the values that the body names. Absent fields are left out. */
export const valuesOf = async (trx: Db, spec: KindSpec, body: Body, row?: EntryRow): Promise<Values> => {
  const values: Values = {};
  for (const [field, column] of Object.entries(spec.fields)) {
    if (body[field] === undefined) continue;
    values[column] = await valueOf(trx, spec, row, [field, column, body[field]]);
  }
  return values;
};

/** Adds values that a new entry gets if the body leaves them out. */
export const newValues = (spec: KindSpec, values: Values): Values => ({
  ...(spec.kind === 'portfolio' && { code: shortNameOf(String(values.name)) }),
  ...(spec.kind === 'application' && { production_deployed: false }),
  ...values,
});

/** Returns the values that differ from the row. */
export const changedIn = (row: EntryRow, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([column, value]) => !same(value, row[column as Column])));

/** Renames columns to the fields of the kind. */
export const toFields = (spec: KindSpec, values: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(spec.fields).flatMap(([field, column]) => (column in values ? [[field, values[column]]] : [])));
/** Renames fields of a payload to columns. */
export const toColumns = (spec: KindSpec, fields: Body): Values =>
  Object.fromEntries(Object.entries(fields).flatMap(([field, value]) => (spec.fields[field] ? [[spec.fields[field], value]] : [])));
