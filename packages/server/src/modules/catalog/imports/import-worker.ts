/**
 * Works off imports in bounded chunks. A check holds the import, so one replica at a time checks it. Rows are applied one by one, each in a
 * transaction that claims the row, writes the entry and marks the row. So several replicas share the rows, and a killed one leaves no double.
 */
import { sql } from 'kysely';
import { importsKeptDays, type ImportMapping } from '@slipway/contract/catalog/import.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { isDatabaseOutage } from '#db/outage.ts';
import { everyScope, loadCaller } from '#kernel/auth/callers.ts';
import { errorCode } from '#kernel/caught.ts';
import { notifyChange } from '#kernel/changes.ts';
import { Problem } from '#kernel/problem.ts';
import { Rounds } from '#kernel/rounds.ts';
import type { Log } from '#ports/log.ts';
import type { CatalogDeps, Trx } from '../entries/entry-change.ts';
import { specOf } from '../entries/entry-kinds.ts';
import { viewerOf } from '../entries/entry-row.ts';
import { createIn, updateIn } from '../entries/entry-writes.ts';
import { contextOf, judge, type ImportContext, type ImportRow, type Verdict } from './judge.ts';
import { faultOf } from './row-body.ts';

const CHECKED_AT_ONCE = 100;
const APPLIED_AT_ONCE = 50;
const EVERY_MS = 2000;
/** Deadlock, serialization failure, and lock timeout. */
const passing = new Set(['40P01', '40001', '55P03']);

interface Outcome {
  readonly line: number;
  readonly outcome: string;
  readonly entry_id: string | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly context: Record<string, string> | null;
}
export interface Deps extends CatalogDeps {
  readonly pool: Database['pool'];
  readonly log: Log;
}
interface OpenImport {
  readonly id: string;
  readonly identity_id: string;
  readonly mapping: ImportMapping;
  readonly format: string;
}

/** Counts the rows of an import by outcome, as jsonb. */
export const countsSql = (id: string) => sql<unknown>`(select jsonb_build_object(
    'checked', count(*) filter (where outcome is not null), 'applied', count(*) filter (where is_applied),
    'create', count(*) filter (where outcome = 'CREATE'), 'change', count(*) filter (where outcome = 'CHANGE'),
    'same', count(*) filter (where outcome = 'SAME'), 'refused', count(*) filter (where outcome = 'REFUSED'),
    'leftOut', count(*) filter (where outcome = 'LEFT_OUT'), 'requested', count(*) filter (where request_id is not null))
  from catalog_import_row where import_id = ${id})`;

export const hintImport = (db: Db, importId: string): Promise<void> => notifyChange(db, { kind: 'catalogImport', importId });

/** Returns the importer with the rights of now. Undefined if he left the directory. */
const importerOf = async ({ db, pool }: Deps, { identity_id: id }: Pick<OpenImport, 'identity_id'>) => {
  const caller = await loadCaller(pool, id, { origin: 'console', scopes: everyScope });
  return caller && viewerOf(db, caller);
};

const cancel = async (db: Db, id: string, failure: string): Promise<void> => {
  await sql`update catalog_import set state = 'CANCELED', failure = ${failure}, ended_at = now()
    where id = ${id} and state in ('CHECKING', 'APPLYING')`.execute(db);
  await hintImport(db, id);
};

/** A row that cannot be judged or written stops nobody. */
const refusalOf = (deps: Deps, context: Pick<ImportContext, 'id'>, { line, kind }: ImportRow, error: unknown): Outcome => {
  if (isDatabaseOutage(error)) throw error;
  const problem = error instanceof Problem && error.status < 500 ? error : new Problem('ImportRowFailed');
  if (problem !== error) deps.log.warn({ err: error, import: context.id, line }, 'A row of an import could not be written');
  return { line, outcome: 'REFUSED', entry_id: null, ...faultOf(kind, problem) };
};

/** Reserves what the row is about. Throws if an earlier line of the file is about it. */
const reserve = async (trx: Trx, id: string, line: number, keys: readonly string[]): Promise<void> => {
  const { rows } = await sql<{ line: number }>`insert into catalog_import_key (import_id, key, line)
    select ${id}, key, ${line} from unnest(${[...keys]}::text[]) as key
    on conflict (import_id, key) do update set line = catalog_import_key.line returning line`.execute(trx);
  const other = rows.find((row) => row.line !== line);
  if (other) throw new Problem('ImportRowRepeated', { context: { line: String(other.line) } });
};

const checkRow = async (deps: Deps, trx: Trx, context: ImportContext, row: ImportRow): Promise<Outcome> => {
  await sql`savepoint before_row`.execute(trx);
  try {
    const { outcome, row: entry, keys } = await judge(trx, context, row);
    await reserve(trx, context.id, row.line, keys);
    return { line: row.line, outcome, entry_id: entry?.id ?? null, code: null, field: null, context: null };
  } catch (error) {
    const refusal = refusalOf(deps, context, row, error);
    await sql`rollback to savepoint before_row`.execute(trx);
    return refusal;
  }
};

/** Judges the next rows of one place, so that the verdict on each parent is stored before its children. Returns false if another replica is at it. */
const checkChunk = async (deps: Deps, { id, identity_id }: OpenImport): Promise<boolean> => {
  const viewer = await importerOf(deps, { identity_id });
  if (!viewer) return cancel(deps.db, id, 'OwnerNotInDirectory').then(() => false);
  return transaction(deps.db, async (trx) => {
    const { rows: held } = await sql<OpenImport>`select id, identity_id, mapping, format from catalog_import
      where id = ${id} and state = 'CHECKING' for update skip locked`.execute(trx);
    const [open] = held;
    if (!open) return false;
    const context = await contextOf(trx, { ...open, viewer, isDirect: viewer.caller.isAdministrator, isPreview: true });
    const { rows } = await sql<ImportRow>`select line, cells, kind, norm, external_id from catalog_import_row
      where import_id = ${id} and outcome is null
        and place = (select min(place) from catalog_import_row where import_id = ${id} and outcome is null)
      order by line limit ${CHECKED_AT_ONCE}`.execute(trx);
    const outcomes: Outcome[] = [];
    for (const row of rows) outcomes.push(await checkRow(deps, trx, context, row));
    await sql`update catalog_import_row set outcome = found.outcome, entry_id = found.entry_id, code = found.code, field = found.field,
        context = found.context
      from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
        as found (line integer, outcome text, entry_id text, code text, field text, context jsonb)
      where import_id = ${id} and catalog_import_row.line = found.line`.execute(trx);
    await sql`update catalog_import set worked_at = now(), state = 'CHECKED', counts = ${countsSql(id)}
      where id = ${id} and not exists (select from catalog_import_row where import_id = ${id} and outcome is null)`.execute(trx);
    await hintImport(trx, id);
    return true;
  });
};

/** Claims a row that no other replica has. Children wait until all of their parents' kind are done. */
const claimRow = async (trx: Trx, id: string): Promise<ImportRow | undefined> => {
  const { rows } = await sql<ImportRow>`select line, cells, kind, norm, external_id from catalog_import_row
    where import_id = ${id} and not is_applied and outcome in ('CREATE', 'CHANGE')
      and place = (select min(place) from catalog_import_row where import_id = ${id} and not is_applied and outcome in ('CREATE', 'CHANGE'))
      and exists (select from catalog_import where id = ${id} and state = 'APPLYING')
    order by line limit 1 for update skip locked`.execute(trx);
  return rows[0];
};

/** Writes the entry. Returns its id, and the request that the write raised. */
const write = async (
  trx: Trx,
  deps: Deps,
  { viewer, isDirect }: ImportContext,
  row: ImportRow,
  { outcome, row: entry, body, isLinked }: Verdict,
) => {
  const spec = specOf(row.kind);
  const options = { source: 'IMPORT', isDirect } as const;
  if (outcome === 'CREATE') return createIn(trx, deps, viewer, spec, body, { ...options, externalId: row.external_id });
  const id = entry?.id ?? '';
  if (isLinked) await sql`update catalog_entry set external_id = ${row.external_id} where id = ${id}`.execute(trx);
  return outcome === 'SAME' ? { id, requests: [] } : updateIn(trx, deps, viewer, { spec, id }, body, options);
};

/** Applies one row. Returns false if there is none to claim. */
const applyRow = async (deps: Deps, context: ImportContext): Promise<boolean> => {
  const { id } = context;
  let claimed: ImportRow | undefined;
  try {
    return await transaction(deps.db, async (trx) => {
      claimed = await claimRow(trx, id);
      if (!claimed) return false;
      const verdict = await judge(trx, context, claimed);
      const { id: entry, requests } = await write(trx, deps, context, claimed, verdict);
      await sql`update catalog_import_row set is_applied = true, outcome = ${verdict.outcome}, entry_id = ${entry},
        request_id = ${requests[0]?.requestId ?? null} where import_id = ${id} and line = ${claimed.line}`.execute(trx);
      return true;
    });
  } catch (error) {
    // A deadlock with another writer says nothing about the row, which is claimed again.
    if (!claimed || passing.has(errorCode(error) ?? '')) throw error;
    const { outcome, code, field, context: about, line } = refusalOf(deps, context, claimed, error);
    // Another replica may have claimed the row since, and written it.
    await sql`update catalog_import_row set is_applied = true, outcome = ${outcome}, code = ${code}, field = ${field},
      context = ${JSON.stringify(about)}::jsonb where import_id = ${id} and line = ${line} and not is_applied`.execute(deps.db);
    return true;
  }
};

const applyChunk = async (deps: Deps, open: OpenImport, signal: AbortSignal): Promise<boolean> => {
  const viewer = await importerOf(deps, open);
  if (!viewer) return cancel(deps.db, open.id, 'OwnerNotInDirectory').then(() => false);
  const context = await contextOf(deps.db, { ...open, viewer, isDirect: viewer.caller.isAdministrator, isPreview: false });
  let applied = 0;
  while (applied < APPLIED_AT_ONCE && !signal.aborted && (await applyRow(deps, context))) applied += 1;
  await sql`update catalog_import set worked_at = now(), state = 'DONE', ended_at = now(), counts = ${countsSql(open.id)}
    where id = ${open.id} and state = 'APPLYING' and not exists (select from catalog_import_row
      where import_id = ${open.id} and not is_applied and outcome in ('CREATE', 'CHANGE'))`.execute(deps.db);
  await hintImport(deps.db, open.id);
  return applied > 0;
};

/** Deletes uploads that broke off, and old imports. */
const sweep = async (db: Db): Promise<void> => {
  await sql`delete from catalog_import where id in (select id from catalog_import
    where (state = 'UPLOADING' and worked_at < now() - interval '1 hour')
      or (state not in ('UPLOADING', 'APPLYING') and worked_at < now() - make_interval(days => ${importsKeptDays})) limit 10)`.execute(db);
};

/** Does one chunk of each open import. Returns true if there may be more. */
export const workOff = async (deps: Deps, signal: AbortSignal): Promise<boolean> => {
  const { rows } = await sql<OpenImport & { state: string }>`select id, identity_id, mapping, format, state from catalog_import
    where state in ('CHECKING', 'APPLYING') order by created_at limit 20`.execute(deps.db);
  let isMore = false;
  for (const { state, ...open } of rows) {
    if (signal.aborted) return false;
    const isBusy = state === 'CHECKING' ? await checkChunk(deps, open) : await applyChunk(deps, open, signal);
    isMore ||= isBusy;
  }
  return isMore;
};

export const importRounds = (deps: Deps): Rounds => {
  let sweptAt = 0;
  return new Rounds({
    everyMs: EVERY_MS,
    round: async (signal) => {
      if (Date.now() - sweptAt > 3_600_000) {
        sweptAt = Date.now();
        await sweep(deps.db);
      }
      return workOff(deps, signal);
    },
    log: deps.log,
    warning: 'Imports of the catalog could not be worked off',
  });
};
