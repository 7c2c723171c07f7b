/** Source maps of releases: stored without source text, and used to translate stack frames in a worker thread. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import { sourceMapLimits, type MonitorSourceMap } from '@slipway/contract/monitoring/monitor.ts';
import type { StackFrame } from '@slipway/contract/monitoring/readings.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { translateFrames } from './map-thread.ts';
import type { Frame } from './payload.ts';

const zip = promisify(gzip);
const MEGABYTE = 1024 * 1024;
/** Packed bytes of maps that are read for one stack. */
const MAX_LOADED_BYTES = 32 * MEGABYTE;
const NAME = /^[\w.@+~-]{1,200}$/;

export interface UploadedMap {
  readonly mappings: string;
  readonly sources: readonly (string | null)[];
  readonly names?: readonly string[] | undefined;
  readonly sourceRoot?: string | null | undefined;
}
export const packMap = async ({ mappings, sources, names = [], sourceRoot }: UploadedMap): Promise<Buffer> =>
  zip(JSON.stringify({ version: 3, mappings, sources, names, ...(sourceRoot ? { sourceRoot } : {}) }));

export const requireMapName = (text: string, field: 'release' | 'file'): void => {
  if (!NAME.test(text)) throw new Problem('InvalidValue', { field });
};

export const listMaps = async (db: Db, monitor: string): Promise<MonitorSourceMap[]> => {
  const { rows } = await sql<Omit<MonitorSourceMap, 'uploadedAt'> & { uploaded_at: Date }>`
    select release, file, bytes, uploaded_at from source_map where monitor_id = ${monitor}
    order by max(uploaded_at) over (partition by release) desc, release, file`.execute(db);
  return rows.map(({ uploaded_at: at, ...rest }) => ({ ...rest, uploadedAt: at.toISOString() }));
};

/** Call it with the monitor's row locked, so that concurrent uploads keep the limits. */
export const saveMap = async (
  trx: Db,
  monitor: string,
  { release, file }: { readonly release: string; readonly file: string },
  content: Buffer,
): Promise<void> => {
  const { rows } = await sql<{ files: number }>`select count(*)::integer as files from source_map
    where monitor_id = ${monitor} and release = ${release} and file <> ${file}`.execute(trx);
  if ((rows[0]?.files ?? 0) >= sourceMapLimits.filesPerRelease) throw new Problem('TooManySourceMaps');
  await sql`insert into source_map (monitor_id, release, file, content, bytes) values (${monitor}, ${release}, ${file}, ${content}, ${content.length})
    on conflict (monitor_id, release, file) do update set content = excluded.content, bytes = excluded.bytes, uploaded_at = now()`.execute(
    trx,
  );
  await sql`delete from source_map where monitor_id = ${monitor} and release not in (
    select release from source_map where monitor_id = ${monitor} group by release order by max(uploaded_at) desc limit ${sourceMapLimits.releases})`.execute(
    trx,
  );
  const { rows: sums } = await sql<{ bytes: number }>`
    select sum(bytes)::double precision as bytes from source_map where monitor_id = ${monitor}`.execute(trx);
  if ((sums[0]?.bytes ?? 0) > sourceMapLimits.megabytesPerMonitor * MEGABYTE)
    throw new Problem('SourceMapStorageFull', { context: { limit: `${sourceMapLimits.megabytesPerMonitor} MB` } });
};

const fileOf = (frame: Frame): string => frame.file.split('/').at(-1) ?? '';

/** Reads the maps of these files, the first ones first, as far as they fit into the memory for one stack. */
const loadMaps = async (db: Db, monitor: string, release: string, files: readonly string[]): Promise<ReadonlyMap<string, Buffer>> => {
  const { rows } = await sql<{ file: string; content: Buffer }>`
    with sized as (
      select file, sum(bytes) over (order by array_position(${files}::text[], file)) as total from source_map
      where monitor_id = ${monitor} and release = ${release} and file = any(${files}))
    select file, content from source_map join sized using (file)
    where monitor_id = ${monitor} and release = ${release} and total <= ${MAX_LOADED_BYTES}`.execute(db);
  return new Map(rows.map(({ file, content }) => [file, content]));
};

/** Translates frames whose file has a source map in the release. Others stay as the browser reported them. */
export const translate = async (db: Db, monitor: string, release: string, frames: readonly Frame[]): Promise<StackFrame[]> => {
  const files = [...new Set(frames.map(fileOf))];
  const plain = frames.map((frame) => ({ ...frame, isMapped: false }));
  const { rows } = await sql<{ has: boolean }>`select exists (select from source_map
    where monitor_id = ${monitor} and release = ${release} and file = any(${files})) as has`.execute(db);
  if (!rows[0]?.has) return plain;
  const asked = frames.map((frame) => ({ frame, map: fileOf(frame) }));
  return (await translateFrames(asked, () => loadMaps(db, monitor, release, files))) ?? plain;
};
