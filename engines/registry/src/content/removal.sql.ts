// SQL that deletes tags, images and their attachments. A deletion locks the repository first, as a push does.
import type { Db } from '../project.sql.ts';
import { OCI_INDEX, DOCKER_LIST } from './manifest-document.ts';

/** Returns false if the repository does not exist. */
export async function lockRepository(db: Db, repository: string): Promise<boolean> {
  const { rowCount } = await db.query(`select from registry_repository where name = $1 for no key update`, [repository]);
  return rowCount === 1;
}

/** Returns the current digests of these tags, by tag. */
export async function selectTagged(db: Db, repository: string, tags: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ name: string; digest: string }>(
    `select name, digest from registry_tag where repository = $1 and name = any($2)`,
    [repository, tags],
  );
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

export async function deleteTag(db: Db, repository: string, tag: string): Promise<boolean> {
  const { rowCount } = await db.query(`delete from registry_tag where repository = $1 and name = $2`, [repository, tag]);
  return rowCount === 1;
}

/** Deletes the manifest and its tags. */
export async function deleteManifest(db: Db, repository: string, digest: string): Promise<boolean> {
  const { rowCount } = await db.query(`delete from registry_manifest where repository = $1 and digest = $2`, [repository, digest]);
  return rowCount === 1;
}

/** Relations of a manifest: its images if it is an index, the indexes that list it, and the manifests that describe it. */
export interface Kin {
  readonly isTagged: boolean;
  readonly images: readonly string[];
  /** Indexes that list the manifest. */
  readonly parents: readonly string[];
  /** Untagged manifests that have it as their subject. */
  readonly referrers: readonly string[];
}
export async function selectKin(db: Db, repository: string, digest: string): Promise<Kin | undefined> {
  const { rows } = await db.query<Kin>(
    `select exists (select from registry_tag t where t.repository = $1 and t.digest = $2) as "isTagged",
            coalesce(m.images, '{}') as images,
            array(select i.digest from registry_manifest i
                   where i.repository = $1 and (i.images is null or i.images <> '{}') and $2 = any(i.images)) as parents,
            array(select r.digest from registry_manifest r
                   where r.repository = $1 and r.subject_digest = $2
                     and not exists (select from registry_tag t where t.repository = $1 and t.digest = r.digest)) as referrers
       from registry_manifest m where m.repository = $1 and m.digest = $2`,
    [repository, digest],
  );
  return rows[0];
}

/** Returns indexes that an earlier version stored. Only their bytes tell which images they list. */
export async function selectUnreadIndexes(db: Db, repository: string): Promise<string[]> {
  const { rows } = await db.query<{ digest: string }>(
    `select digest from registry_manifest where repository = $1 and images is null and media_type = any($2)`,
    [repository, [OCI_INDEX, DOCKER_LIST]],
  );
  return rows.map(({ digest }) => digest);
}
export async function updateImages(db: Db, repository: string, digest: string, images: readonly string[]): Promise<void> {
  await db.query(`update registry_manifest set images = $3 where repository = $1 and digest = $2`, [repository, digest, images]);
}

/** Deletes an image's cosign tags. Returns the digests that the tags pointed to. */
export async function deleteTagsAbout(db: Db, repository: string, digest: string): Promise<string[]> {
  const { rows } = await db.query<{ digest: string }>(
    `delete from registry_tag where repository = $1 and name = any($2) returning digest`,
    [repository, ['sig', 'att', 'sbom'].map((kind) => `${digest.replace(':', '-')}.${kind}`)],
  );
  return rows.map((row) => row.digest);
}

/** Returns a manifest's subject and artifact type, or undefined if the manifest does not exist. */
export async function selectKind(
  db: Db,
  repository: string,
  digest: string,
): Promise<{ subject: string | null; artifactType: string | null } | undefined> {
  const { rows } = await db.query<{ subject: string | null; artifactType: string | null }>(
    `select subject_digest as subject, artifact_type as "artifactType" from registry_manifest where repository = $1 and digest = $2`,
    [repository, digest],
  );
  return rows[0];
}
