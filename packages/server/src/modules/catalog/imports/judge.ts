/** Judges one row: which entry it is about, and whether that entry would be created, changed or left as it is. Preview and import share it. */
import { sql } from 'kysely';
import type { EntryKind } from '@slipway/contract/catalog/entry.ts';
import type { CatalogOptions } from '@slipway/contract/catalog/directory.ts';
import type { ImportMapping } from '@slipway/contract/catalog/import.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { changedIn, valuesOf, type Body } from '../entries/entry-fields.ts';
import { specOf, type KindSpec } from '../entries/entry-kinds.ts';
import { isOwner, type Viewer } from '../entries/entry-rights.ts';
import { isVisible, missing, requireEntry, type EntryRow } from '../entries/entry-row.ts';
import { optionsNow } from '../directory/options.ts';
import { optionIn } from './import-columns.ts';
import { bodyOfRow, valuesOfRow, type RowValues } from './row-body.ts';

/** Everything that the rows of one import share. */
export interface ImportContext {
  readonly id: string;
  readonly mapping: ImportMapping;
  readonly format: string;
  readonly viewer: Viewer;
  /** True if the importer is a platform administrator: nothing waits for approval. */
  readonly isDirect: boolean;
  /** True for the preview: parents may be rows of the same file that are still to be created. */
  readonly isPreview: boolean;
  readonly options: CatalogOptions;
  readonly labels: ReadonlyMap<string, string>;
}
export const contextOf = async (
  db: Db,
  own: Pick<ImportContext, 'id' | 'mapping' | 'format' | 'viewer' | 'isDirect' | 'isPreview'>,
): Promise<ImportContext> => {
  const labels = await db.selectFrom('catalog_label').select(['id', 'name']).execute();
  return {
    ...own,
    options: await optionsNow(db),
    labels: new Map(
      labels.flatMap(({ id, name }) => [
        [name.toLowerCase(), id],
        [id.toLowerCase(), id],
      ]),
    ),
  };
};

export interface ImportRow {
  readonly line: number;
  readonly cells: string[];
  readonly kind: EntryKind;
  readonly norm: string | null;
  readonly external_id: string | null;
}
export interface Verdict {
  readonly outcome: 'CREATE' | 'CHANGE' | 'SAME';
  readonly row: EntryRow | undefined;
  readonly body: Body;
  /** Keys of the entry that the row is about. Two rows of a file must not share one. */
  readonly keys: readonly string[];
  /** True if the entry should remember the id that it has in the source. */
  readonly isLinked: boolean;
}

/** Finds an active entry by id, by its id in the source, or by its name if no other entry has it. */
const parentId = async (db: Db, context: ImportContext, kind: EntryKind, text: string): Promise<string | undefined> => {
  const external = `${context.format.toLowerCase()}:${text}`;
  const { rows } = await sql<{ id: string; place: number }>`select id, case when id = ${text.toUpperCase()} then 1
      when external_id = ${external} then 2 else 3 end as place
    from catalog_entry where kind = ${kind} and status = 'ACTIVE'
      and (id = ${text.toUpperCase()} or external_id = ${external} or norm = catalog_norm(${text})) order by place, id limit 2`.execute(db);
  const [first, second] = rows;
  return first && first.place === second?.place ? undefined : first?.id;
};
const isInFile = async (db: Db, { id, format }: ImportContext, kind: EntryKind, text: string): Promise<boolean> => {
  const { rows } =
    await sql`select 1 from catalog_import_row where import_id = ${id} and kind = ${kind} and outcome is distinct from 'REFUSED'
      and norm = catalog_norm(${text})
    union all select 1 from catalog_import_row where import_id = ${id} and kind = ${kind} and outcome is distinct from 'REFUSED'
      and external_id = ${`${format.toLowerCase()}:${text}`} limit 1`.execute(db);
  return rows.length > 0;
};

/** Returns the id of the parent that the row names. Null if the same file will create it. */
const parentOf = async (db: Db, context: ImportContext, spec: KindSpec, values: RowValues): Promise<string | null | undefined> => {
  const { parent } = spec;
  if (!parent) return undefined;
  const field = parent.kind === 'platform' ? 'platform' : 'portfolio';
  const text = values[field];
  if (text === undefined) return undefined;
  const found = await parentId(db, context, parent.kind, text);
  if (found !== undefined) return found;
  if (context.isPreview && context.isDirect && (await isInFile(db, context, parent.kind, text))) return null;
  throw new Problem(parent.inactive, { field });
};

const matchIn = (db: Db, { viewer }: ImportContext, kind: EntryKind, condition: ReturnType<typeof sql<boolean>>) =>
  sql<{ id: string }>`select entry.id from catalog_entry entry where entry.kind = ${kind} and ${condition} and ${isVisible(viewer)}
    order by entry.id limit 2`
    .execute(db)
    .then(({ rows }) => rows);

/** Finds the entry that the row is about: by its id, by its id in the source, then by what is unique for the kind. */
const matchOf = async (
  db: Db,
  context: ImportContext,
  { kind, external_id: external, norm }: ImportRow,
  values: RowValues,
  parent: string | null | undefined,
): Promise<string | undefined> => {
  if (values.id !== undefined) {
    const [found] = await matchIn(db, context, kind, sql<boolean>`entry.id = ${values.id.toUpperCase()}`);
    if (!found) throw new Problem('EntryDoesNotExist', { field: 'id', context: { kind } });
    return found.id;
  }
  if (external !== null) {
    const [found] = await matchIn(db, context, kind, sql<boolean>`entry.external_id = ${external}`);
    if (found) return found.id;
  }
  if (kind === 'product') {
    const [found] =
      values.code === undefined ? [] : await matchIn(db, context, kind, sql<boolean>`entry.code = ${values.code.toUpperCase()}`);
    return found?.id;
  }
  const within = kind === 'platform' && typeof parent === 'string' ? sql<boolean>`entry.portfolio_id = ${parent}` : sql<boolean>`true`;
  if (kind === 'platform' && parent === null) return undefined;
  const found = await matchIn(
    db,
    context,
    kind,
    sql<boolean>`entry.norm = ${norm} and entry.status in ('PENDING', 'ACTIVE') and ${within}`,
  );
  if (found.length > 1) throw new Problem('EntryAlreadyExists', { field: 'name', context: { value: values.name ?? '' } });
  return found[0]?.id;
};

/** Throws ImportIdTaken if another entry has the id in the source: one of another kind, or a rejected one that the importer does not see. */
const requireFreeId = async (db: Db, external: string | null, own: string | undefined): Promise<void> => {
  if (external === null) return;
  const other = await db.selectFrom('catalog_entry').select(['id', 'status']).where('external_id', '=', external).executeTakeFirst();
  if (other && other.id !== own)
    throw new Problem('ImportIdTaken', { field: 'externalId', context: { entry: other.id, status: other.status.toLowerCase() } });
};

/** Replaces names of options, labels and people by their ids. Unknown ones stay, and the rules of writes refuse them. */
const resolved = async (db: Db, { options, labels }: ImportContext, body: Record<string, unknown>): Promise<Body> => {
  const option = (field: string, list: keyof CatalogOptions) => {
    const text = body[field];
    return typeof text === 'string' ? { [field]: optionIn(options[list], text) } : {};
  };
  const ids = Array.isArray(body['labels'])
    ? { labels: (body['labels'] as string[]).map((name) => labels.get(name.toLowerCase()) ?? name) }
    : {};
  const owners = Array.isArray(body['owners']) ? { owners: await peopleNamed(db, body['owners'] as string[]) } : {};
  return {
    ...body,
    ...option('criticalityId', 'criticalityCategories'),
    ...option('classificationId', 'informationClassifications'),
    ...option('mipLayerId', 'mipLayers'),
    ...option('strategicIntentId', 'strategicIntents'),
    ...ids,
    ...owners,
  };
};
/** Replaces full names by ids if exactly one active person has the name. */
const peopleNamed = async (db: Db, names: readonly string[]): Promise<string[]> => {
  const asked = names.filter((name) => name.includes(' '));
  if (asked.length === 0) return [...names];
  const { rows } = await sql<{ name: string; id: string }>`select lower(display_name) as name, min(id) as id from identity
    where lower(display_name) = any(${asked.map((name) => name.toLowerCase())}::text[]) and left_at is null and type = 'USER'
    group by 1 having count(*) = 1`.execute(db);
  return names.map((name) => rows.find((row) => row.name === name.toLowerCase())?.id ?? name);
};

/** Throws the Problem that refuses the row. */
export const judge = async (db: Db, context: ImportContext, row: ImportRow): Promise<Verdict> => {
  const { viewer, isDirect } = context;
  const { kind } = row;
  const spec = specOf(kind);
  const values = valuesOfRow(row.cells, context.mapping);
  const parent = await parentOf(db, context, spec, values);
  const id = await matchOf(db, context, row, values, parent);
  await requireFreeId(db, row.external_id, id);
  const { [spec.parent?.field ?? '']: _name, ...own } = bodyOfRow(kind, values, id === undefined);
  const inFile = spec.parent && typeof parent === 'string' ? { [spec.parent.field]: parent } : {};
  const body = await resolved(db, context, { ...own, ...inFile });
  const self =
    id ??
    `${kind}:${kind === 'product' ? (values.code ?? '') : (row.norm ?? '')}${kind === 'platform' ? `:${values.portfolio ?? ''}` : ''}`;
  const keys = [self, ...(row.external_id === null ? [] : [row.external_id])];
  if (id === undefined) {
    await valuesOf(db, spec, body);
    return { outcome: 'CREATE', row: undefined, body, keys, isLinked: row.external_id !== null };
  }
  const entry = await requireEntry(db, viewer, kind, id).catch((error: unknown) => {
    throw error instanceof Problem ? missing(kind) : error;
  });
  if (entry.external_id !== null && row.external_id !== null && entry.external_id !== row.external_id && values.id === undefined)
    throw new Problem('EntryAlreadyExists', { field: 'name', context: { value: entry.name } });
  const changed = Object.keys(changedIn(entry, await valuesOf(db, spec, body, entry)));
  const isOwn = isDirect || isOwner(entry, viewer) || (entry.status === 'PENDING' && entry.created_by === viewer.caller.id);
  const isLinked = row.external_id !== null && entry.external_id === null && isOwn;
  // A move to a platform that the same file will create.
  const isMoved = parent === null;
  if (changed.length === 0 && !isLinked && !isMoved) return { outcome: 'SAME', row: entry, body, keys, isLinked };
  if (entry.status !== 'ACTIVE' && (isDirect || entry.status !== 'PENDING')) throw new Problem('EntryNotActive');
  if (!isOwn) throw new Problem('NotCatalogueOwner');
  return { outcome: 'CHANGE', row: entry, body, keys, isLinked };
};
