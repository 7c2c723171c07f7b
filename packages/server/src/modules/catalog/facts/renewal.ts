/**
 * Writes the entries below a changed parent: their search documents contain its name, and they follow the status and portfolio of a platform.
 * The table's trigger writes a few entries with the change itself, and notes a parent with more of them for this task.
 */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';

const PART = 200;
const columns = { platform: 'platform_id', portfolio: 'portfolio_id', product: 'product_id' } as const;

interface Renewal {
  readonly id: string;
  readonly parent_id: string;
  readonly kind: keyof typeof columns;
  readonly after_kind: string;
  readonly after_norm: string;
  readonly after_id: string;
}
/**
 * Writes the next entries below one changed parent, in a short transaction. Returns false if there is none, or if other replicas work on all
 * of them. The trigger of the table reads the parents anew, so that writing an entry twice does no harm.
 */
export const renewBelow = (db: Db, part = PART): Promise<boolean> =>
  transaction(db, async (trx) => {
    const { rows } = await sql<Renewal>`
      select renewal.*, entry.kind from catalog_renewal renewal join catalog_entry entry on entry.id = renewal.parent_id
      order by renewal.id limit 1 for update of renewal skip locked`.execute(trx);
    const [renewal] = rows;
    if (!renewal) return false;
    const { rows: below } = await sql<{ id: string; kind: string; norm: string }>`
      select id, kind, norm from catalog_entry where ${sql.ref(columns[renewal.kind])} = ${renewal.parent_id}
        and (kind, norm, id) > (${renewal.after_kind}, ${renewal.after_norm}, ${renewal.after_id}) order by kind, norm, id limit ${part}`.execute(
      trx,
    );
    // In one order, so that two renewals that meet wait for each other and do not deadlock.
    await sql`with some_below as materialized (select id from catalog_entry where id = any(${below.map(({ id }) => id)}::text[]) order by id for update)
      update catalog_entry set name = name where id in (select id from some_below)`.execute(trx);
    const last = below.at(-1);
    if (!last || below.length < part) await sql`delete from catalog_renewal where id = ${renewal.id}`.execute(trx);
    else
      await sql`update catalog_renewal set after_kind = ${last.kind}, after_norm = ${last.norm}, after_id = ${last.id}
        where id = ${renewal.id}`.execute(trx);
    return true;
  });
