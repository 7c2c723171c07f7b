/** Stores an uploaded file as the rows of an import, and sorts the rows by the mapping. */
import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import { maxOpenImports, type ImportField, type ImportMapping } from '@slipway/contract/catalog/import.ts';
import { transaction, type Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { formatOf, guessMapping, kindWords } from './import-columns.ts';
import { backstageColumns, backstageRows } from '../backstage/read-entities.ts';
import { csvRows, unreadable, type FileRow } from './read-file.ts';

const BATCH = 500;

const openImport = (db: Db, caller: Caller, fileName: string): Promise<string> =>
  transaction(db, async (trx) => {
    // The lock keeps two uploads from passing the limit together.
    await sql`select 1 from identity where id = ${caller.id} for update`.execute(trx);
    const { rows } = await sql`select 1 from catalog_import
      where identity_id = ${caller.id} and state not in ('DONE', 'CANCELED')`.execute(trx);
    if (rows.length >= maxOpenImports) throw new Problem('TooManyImports', { context: { max: String(maxOpenImports) } });
    const id = newId('cim');
    await trx.insertInto('catalog_import').values({ id, identity_id: caller.id, file_name: fileName }).execute();
    return id;
  });

const insertRows = async (db: Db, id: string, rows: readonly FileRow[]): Promise<void> => {
  await sql`insert into catalog_import_row (import_id, line, cells)
    select ${id}, line, array(select jsonb_array_elements_text(cells))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as stored (line integer, cells jsonb)`.execute(db);
  await sql`update catalog_import set rows = rows + ${rows.length}, worked_at = now() where id = ${id}`.execute(db);
};

/** Groups rows to the batches that are written together. */
async function* batchesOf(rows: AsyncIterable<FileRow> | Iterable<FileRow>): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export type Upload = { readonly yaml: string } | { readonly csv: Readable };

const openFile = async (db: Db, upload: Upload) => {
  if ('yaml' in upload) return { format: 'BACKSTAGE', columns: [...backstageColumns], rows: await backstageRows(db, upload.yaml) } as const;
  const rows = csvRows(upload.csv);
  const head = await rows.next();
  if (head.done === true) throw unreadable('it is empty');
  const columns = [...head.value.cells];
  return { format: formatOf(columns), columns, rows } as const;
};

/** Stores the file and returns the id of its import, whose check can begin. A failed upload leaves nothing. */
export const storeImport = async (db: Db, caller: Caller, fileName: string, upload: Upload): Promise<string> => {
  const id = await openImport(db, caller, fileName);
  try {
    const { format, columns, rows } = await openFile(db, upload);
    let count = 0;
    for await (const batch of batchesOf(rows)) {
      await insertRows(db, id, batch);
      count += batch.length;
    }
    if (count === 0) throw unreadable('it has a header and no rows');
    await transaction(db, async (trx) => {
      await sql`update catalog_import set format = ${format}, columns = ${columns}::text[] where id = ${id}`.execute(trx);
      await sortRows(trx, id, guessMapping(format, columns));
    });
    return id;
  } catch (error) {
    await db.deleteFrom('catalog_import').where('id', '=', id).execute();
    throw error;
  }
};

/** Returns SQL for the value of a field: its column's cell, or the value for all rows. Null if both are empty. */
const cellSql = (mapping: ImportMapping, field: ImportField) => {
  const { column = null, value = null } = mapping[field] ?? {};
  const cell = column === null ? sql`null` : sql`nullif(cells[${column + 1}::integer], '')`;
  return sql<string | null>`coalesce(${cell}, nullif(${value ?? ''}::text, ''))`;
};

const places = { portfolio: 1, platform: 2, product: 3, application: 4 };

/** Takes over a mapping, and puts all rows before their check. Call it in a transaction that holds the import. */
export const sortRows = async (trx: Db, id: string, mapping: ImportMapping): Promise<void> => {
  await sql`set local statement_timeout = '5min'`.execute(trx);
  const words = JSON.stringify(Object.entries(kindWords).map(([word, kind]) => ({ word, kind })));
  await sql`delete from catalog_import_key where import_id = ${id}`.execute(trx);
  await sql`update catalog_import_row set
      kind = found.kind, name = found.name, norm = catalog_norm(found.name),
      place = coalesce((${JSON.stringify(places)}::jsonb ->> found.kind)::smallint, 0),
      external_id = (select lower(format) from catalog_import where id = ${id}) || ':' || found.external_id,
      outcome = case when found.kind is null then 'LEFT_OUT' end,
      code = case when found.kind is null then 'ImportKindUnknown' end,
      field = case when found.kind is null then 'kind' end,
      context = case when found.kind is null then jsonb_build_object('value', coalesce(found.word, '-')) end,
      entry_id = null, request_id = null
    from (select line as at, words.kind, sources.word, sources.name, sources.external_id from catalog_import_row
      cross join lateral (select ${cellSql(mapping, 'kind')} as word, left(${cellSql(mapping, 'name')}, 200) as name,
        left(${cellSql(mapping, 'externalId')}, 300) as external_id) as sources
      left join jsonb_to_recordset(${words}::jsonb) as words (word text, kind text)
        on words.word = regexp_replace(lower(sources.word), '[^a-z]+', '', 'g')
      where import_id = ${id}) as found
    where import_id = ${id} and line = found.at`.execute(trx);
  await sql`update catalog_import set mapping = ${JSON.stringify(mapping)}::jsonb, state = 'CHECKING', counts = null, worked_at = now()
    where id = ${id}`.execute(trx);
};
