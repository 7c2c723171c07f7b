/** Rows with wrapped keys, and rotations. */
import { sql } from 'kysely';
import type { KeyRotation } from '@slipway/contract/keys.ts';
import type { Db } from '#db/database.ts';
import { wrapPurpose } from '#kernel/platform-keys.ts';
import { purposeOf } from '#modules/secret-groups/index.ts';
import type { WrappedKey } from '#ports/keys.ts';

/** A wrapped key from either table. */
export interface WrappedRow {
  /** Position in the iteration order. */
  readonly at: Position;
  readonly purpose: string;
  readonly wrapped: WrappedKey;
}
/** Secret versions are ordered by group and number. The platform's own keys follow, with their purpose as the group. */
export interface Position {
  readonly table: 'secret_version' | 'platform_key';
  readonly id: string;
  readonly version: number;
}
export const firstPosition: Position = { table: 'secret_version', id: '', version: 0 };

/** Returns the next rows after a position that are wrapped with a key other than `kid`. Empty at the end of a table. */
export const nextWrapped = async (db: Db, kid: string, after: Position, limit: number): Promise<WrappedRow[]> => {
  if (after.table === 'secret_version') {
    const { rows } = await sql<{
      group_id: string;
      version: number;
      kid: string;
      wrapped: Buffer;
      app: string;
      environment: string;
      group: string;
    }>`
      select secret_version.group_id, secret_version.version, secret_version.kid, secret_version.wrapped,
        secret_group.app_id as app, secret_group.environment, secret_group.name as group
      from secret_version join secret_group on secret_group.id = secret_version.group_id
      where secret_version.kid <> ${kid} and (secret_version.group_id, secret_version.version) > (${after.id}, ${after.version})
      order by secret_version.group_id, secret_version.version limit ${limit}`.execute(db);
    return rows.map((row) => ({
      at: { table: 'secret_version', id: row.group_id, version: row.version },
      purpose: purposeOf(row),
      wrapped: { kid: row.kid, blob: row.wrapped },
    }));
  }
  const rows = await db
    .selectFrom('platform_key')
    .select(['purpose', 'kid', 'wrapped'])
    .where('kid', '!=', kid)
    .where('purpose', '>', after.id)
    .orderBy('purpose')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    at: { table: 'platform_key', id: row.purpose, version: 0 },
    purpose: wrapPurpose(row.purpose),
    wrapped: { kid: row.kid, blob: row.wrapped },
  }));
};

/** Updates a row only if it did not change since it was read. Readers see the old or the new pair, and both open. */
export const replaceWrapped = async (db: Db, { at, wrapped: old }: WrappedRow, { kid, blob }: WrappedKey): Promise<void> => {
  const values = { kid, wrapped: blob };
  if (at.table === 'secret_version')
    await db
      .updateTable('secret_version')
      .set(values)
      .where('group_id', '=', at.id)
      .where('version', '=', at.version)
      .where('kid', '=', old.kid)
      .execute();
  else await db.updateTable('platform_key').set(values).where('purpose', '=', at.id).where('kid', '=', old.kid).execute();
};

export const wrapCounts = async (db: Db): Promise<{ kid: string; wraps: number }[]> => {
  const { rows } = await sql<{ kid: string; wraps: number }>`
    select kid, count(*)::integer as wraps from (select kid from secret_version union all select kid from platform_key) wrapped
    group by kid order by kid`.execute(db);
  return rows;
};
export const remaining = async (db: Db, kid: string): Promise<number> =>
  (await wrapCounts(db)).filter((row) => row.kid !== kid).reduce((sum, { wraps }) => sum + wraps, 0);

export const runningRotation = (db: Db) => db.selectFrom('key_rotation').selectAll().where('state', '=', 'RUNNING').executeTakeFirst();

export const latestRotation = async (db: Db): Promise<KeyRotation | null> => {
  const row = await db.selectFrom('key_rotation').selectAll().orderBy('started_at', 'desc').limit(1).executeTakeFirst();
  if (!row) return null;
  const isRunning = row.state === 'RUNNING';
  const left = isRunning ? await remaining(db, row.kid) : row.failed;
  return {
    state: row.state,
    kid: row.kid,
    total: row.total,
    done: Math.max(0, row.total - left),
    failed: row.failed,
    startedAt: row.started_at.toISOString(),
    startedBy: { id: row.started_by, displayName: row.started_by_name },
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
};
