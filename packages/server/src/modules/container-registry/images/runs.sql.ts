/** Finds the revisions that use an image, for tag lists and for checks before a tag is moved or deleted. */
import { sql } from 'kysely';
import type { ImageRun } from '@slipway/contract/registry/images.ts';
import type { Db } from '#db/database.ts';
import type { ImageUse, Statements } from '#ports/registry-content.ts';

interface Row extends Omit<ImageRun, 'createdAt'> {
  readonly digest: string;
  readonly createdAt: Date;
}
const LIVE = `revision.enabled and revision.deleting_at is null and revision.deleted_at is null`;

/** Returns up to `perImage` revisions of each image, by digest. Live revisions come first, then serving ones, then the newest. */
export const runsOf = async (
  db: Db,
  repository: string,
  digests: readonly string[],
  { perImage }: { readonly perImage: number },
): Promise<Map<string, ImageRun[]>> => {
  const { rows } = await sql<Row>`
    select asked.digest, run.* from unnest(${[...digests]}::text[]) as asked (digest)
    cross join lateral (
      select service.environment, service.name as service, revision.name as revision, revision.number, revision.status,
        ${sql.raw(LIVE)} as "isLive", revision.name = any (service.serving) as "isServing",
        revision.created_at as "createdAt", revision.created_by_name as "createdBy"
      from revision join service on service.id = revision.service_id
      where revision.image_repository = ${repository} and revision.image_digest = asked.digest and revision.status <> 'DELETED'
      order by "isLive" desc, "isServing" desc, revision.created_at desc limit ${perImage}
    ) run`.execute(db);
  const runs = new Map<string, ImageRun[]>(digests.map((digest) => [digest, []]));
  for (const { digest, createdAt, ...run } of rows) runs.get(digest)?.push({ ...run, createdAt: createdAt.toISOString() });
  return runs;
};

/** Returns the digests of a repository's images that live revisions run. There are few, because services enable few revisions. */
export const runningDigests = async (db: Db, repository: string): Promise<string[]> => {
  const { rows } = await sql<{ digest: string }>`
    select distinct image_digest as digest from revision
    where image_repository = ${repository} and status <> 'DELETED' and ${sql.raw(LIVE)} limit 1000`.execute(db);
  return rows.map(({ digest }) => digest);
};

/** Returns the revisions that use these images. Runs in the caller's transaction. */
export const usesOf = async (db: Statements, repository: string, digests: readonly string[]): Promise<ImageUse[]> => {
  const { rows } = await db.query<ImageUse & Record<string, unknown>>(
    `select revision.image_digest as digest, revision.name as revision, service.environment, ${LIVE} as "isLive"
       from revision join service on service.id = revision.service_id
      where revision.image_repository = $1 and revision.image_digest = any($2) and revision.status <> 'DELETED'
      order by "isLive" desc, service.environment desc limit 1000`,
    [repository, digests],
  );
  return rows;
};
