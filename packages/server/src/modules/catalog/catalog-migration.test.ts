/** Entries of the former small catalogue are taken over by the migration, each once, under its id. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '#testing/database.ts';

const migration = readFileSync(join(import.meta.dirname, '../../../migrations/0056_catalog.sql'), 'utf8');
const takeOver = migration.slice(migration.indexOf('-- The entries of the former small catalogue'));

test('takes over former entries with their platforms', async () => {
  const { pool } = await testDatabase();
  await pool.query(`insert into catalogue_entry (id, name, description, status, platform_name) values
    ('MAC-10017', 'Berth Planner', 'Plans', 'ACTIVE', 'Terminal Operations'), ('MAC-2', 'berth planner', 'The same', 'ACTIVE', 'terminal operations'),
    ('MAC-4', 'Yard', 'Gone', 'REJECTED', 'Customs'), ('MAC-5', 'Yard', 'Waits', 'PENDING', 'Customs'), ('MAC-6', 'YARD', 'In use', 'ACTIVE', 'Customs'),
    ('abc', 'Old', 'Gone', 'DECOMMISSIONED', 'Customs'), ('MAC-3', 'Odd', 'Unknown status', 'LIVE', 'Customs')`);
  await pool.query(takeOver);
  const { rows } = await pool.query(`select entry.id, entry.name, entry.status, platform.name as platform, portfolio.name as portfolio
    from catalog_entry entry join catalog_entry platform on platform.id = entry.platform_id join catalog_entry portfolio on portfolio.id = entry.portfolio_id
    where entry.kind = 'application' order by entry.id collate "C"`);
  const portfolio = 'Company';
  expect(rows).toEqual([
    { id: 'MAC-10017', name: 'Berth Planner', status: 'ACTIVE', platform: 'Terminal Operations', portfolio },
    { id: 'MAC-2', name: 'berth planner (MAC-2)', status: 'ACTIVE', platform: 'Terminal Operations', portfolio },
    { id: 'MAC-3', name: 'Odd', status: 'ACTIVE', platform: 'Customs', portfolio },
    { id: 'MAC-4', name: 'Yard', status: 'REJECTED', platform: 'Customs', portfolio },
    { id: 'MAC-5', name: 'Yard (MAC-5)', status: 'PENDING', platform: 'Customs', portfolio },
    { id: 'MAC-6', name: 'YARD', status: 'ACTIVE', platform: 'Customs', portfolio },
    { id: 'abc', name: 'Old', status: 'DECOMMISSIONED', platform: 'Customs', portfolio },
  ]);
});
