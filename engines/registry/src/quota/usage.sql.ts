// SQL of how full projects and repositories are: sums over rows that the triggers of migration 0026 add.
import type { ProjectStorage } from '@slipway/foundation/ports/registry-content.ts';
import type { Db, Int8 } from '../project.sql.ts';

/** Undefined for a project that does not exist. */
export async function selectQuota(db: Db, project: string): Promise<{ quotaBytes: number | null } | undefined> {
  const { rows } = await db.query<{ quotaBytes: Int8 | null }>(`select quota_bytes as "quotaBytes" from registry_project where name = $1`, [
    project,
  ]);
  const row = rows[0];
  return row && { quotaBytes: row.quotaBytes === null ? null : Number(row.quotaBytes) };
}

export async function updateQuota(db: Db, project: string, quotaBytes: number | null): Promise<boolean> {
  const { rowCount } = await db.query(`update registry_project set quota_bytes = $2 where name = $1`, [project, quotaBytes]);
  return rowCount === 1;
}

export async function selectUsage(db: Db, project: string): Promise<Omit<ProjectStorage, 'quotaBytes'>> {
  const { rows } = await db.query<{ usedBytes: Int8; uploadingBytes: Int8 }>(
    `select (select coalesce(sum(project_bytes), 0)::bigint from registry_usage where project = $1) as "usedBytes",
            (select coalesce(sum(size_bytes), 0)::bigint from registry_upload where project = $1) as "uploadingBytes"`,
    [project],
  );
  // Two pushes of one blob to two repositories at the same moment are counted once too often, or too seldom, until garbage collection.
  return { usedBytes: Math.max(0, Number(rows[0]?.usedBytes ?? 0)), uploadingBytes: Number(rows[0]?.uploadingBytes ?? 0) };
}

/** Projects with more rows than repositories. */
export async function selectUnfolded(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ project: string }>(
    `select project from registry_usage group by project having count(*) > count(distinct repository)`,
  );
  return rows.map(({ project }) => project);
}

/** One row for each repository, counted anew. One statement sees one moment: what is committed meanwhile keeps its own row. */
export async function foldUsage(db: Db, project: string): Promise<void> {
  await db.query(
    `with gone as (delete from registry_usage where project = $1)
     insert into registry_usage (project, repository, tags, bytes, project_bytes)
     select project, repository, tags, bytes, project_bytes from registry_usage_now where project = $1 and (tags <> 0 or bytes <> 0)`,
    [project],
  );
}
