/** The registry's tables. In the platform its migration 0030 creates them, and a test compares both. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { transaction } from '@slipway/postgres/pool-transaction.ts';

export const tables = readFileSync(join(import.meta.dirname, 'tables.sql'), 'utf8');

/** Does nothing if the tables exist. */
export const createTables = (pool: Pool): Promise<void> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<{ found: boolean }>("select to_regclass('schema_registry') is not null as found");
    if (!rows[0]?.found) await client.query(tables);
  });
