// SQL for browsing: pages of repositories and tags, referrers, and tags that retention does not keep.
import type {
  RepositorySlice,
  RepositoryUse,
  RetentionRule,
  Sliced,
  TagInfo,
  TagSlice,
} from '@slipway/foundation/ports/registry-content.ts';
import type { Db, Int8 } from '../project.sql.ts';

/** One more than the largest count that lists show. */
const COUNTED = 1001;
/** Artifact types of cosign and Notary signatures. A sigstore bundle may also be a provenance, which is signed as well. */
const SIGNATURES = [
  'application/vnd.dev.cosign.artifact.sig.v1+json',
  'application/vnd.dev.sigstore.bundle%',
  'application/vnd.cncf.notary.signature',
];
const direction = (isDescending: boolean): string => (isDescending ? 'desc' : 'asc');

const repositoryOrder: Readonly<Record<RepositorySlice['sort'], string>> = {
  name: 'r.name',
  pushedAt: 'r.updated_at',
  sizeBytes: 'u.bytes',
};
/** Selects repositories with at least one manifest. An interrupted push may leave a repository without one. */
const SHOWN = `r.project = $1 and exists (select from registry_manifest m where m.repository = r.name)
  and ($2::text is null or position(lower($2) in split_part(r.name, $1 || '/', 2)) > 0)`;

export async function selectRepositorySlice(db: Db, project: string, slice: RepositorySlice): Promise<Sliced<RepositoryUse>> {
  const order = `${repositoryOrder[slice.sort]} ${direction(slice.isDescending)}`;
  const { rows } = await db.query<{ repository: string; tags: Int8; sizeBytes: Int8; updatedAt: Date }>(
    `select r.name as repository, r.updated_at as "updatedAt", u.tags, u.bytes as "sizeBytes"
       from registry_repository r
       cross join lateral (
         select coalesce(sum(tags), 0)::bigint as tags, coalesce(sum(bytes), 0)::bigint as bytes
           from registry_usage where project = r.project and repository = r.name
       ) u
      where ${SHOWN}
      order by ${order}, r.name limit $3 offset $4`,
    [project, slice.query ?? null, slice.limit, slice.offset],
  );
  const { rows: counts } = await db.query<{ counted: number }>(
    `select count(*)::integer as counted from (select from registry_repository r where ${SHOWN} limit ${COUNTED}) found`,
    [project, slice.query ?? null],
  );
  const items = rows.map((row) => ({ ...row, tags: Number(row.tags), sizeBytes: Number(row.sizeBytes) }));
  return { items, counted: counts[0]?.counted ?? 0 };
}

type TagRow = Omit<TagInfo, 'sizeBytes'> & { readonly sizeBytes: Int8 };
const toTag = (row: TagRow): TagInfo => ({ ...row, sizeBytes: Number(row.sizeBytes) });
/** Columns of a tag. The query must define `t` (tag) and `m` (manifest). */
const TAG = `t.repository, t.name as tag, t.digest, m.media_type as "mediaType", m.content_bytes as "sizeBytes",
  t.pushed_at as "pushedAt", t.pushed_by as "pushedBy",
  exists (select from registry_manifest s where s.repository = t.repository and s.subject_digest = t.digest
    and s.artifact_type like any (array[${SIGNATURES.map((type) => `'${type}'`).join(', ')}]))
  or exists (select from registry_tag s where s.repository = t.repository and s.name = replace(t.digest, ':', '-') || '.sig') as "isSigned"`;
const TAGS = `registry_tag t join registry_manifest m on m.repository = t.repository and m.digest = t.digest`;
/** Pattern of cosign's tags. Their content belongs to the image whose digest is in the tag's name. */
const ABOUT_IMAGE = `'^sha256-[0-9a-f]{64}\\.[a-z]+$'`;
/** Selects tags by a part of the name or a prefix of the digest. Also filters by digests and cosign tags. */
const FOUND = `t.repository = $1
  and ($2::text is null or position(lower($2) in lower(t.name)) > 0 or starts_with(t.digest, $2) or starts_with(t.digest, 'sha256:' || $2))
  and ($3::text[] is null or t.digest = any($3)) and ($4::text[] is null or t.digest <> all($4))
  and not ($5 and t.name ~ ${ABOUT_IMAGE})`;
const tagOrder: Readonly<Record<TagSlice['sort'], string>> = { pushedAt: 't.pushed_at', tag: 't.name' };

export async function selectTagSlice(db: Db, repository: string, slice: TagSlice): Promise<Sliced<TagInfo>> {
  const { only = null, except = null } = slice.digests ?? {};
  const asked = [repository, slice.query ?? null, only, except, slice.isWithoutSignatures ?? false];
  const way = direction(slice.isDescending);
  const { rows } = await db.query<TagRow>(
    `select ${TAG} from ${TAGS} where ${FOUND} order by ${tagOrder[slice.sort]} ${way}, t.name ${way} limit $6 offset $7`,
    [...asked, slice.limit, slice.offset],
  );
  const { rows: counts } = await db.query<{ counted: number }>(
    `select count(*)::integer as counted from (select from registry_tag t where ${FOUND} limit ${COUNTED}) found`,
    asked,
  );
  return { items: rows.map(toTag), counted: counts[0]?.counted ?? 0 };
}

export async function selectTag(db: Db, repository: string, tag: string): Promise<TagInfo | undefined> {
  const { rows } = await db.query<TagRow>(`select ${TAG} from ${TAGS} where t.repository = $1 and t.name = $2`, [repository, tag]);
  return rows[0] && toTag(rows[0]);
}

export interface ReferrerInfoRow {
  readonly digest: string;
  readonly mediaType: string;
  readonly artifactType: string | null;
  readonly sizeBytes: Int8;
  readonly pushedAt: Date;
  readonly annotations: string | null;
}
export async function selectNewestReferrers(db: Db, repository: string, subject: string, limit: number): Promise<ReferrerInfoRow[]> {
  const { rows } = await db.query<ReferrerInfoRow>(
    `select digest, media_type as "mediaType", artifact_type as "artifactType", content_bytes as "sizeBytes", pushed_at as "pushedAt", annotations
       from registry_manifest where repository = $1 and subject_digest = $2 order by pushed_at desc, digest limit $3`,
    [repository, subject, limit],
  );
  return rows;
}

/** Returns tags beyond the newest `keepNewest` per repository, pushed before `keepSince`. Skips signatures, which go with their image. */
export async function selectExpiring(
  db: Db,
  project: string,
  { keepNewest, keepSince }: RetentionRule,
  { after, limit }: { readonly after?: TagInfo | undefined; readonly limit: number },
): Promise<TagInfo[]> {
  const { rows } = await db.query<TagRow>(
    `select ${TAG}
       from registry_repository r
       cross join lateral (
         select kept.pushed_at, kept.name from registry_tag kept
          where kept.repository = r.name and kept.name !~ ${ABOUT_IMAGE}
          order by kept.pushed_at desc, kept.name desc offset $2 - 1 limit 1
       ) edge
       join registry_tag t on t.repository = r.name and (t.pushed_at, t.name) < (edge.pushed_at, edge.name)
       join registry_manifest m on m.repository = t.repository and m.digest = t.digest
      where r.project = $1 and t.name !~ ${ABOUT_IMAGE}
        and ($3::timestamptz is null or t.pushed_at < $3)
        and ($4::timestamptz is null or (t.pushed_at, t.repository, t.name) > ($4, $5::text, $6::text))
      order by t.pushed_at, t.repository, t.name limit $7`,
    [project, keepNewest, keepSince, after?.pushedAt ?? null, after?.repository ?? null, after?.tag ?? null, limit],
  );
  return rows.map(toTag);
}

/** Returns the bytes that deleting these tags frees: blobs that no other image of the project needs, each counted once. */
export async function selectOwnBytes(db: Db, repository: string, tags: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ bytes: Int8 }>(
    `with roots as (
       select distinct named.digest from registry_tag named
        where named.repository = $1 and named.name = any($2)
          and not exists (select from registry_tag t where t.repository = $1 and t.digest = named.digest and t.name <> all($2))
     ), going as (
       select digest from roots
       union
       select image.digest from roots join registry_manifest i on i.repository = $1 and i.digest = roots.digest
         cross join unnest(i.images) as image (digest)
        where not exists (select from registry_tag t where t.repository = $1 and t.digest = image.digest)
     )
     select coalesce(sum(size_bytes), 0)::bigint as bytes from registry_blob b
      where b.digest in (select n.blob_digest from registry_manifest_blob n join going on going.digest = n.manifest_digest where n.repository = $1)
        and not exists (
          select from registry_blob_link l join registry_manifest_blob n on n.repository = l.repository and n.blob_digest = l.digest
           where l.digest = b.digest and split_part(l.repository, '/', 1) = split_part($1, '/', 1)
             and not (n.repository = $1 and n.manifest_digest in (select digest from going)))`,
    [repository, tags],
  );
  return Number(rows[0]?.bytes ?? 0);
}
