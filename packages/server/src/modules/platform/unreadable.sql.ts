/** Rows that readers skipped because they could not parse them, for operators and readiness. */
import { sql } from 'kysely';
import type { PlatformHealth } from '@slipway/contract/platform.ts';
import type { Db } from '#db/database.ts';

const SHOWN = 200;

export const unreadableRows = async (db: Db): Promise<Pick<PlatformHealth, 'unreadable' | 'unreadableTotal'>> => {
  const rows = await db
    .selectFrom('unreadable_row')
    .selectAll()
    .select(sql<number>`count(*) over ()`.as('total'))
    .orderBy('found_at', 'desc')
    .orderBy('id')
    .limit(SHOWN)
    .execute();
  const unreadable = rows.map(({ kind, id, name, reader, detail, found_at: at }) => ({
    kind,
    id,
    name,
    reader,
    detail,
    foundAt: at.toISOString(),
  }));
  return { unreadable, unreadableTotal: rows[0]?.total ?? 0 };
};

/** Counts rows by kind. A row that several readers skip counts once. */
export const unreadableCounts = async (db: Db): Promise<readonly { readonly kind: string; readonly count: number }[]> =>
  (await sql<{ kind: string; count: number }>`select kind, count(distinct id) from unreadable_row group by kind`.execute(db)).rows;

/** Result for `/readyz`, with the name of the first row. */
export const unreadableCheck = async (db: Db): Promise<string> => {
  const [first] = (await unreadableRows(db)).unreadable;
  if (!first) return 'ok';
  const total = (await unreadableCounts(db)).reduce((sum, { count }) => sum + count, 0);
  return `degraded: ${first.kind} ${first.name} cannot be read${total > 1 ? `, and ${total - 1} more` : ''}`;
};
