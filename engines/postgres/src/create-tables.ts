/** Creates the tables of an engine that runs alone. In the platform, its migrations create them, and a test compares both. */
import type { Pool } from 'pg';
import { transaction } from './pool-transaction.ts';

/** Does nothing if the table `first` exists. */
export const createTables = (pool: Pool, tables: string, first: string): Promise<void> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [first]);
    if (!rows[0]?.found) await client.query(tables);
  });
