// SQL of garbage collection: manifests mark, what is unmarked and older than the grace period goes.
import type { Db } from '../project.sql.ts';

/** Links that no manifest of their repository needs. Locked ones are being pushed right now and wait for the next time. */
export async function deleteUnneededLinks(db: Db, before: Date): Promise<number> {
  const { rowCount } = await db.query(
    `delete from registry_blob_link where (repository, digest) in (
       select l.repository, l.digest from registry_blob_link l
        where l.linked_at < $1
          and not exists (select from registry_manifest_blob n where n.repository = l.repository and n.blob_digest = l.digest)
        for update of l skip locked)`,
    [before],
  );
  return rowCount ?? 0;
}

const UNREFERENCED = `b.stored_at < $1
  and not exists (select from registry_blob_link l where l.digest = b.digest)
  and not exists (select from registry_manifest m where m.digest = b.digest)`;

export async function selectUnreferencedBlobs(db: Db, before: Date): Promise<string[]> {
  const { rows } = await db.query<{ digest: string }>(`select b.digest from registry_blob b where ${UNREFERENCED}`, [before]);
  return rows.map((row) => row.digest);
}

/** Inside a transaction: true when the blob is still unreferenced, and nobody can refer to it before the transaction ends. */
export async function deleteUnreferencedBlob(db: Db, digest: string, before: Date): Promise<boolean> {
  await db.query(`select from registry_blob where digest = $1 for update`, [digest]);
  // A second statement sees what was committed while the first one waited for the lock.
  const { rowCount } = await db.query(`delete from registry_blob b where b.digest = $2 and ${UNREFERENCED}`, [before, digest]);
  return rowCount === 1;
}

export async function selectKnownBlobs(db: Db, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ digest: string }>(`select digest from registry_blob where digest = any($1)`, [digests]);
  return new Set(rows.map((row) => row.digest));
}

/** Gives a file without a row the grace period that everything has. Its size matters to nobody: nothing refers to it. */
export async function insertOrphanBlob(db: Db, digest: string, now: Date): Promise<void> {
  await db.query(`insert into registry_blob (digest, size_bytes, stored_at) values ($1, 0, $2) on conflict (digest) do nothing`, [
    digest,
    now,
  ]);
}

/** Sessions of all replicas compete for this one lock. */
const LOCK = `hashtext('slipway.registry.garbage')`;

export async function tryGarbageLock(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK}) as locked`);
  return rows[0]?.locked === true;
}

export async function releaseGarbageLock(db: Db): Promise<void> {
  await db.query(`select pg_advisory_unlock(${LOCK})`);
}
