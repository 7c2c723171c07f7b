// SQL of projects and repositories.
import type { Pool } from 'pg';

/** Result type of a bigint: text by default, a number if the pool parses it. */
export type Int8 = string | number;

/** A pool, or one of its connections inside a transaction. */
export type Db = Pick<Pool, 'query'>;

/** Creates the project if it is missing. Returns the project's current owner. */
export async function insertProject(db: Db, name: string, owner: string, now: Date): Promise<string> {
  const { rows } = await db.query<{ owner: string }>(
    `insert into registry_project (name, owner, created_at) values ($1, $2, $3)
     on conflict (name) do update set name = excluded.name returning owner`,
    [name, owner, now],
  );
  return rows[0]?.owner ?? owner;
}

export async function selectProject(db: Db, name: string): Promise<{ isPublic: boolean } | undefined> {
  const { rows } = await db.query<{ isPublic: boolean }>(`select is_public as "isPublic" from registry_project where name = $1`, [name]);
  return rows[0];
}

export async function updateProjectPublic(db: Db, name: string, isPublic: boolean): Promise<boolean> {
  const { rowCount } = await db.query(`update registry_project set is_public = $2 where name = $1`, [name, isPublic]);
  return rowCount === 1;
}

export async function deleteProject(db: Db, name: string): Promise<void> {
  await db.query(`delete from registry_project where name = $1`, [name]);
}

/** Fails with a foreign key violation when the project does not exist. */
export async function ensureRepository(db: Db, project: string, repository: string, now: Date): Promise<void> {
  await db.query(
    `insert into registry_repository (name, project, created_at, updated_at) values ($1, $2, $3, $3) on conflict (name) do nothing`,
    [repository, project, now],
  );
}

/** Creates or updates the repository. Its row lock serializes pushes to the repository, so that they cannot deadlock on tags and blobs. */
export async function touchRepository(db: Db, project: string, repository: string, now: Date): Promise<void> {
  await db.query(
    `insert into registry_repository (name, project, created_at, updated_at) values ($1, $2, $3, $3)
     on conflict (name) do update set updated_at = excluded.updated_at`,
    [repository, project, now],
  );
}

export async function repositoryExists(db: Db, repository: string): Promise<boolean> {
  const { rowCount } = await db.query(`select 1 from registry_repository where name = $1`, [repository]);
  return rowCount === 1;
}

/** Returns repositories of all projects after `last`, in byte order. Skips repositories without manifests. */
export async function selectRepositoryNames(
  db: Db,
  last: string,
  limit: number,
): Promise<{ name: string; project: string; isPublic: boolean }[]> {
  const { rows } = await db.query<{ name: string; project: string; isPublic: boolean }>(
    `select r.name, r.project, p.is_public as "isPublic"
       from registry_repository r join registry_project p on p.name = r.project
      where r.name collate "C" > $1 and exists (select from registry_manifest m where m.repository = r.name)
      order by r.name collate "C" limit $2`,
    [last, limit],
  );
  return rows;
}

/** Returns repositories with at least one manifest. An interrupted push may leave a repository without one. */
export async function selectRepositories(db: Db, project: string): Promise<{ repository: string; tags: number; updatedAt: Date }[]> {
  const { rows } = await db.query<{ repository: string; tags: number; updatedAt: Date }>(
    `select r.name as repository, r.updated_at as "updatedAt",
            (select count(*)::int from registry_tag t where t.repository = r.name) as tags
       from registry_repository r
      where r.project = $1 and exists (select from registry_manifest m where m.repository = r.name)
      order by r.name`,
    [project],
  );
  return rows;
}

export async function deleteRepository(db: Db, repository: string): Promise<void> {
  await db.query(`delete from registry_repository where name = $1`, [repository]);
}
