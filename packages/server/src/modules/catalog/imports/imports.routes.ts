/** Routes of imports. An import belongs to the person who uploaded it; for others it does not exist. */
import { Readable } from 'node:stream';
import { sql, type Selectable } from 'kysely';
import {
  catalogImportCreate,
  catalogImportDelete,
  catalogImportList,
  catalogImportMappingSet,
  catalogImportResult,
  catalogImportRows,
  catalogImportStart,
  catalogImportView,
  maxRequestedRows,
  type CatalogImport,
  type CatalogImportRow,
} from '@slipway/contract/catalog/import.ts';
import { EntryKind, wordsOf } from '@slipway/contract/catalog/entry.ts';
import { isErrorCode, messageOf } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { catalogImportKind } from '@slipway/contract/kinds/catalog-import.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { csvLine } from '#kernel/csv.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { recordsOf } from '../search/records.ts';
import { countsSql, hintImport } from './import-worker.ts';
import { sortRows, storeImport, type Upload } from './store-import.ts';
import { tooLarge, unreadable } from './read-file.ts';

type ImportRecord = Selectable<DB['catalog_import']>;
type RowRecord = Selectable<DB['catalog_import_row']>;
const noCounts: CatalogImport['counts'] = { checked: 0, applied: 0, create: 0, change: 0, same: 0, refused: 0, leftOut: 0, requested: 0 };

/** Numbers that no longer change are kept with the import. */
const countsOf = async (db: Db, { id, counts }: ImportRecord): Promise<CatalogImport['counts']> => {
  if (counts !== null) return counts;
  const { rows } = await sql<{ counts: CatalogImport['counts'] }>`select ${countsSql(id)} as counts`.execute(db);
  return rows[0]?.counts ?? noCounts;
};
const SAMPLES = 3;
const sampleLength = 120;
const viewOfImport = async (db: Db, caller: Caller, row: ImportRecord): Promise<CatalogImport> => {
  const first = await db
    .selectFrom('catalog_import_row')
    .select('cells')
    .where('import_id', '=', row.id)
    .orderBy('line')
    .limit(SAMPLES)
    .execute();
  return {
    id: row.id,
    fileName: row.file_name,
    format: row.format,
    state: row.state,
    rows: row.rows,
    columns: row.columns,
    samples: row.columns.map((_, at) => first.map(({ cells }) => (cells[at] ?? '').slice(0, sampleLength))),
    mapping: row.mapping,
    counts: await countsOf(db, row),
    isDirect: caller.isAdministrator,
    failure: row.failure,
    createdDate: row.created_at.toISOString(),
    endedDate: row.ended_at?.toISOString() ?? null,
  };
};

const requireImport = async (db: Db, caller: Caller, id: string): Promise<ImportRecord> => {
  const row = await db
    .selectFrom('catalog_import')
    .selectAll()
    .where('id', '=', id)
    .where('identity_id', '=', caller.id)
    .executeTakeFirst();
  if (!row) throw new Problem('ImportDoesNotExist');
  return row;
};
/** Waits for a chunk that is being checked. */
const lockImport = async (trx: Db, caller: Caller, id: string): Promise<ImportRecord> => {
  await requireImport(trx, caller, id);
  await sql`select 1 from catalog_import where id = ${id} for update`.execute(trx);
  return requireImport(trx, caller, id);
};

const columnOf = ({ columns, mapping }: ImportRecord, field: string | null): string | null => {
  const column = Object.entries(mapping).find(([name]) => name === field)?.[1].column ?? null;
  return column === null ? null : (columns[column] ?? null);
};
const rowView = (of: ImportRecord, row: RowRecord): CatalogImportRow => ({
  line: row.line,
  kind: EntryKind.safeParse(row.kind).data ?? null,
  name: row.name,
  outcome: row.outcome,
  isApplied: row.is_applied,
  entryId: row.entry_id,
  requestId: row.request_id,
  field: row.field,
  column: columnOf(of, row.field),
  code: row.code,
  message: row.code !== null && isErrorCode(row.code) ? messageOf(row.code, row.context ?? {}) : null,
});

const uploadOf = (body: unknown): Upload => {
  if (body instanceof Readable) return { csv: body };
  if (isRecord(body) && typeof body['yaml'] === 'string') return { yaml: body['yaml'] };
  throw unreadable('send text/csv or application/yaml');
};

const PAGE = 1000;
/** Largest integer of the database. */
const maxLine = 2 ** 31 - 1;
async function* resultOf(db: Db, of: ImportRecord, outcomes: readonly string[]): AsyncGenerator<string> {
  yield csvLine(['line', 'outcome', 'entry', 'request', 'column', 'reason', ...of.columns]);
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom('catalog_import_row')
      .selectAll()
      .where('import_id', '=', of.id)
      .where('line', '>', after)
      .$if(outcomes.length > 0, (query) => query.where('outcome', 'in', outcomes as RowRecord['outcome'][]))
      .orderBy('line')
      .limit(PAGE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    after = last.line;
    const lines = rows.map((row) => {
      const { line, outcome, entryId, requestId, column, field, message } = rowView(of, row);
      return csvLine([String(line), outcome ?? '', entryId ?? '', requestId ?? '', column ?? field ?? '', message ?? '', ...row.cells]);
    });
    yield lines.join('');
  }
}

const note = (trx: Db, caller: Caller, { id, file_name: name }: ImportRecord, type: string, verb: string): Promise<void> =>
  recordWrite(trx, caller, {
    type,
    reason: 'Import',
    message: `${caller.displayName} ${verb} the import ${name}`,
    subject: subjectOf(catalogImportKind, { importId: id }),
  });

const start = (db: Db, caller: Caller, id: string): Promise<void> =>
  transaction(db, async (trx) => {
    const row = await lockImport(trx, caller, id);
    if (row.state !== 'CHECKED') throw new Problem('ImportNotOpen');
    const { create, change } = await countsOf(trx, row);
    if (!caller.isAdministrator && create + change > maxRequestedRows) throw tooLarge(`${maxRequestedRows} rows that approvers decide`);
    await sql`update catalog_import set state = 'APPLYING', counts = null, worked_at = now() where id = ${id}`.execute(trx);
    await note(trx, caller, row, catalogImportStart.id, 'started');
    await hintImport(trx, id);
  });

const remove = (db: Db, caller: Caller, id: string): Promise<void> =>
  transaction(db, async (trx) => {
    const row = await lockImport(trx, caller, id);
    if (row.state === 'APPLYING') await sql`update catalog_import set state = 'CANCELED', ended_at = now() where id = ${id}`.execute(trx);
    else await trx.deleteFrom('catalog_import').where('id', '=', id).execute();
    await note(trx, caller, row, catalogImportDelete.id, row.state === 'APPLYING' ? 'canceled' : 'deleted');
    await hintImport(trx, id);
  });

/** `wake` makes the worker of this replica look at once. */
export const importRoutes = (db: Db, wake: () => void): Handler[] => {
  const view = async (caller: Caller, id: string): Promise<CatalogImport> => viewOfImport(db, caller, await requireImport(db, caller, id));
  return [
    handle(catalogImportCreate, async ({ caller, query, body }) => {
      const id = await storeImport(db, caller, query.fileName === '' ? 'import' : query.fileName, uploadOf(body));
      wake();
      return view(caller, id);
    }),
    handle(catalogImportList, async ({ caller }) => {
      const rows = await db
        .selectFrom('catalog_import')
        .selectAll()
        .where('identity_id', '=', caller.id)
        .orderBy('created_at', 'desc')
        .limit(20)
        .execute();
      const views: CatalogImport[] = [];
      for (const row of rows) views.push(await viewOfImport(db, caller, row));
      return views;
    }),
    handle(catalogImportView, ({ caller, params }) => view(caller, params.importId)),
    handle(catalogImportRows, async ({ caller, params, query: { page, size, after, outcome } }) => {
      const of = await requireImport(db, caller, params.importId);
      const outcomes = wordsOf(outcome);
      const matching = sql<boolean>`import_id = ${of.id} and (${outcomes.length === 0} or outcome = any(${outcomes}::text[]))`;
      const { rows: counted } = await sql<{ n: number }>`select count(*)::integer as n from catalog_import_row where ${matching}`.execute(
        db,
      );
      const line = Number(after ?? '-1');
      if (!Number.isInteger(line) || Math.abs(line) > maxLine) throw new Problem('InvalidValue', { field: 'after' });
      const { rows } = await sql<RowRecord>`select * from catalog_import_row where ${matching} and line > ${line}
        order by line limit ${size + 1} offset ${after === undefined ? page * size : 0}`.execute(db);
      const shown = rows.slice(0, size);
      const next = rows.length > size ? String(shown.at(-1)?.line) : null;
      return recordsOf(
        shown.map((row) => rowView(of, row)),
        { total: counted[0]?.n ?? 0, isAtLeast: false },
        { page, size, next },
      );
    }),
    handle(
      catalogImportMappingSet,
      async ({ caller, params, body }) => {
        await transaction(db, async (trx) => {
          const row = await lockImport(trx, caller, params.importId);
          if (row.state !== 'CHECKED' && row.state !== 'CHECKING') throw new Problem('ImportNotOpen');
          await sortRows(trx, row.id, body.mapping);
          await note(trx, caller, row, catalogImportMappingSet.id, 'changed the columns of');
          await hintImport(trx, row.id);
        });
        wake();
        return view(caller, params.importId);
      },
      ({ caller, params }) => view(caller, params.importId),
    ),
    handle(
      catalogImportStart,
      async ({ caller, params }) => {
        await start(db, caller, params.importId);
        wake();
        return view(caller, params.importId);
      },
      ({ caller, params }) => view(caller, params.importId),
    ),
    handle(catalogImportDelete, ({ caller, params }) => remove(db, caller, params.importId)),
    handle(catalogImportResult, async ({ caller, params, query, reply }) => {
      const of = await requireImport(db, caller, params.importId);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="import-${of.id}.csv"`)
        .send(Readable.from(resultOf(db, of, wordsOf(query.outcome))));
    }),
  ];
};
