// SQL of a repository's content: blobs, manifests, tags and referrers.
import type { PushedTag } from '@slipway/foundation/ports/registry.ts';
import type { Db, Int8 } from '../project.sql.ts';

/** Must run before the file is moved into place, because the row lock keeps garbage collection away from the digest. */
export async function upsertBlob(db: Db, digest: string, sizeBytes: number, now: Date): Promise<void> {
  await db.query(
    `insert into registry_blob (digest, size_bytes, stored_at) values ($1, $2, $3)
     on conflict (digest) do update set size_bytes = excluded.size_bytes, stored_at = excluded.stored_at`,
    [digest, sizeBytes, now],
  );
}

export async function upsertBlobLink(db: Db, repository: string, digest: string, now: Date): Promise<void> {
  await db.query(
    `insert into registry_blob_link (repository, digest, linked_at) values ($1, $2, $3)
     on conflict (repository, digest) do update set linked_at = excluded.linked_at`,
    [repository, digest, now],
  );
}

export async function selectBlob(db: Db, repository: string, digest: string): Promise<{ sizeBytes: number; linkedAt: Date } | undefined> {
  const { rows } = await db.query<{ sizeBytes: Int8; linkedAt: Date }>(
    `select b.size_bytes as "sizeBytes", l.linked_at as "linkedAt"
       from registry_blob_link l join registry_blob b on b.digest = l.digest
      where l.repository = $1 and l.digest = $2`,
    [repository, digest],
  );
  const row = rows[0];
  return row && { sizeBytes: Number(row.sizeBytes), linkedAt: row.linkedAt };
}

/** Returns a repository of the project that has the blob. */
export async function selectBlobRepository(db: Db, project: string, digest: string): Promise<string | undefined> {
  const { rows } = await db.query<{ repository: string }>(
    `select l.repository from registry_blob_link l join registry_repository r on r.name = l.repository
      where l.digest = $2 and r.project = $1 order by l.linked_at desc limit 1`,
    [project, digest],
  );
  return rows[0]?.repository;
}

/** Renews the links to these blobs. Returns the sizes of the blobs that the repository has, by digest. */
export async function touchBlobLinks(db: Db, repository: string, digests: readonly string[], now: Date): Promise<Map<string, number>> {
  const { rows } = await db.query<{ digest: string; sizeBytes: Int8 }>(
    `update registry_blob_link l set linked_at = $3 from registry_blob b
      where l.repository = $1 and l.digest = any($2) and b.digest = l.digest
      returning l.digest, b.size_bytes as "sizeBytes"`,
    [repository, digests, now],
  );
  return new Map(rows.map((row) => [row.digest, Number(row.sizeBytes)]));
}

/** Deletes the link to a blob unless a manifest of this repository needs the blob. */
export async function deleteBlobLink(db: Db, repository: string, digest: string): Promise<'deleted' | 'needed' | 'unknown'> {
  const { rowCount } = await db.query(
    `delete from registry_blob_link l
      where l.repository = $1 and l.digest = $2
        and not exists (select from registry_manifest_blob n where n.repository = l.repository and n.blob_digest = l.digest)`,
    [repository, digest],
  );
  if (rowCount === 1) return 'deleted';
  return (await selectBlob(db, repository, digest)) ? 'needed' : 'unknown';
}

export interface ManifestRow {
  readonly digest: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly contentBytes: number;
  readonly subject: string | undefined;
  readonly artifactType: string | undefined;
  /** JSON text. */
  readonly annotations: string | undefined;
  readonly blobs: readonly string[];
  /** Digests of the images in an index. */
  readonly images: readonly string[];
}

export async function upsertManifest(db: Db, repository: string, manifest: ManifestRow, now: Date): Promise<void> {
  await db.query(
    `insert into registry_manifest
       (repository, digest, media_type, size_bytes, content_bytes, subject_digest, artifact_type, annotations, pushed_at, images)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (repository, digest) do update
       set media_type = excluded.media_type, content_bytes = excluded.content_bytes, pushed_at = excluded.pushed_at, images = excluded.images`,
    [
      repository,
      manifest.digest,
      manifest.mediaType,
      manifest.sizeBytes,
      manifest.contentBytes,
      manifest.subject,
      manifest.artifactType,
      manifest.annotations,
      now,
      manifest.images,
    ],
  );
  await db.query(
    `insert into registry_manifest_blob (repository, manifest_digest, blob_digest)
     select $1, $2, unnest($3::text[]) on conflict do nothing`,
    [repository, manifest.digest, manifest.blobs],
  );
}

export interface TagPush {
  readonly tags: readonly string[];
  readonly digest: string;
  readonly by: string;
}
export async function upsertTags(db: Db, repository: string, { tags, digest, by }: TagPush, now: Date): Promise<void> {
  await db.query(
    `insert into registry_tag (repository, name, digest, pushed_at, pushed_by) select $1, unnest($2::text[]), $3, $4, $5
     on conflict (repository, name)
     do update set digest = excluded.digest, pushed_at = excluded.pushed_at, pushed_by = excluded.pushed_by`,
    [repository, tags, digest, now, by],
  );
}

/** Limit per repository. Newer tags displace older ones. */
const MAX_PUSHED = 1000;
/** Reads many repositories in one query. Without `lateral`, the planner reads every tag, because it cannot know how few are new. */
export async function selectPushedTags(db: Db, since: readonly { repository: string; after: Date }[]): Promise<PushedTag[]> {
  const { rows } = await db.query<PushedTag>(
    `select t.repository, t.name as tag, t.digest, t.pushed_at as "pushedAt", t.pushed_by as "pushedBy"
       from unnest($1::text[], $2::timestamptz[]) as asked (repository, after)
       cross join lateral (
         select * from registry_tag
          where registry_tag.repository = asked.repository and registry_tag.pushed_at > asked.after
          order by registry_tag.pushed_at desc limit $3
       ) t
      order by t.pushed_at desc, t.repository, t.name`,
    [since.map(({ repository }) => repository), since.map(({ after }) => after), MAX_PUSHED],
  );
  return rows;
}

export async function selectPushes(db: Db, after: Date, limit: number): Promise<PushedTag[]> {
  const { rows } = await db.query<PushedTag>(
    `select repository, name as tag, digest, pushed_at as "pushedAt", pushed_by as "pushedBy"
       from registry_tag where pushed_at > $1 order by pushed_at, repository, name limit $2`,
    [after, limit],
  );
  return rows;
}

/** Finds a manifest by tag or digest. */
export async function selectManifest(
  db: Db,
  repository: string,
  reference: string,
): Promise<{ digest: string; mediaType: string; sizeBytes: number } | undefined> {
  const { rows } = await db.query<{ digest: string; mediaType: string; sizeBytes: Int8 }>(
    `select m.digest, m.media_type as "mediaType", m.size_bytes as "sizeBytes"
       from registry_manifest m
      where m.repository = $1
        and m.digest = coalesce((select t.digest from registry_tag t where t.repository = $1 and t.name = $2), $2)`,
    [repository, reference],
  );
  const row = rows[0];
  return row && { ...row, sizeBytes: Number(row.sizeBytes) };
}

/** Returns the content sizes of the manifests that the repository has, by digest. */
export async function selectManifestSizes(db: Db, repository: string, digests: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ digest: string; contentBytes: Int8 }>(
    `select m.digest, m.content_bytes as "contentBytes" from registry_manifest m where m.repository = $1 and m.digest = any($2)`,
    [repository, digests],
  );
  return new Map(rows.map((row) => [row.digest, Number(row.contentBytes)]));
}

/** Returns the tags after `last`, in byte order. */
export async function selectTagNames(db: Db, repository: string, last: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select t.name from registry_tag t where t.repository = $1 and t.name > $2 order by t.name limit $3`,
    [repository, last, limit],
  );
  return rows.map((row) => row.name);
}

export interface ImageRow {
  readonly digest: string;
  readonly mediaType: string;
  readonly contentBytes: Int8;
  readonly pushedAt: Date;
  readonly tags: readonly string[];
}

/** Returns tagged images, newest tag first. With `digest`, returns only that image, tagged or not. */
export async function selectImages(db: Db, repository: string, digest: string | undefined): Promise<ImageRow[]> {
  const { rows } = await db.query<ImageRow>(
    `select m.digest, m.media_type as "mediaType", m.content_bytes as "contentBytes",
            coalesce(max(t.pushed_at), m.pushed_at) as "pushedAt",
            coalesce(array_agg(t.name order by t.name) filter (where t.name is not null), '{}') as tags
       from registry_manifest m left join registry_tag t on t.repository = m.repository and t.digest = m.digest
      where m.repository = $1 and case when $2::text is null then t.name is not null else m.digest = $2 end
      group by m.repository, m.digest
      order by "pushedAt" desc, m.digest`,
    [repository, digest ?? null],
  );
  return rows;
}

export interface ReferrerRow {
  readonly digest: string;
  readonly mediaType: string;
  readonly sizeBytes: Int8;
  readonly artifactType: string | null;
  readonly annotations: string | null;
}

/** Returns the manifests that refer to `subject`, ordered by digest, after `last`. */
export async function selectReferrers(
  db: Db,
  repository: string,
  subject: string,
  filter: { readonly artifactType: string | null; readonly last: string; readonly limit: number },
): Promise<ReferrerRow[]> {
  const { rows } = await db.query<ReferrerRow>(
    `select m.digest, m.media_type as "mediaType", m.size_bytes as "sizeBytes", m.artifact_type as "artifactType", m.annotations
       from registry_manifest m
      where m.repository = $1 and m.subject_digest = $2 and m.digest > $3 and ($4::text is null or m.artifact_type = $4)
      order by m.digest limit $5`,
    [repository, subject, filter.last, filter.artifactType, filter.limit],
  );
  return rows;
}
