// SQL of uploads in progress: the rows say how far an upload has come, so that any replica can carry it on.
import { isAlgorithm, type Algorithm } from '../grammar.ts';
import type { Db, Int8 } from '../project.sql.ts';

export interface UploadRow {
  readonly id: string;
  readonly repository: string;
  readonly algorithm: Algorithm;
  readonly sizeBytes: number;
}
export interface UploadPart {
  readonly startByte: number;
  readonly sizeBytes: number;
  readonly file: string;
  readonly digest: string;
}

/**
 * In front of a statement that is a transaction of its own: it does not wait for the disk. What a power failure takes of an upload under way
 * the client sends again, as the answer to its next request tells it to.
 */
const RELAXED = `with relaxed as (select set_config('synchronous_commit', 'off', true))`;

/** Fails with a foreign key violation when the project does not exist. */
export async function insertUpload(db: Db, upload: UploadRow, project: string, now: Date): Promise<void> {
  await db.query(
    `${RELAXED} insert into registry_upload (id, project, repository, algorithm, touched_at) select $1, $2, $3, $4, $5 from relaxed`,
    [upload.id, project, upload.repository, upload.algorithm, now],
  );
}

export async function selectUpload(db: Db, id: string, repository: string): Promise<UploadRow | undefined> {
  const { rows } = await db.query<{ algorithm: string; sizeBytes: Int8 }>(
    `select algorithm, size_bytes as "sizeBytes" from registry_upload where id = $1 and repository = $2`,
    [id, repository],
  );
  const row = rows[0];
  return row && { id, repository, algorithm: isAlgorithm(row.algorithm) ? row.algorithm : 'sha256', sizeBytes: Number(row.sizeBytes) };
}

/** False when the upload is gone, or another request has added bytes since this one began. */
export async function appendUploadPart(db: Db, id: string, part: UploadPart, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `with moved as (
       update registry_upload set size_bytes = size_bytes + $3, touched_at = $6 where id = $1 and size_bytes = $2 returning id)
     insert into registry_upload_part (upload_id, start_byte, size_bytes, file, digest) select id, $2, $3, $4, $5 from moved`,
    [id, part.startByte, part.sizeBytes, part.file, part.digest, now],
  );
  return rowCount === 1;
}

export async function selectUploadParts(db: Db, id: string): Promise<UploadPart[]> {
  const { rows } = await db.query<{ startByte: Int8; sizeBytes: Int8; file: string; digest: string }>(
    `select start_byte as "startByte", size_bytes as "sizeBytes", file, digest from registry_upload_part
      where upload_id = $1 order by start_byte`,
    [id],
  );
  return rows.map((row) => ({ ...row, startByte: Number(row.startByte), sizeBytes: Number(row.sizeBytes) }));
}

/** False when the upload is gone or has grown: of two requests that finish it, one wins. */
export async function claimUpload(db: Db, id: string, sizeBytes: number): Promise<boolean> {
  const { rowCount } = await db.query(`delete from registry_upload where id = $1 and size_bytes = $2`, [id, sizeBytes]);
  return rowCount === 1;
}

/** Answers the files that belonged to it. */
export async function deleteUpload(db: Db, id: string): Promise<string[]> {
  const { rows } = await db.query<{ file: string }>(
    `with gone as (delete from registry_upload where id = $1 returning id)
     select p.file from registry_upload_part p join gone on gone.id = p.upload_id`,
    [id],
  );
  return rows.map((row) => row.file);
}

/** Uploads that nobody has added to since `before`; answers their files. */
export async function deleteStaleUploads(db: Db, before: Date): Promise<string[]> {
  const { rows } = await db.query<{ file: string }>(
    `with gone as (delete from registry_upload where touched_at < $1 returning id)
     select p.file from registry_upload_part p join gone on gone.id = p.upload_id`,
    [before],
  );
  return rows.map((row) => row.file);
}

/** Which of these files are parts of a living upload. */
export async function selectKnownParts(db: Db, files: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ file: string }>(`select file from registry_upload_part where file = any($1)`, [files]);
  return new Set(rows.map((row) => row.file));
}
