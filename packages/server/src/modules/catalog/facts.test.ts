/** Facts that the table keeps about applications: valid, verified, and the checks of the scorecard. */
import { expect, test } from 'vitest';
import { seedCatalogApplication } from '#testing/fixtures.ts';
import { catalogWorld } from './catalog.fixture.ts';
import { expireFacts } from './facts/nightly.ts';

const world = catalogWorld();
const all = `owners = '{olga,mats}', criticality = 'important', classification = 'INTERNAL', seen_running_at = now(), attested_at = now()`;
let next = 0;
const facts = async (change: string) => {
  next += 1;
  const id = `MAC-3000${next}`;
  await seedCatalogApplication(world.app().database.db, { id });
  await world.sql(`update catalog_entry set ${all} where id = '${id}'`);
  const [row] = await world.sql<{ is_valid: boolean; is_verified: boolean; failing: string[] }>(
    `update catalog_entry set ${change} where id = '${id}' returning is_valid, is_verified, failing`,
  );
  return [row?.is_valid, row?.is_verified, row?.failing.join(' ')];
};

test.each([
  ['everything is as it should be', 'intent = null', [true, true, '']],
  ['one owner', `owners = '{olga}'`, [true, true, 'owners']],
  ['no owner who is there', `owners = '{nobody}'`, [false, false, 'owners']],
  ['no criticality', 'criticality = null', [false, true, 'graded']],
  ['waiting', `status = 'PENDING'`, [false, true, '']],
  ['seen running long ago', `seen_running_at = now() - interval '31 days'`, [true, false, 'runs']],
  ['never seen, but managed elsewhere', 'seen_running_at = null, locally_managed = true', [true, true, '']],
  ['attested long ago', `attested_at = now() - interval '366 days'`, [true, true, 'true']],
  ['managed elsewhere, and attested long ago', `locally_managed = true, attested_at = now() - interval '366 days'`, [true, false, 'true']],
  ['a description that says little', `description = 'Application'`, [true, true, 'purpose']],
  ['a date that passed', 'target_date = current_date', [true, true, 'dates']],
  ['an open issue', 'open_issues = 1', [true, true, 'issues']],
])('%s', async (_name, change, expected) => {
  expect(await facts(change)).toEqual(expected);
});

test('a renamed portfolio is written into everything below it once', async () => {
  const id = 'MAC-42000';
  await seedCatalogApplication(world.app().database.db, { id });
  await world.sql(`insert into catalog_entry (id, kind, name, description, status, type, platform_id, created_by, modified_by)
    values ('PRD-42', 'product', 'Berthing', 'Berthing', 'ACTIVE', 'SERVICE', 'PLT-0901', 'ada', 'ada')`);
  await world.sql(`update catalog_entry set product_id = 'PRD-42' where id = '${id}'`);
  await world.sql(`create table written (id text);
    create function note_written() returns trigger language plpgsql as $$ begin insert into written values (new.id); return null; end $$;
    create trigger note_written after update on catalog_entry for each row execute function note_written()`);
  const written = async (change: string) => {
    await world.sql('truncate written');
    await world.sql(change);
    const rows = await world.sql<{ id: string }>(`select id from written where id in ('${id}', 'PRD-42', 'PLT-0901') order by id`);
    const found = await world.sql(`select 1 from catalog_entry where id = '${id}' and document @@ 'seaside'`);
    return [rows.map((row) => row.id), found.length];
  };
  const rename = (entry: string, name: string) => `update catalog_entry set name = '${name}' where id = '${entry}'`;
  const [{ portfolio } = { portfolio: '' }] = await world.sql<{ portfolio: string }>(
    `select portfolio_id as portfolio from catalog_entry where id = '${id}'`,
  );
  expect(await written(rename(portfolio, 'Seaside One'))).toEqual([[id, 'PLT-0901', 'PRD-42'], 1]);
  expect(await written(rename(portfolio, 'Harbor'))).toEqual([[id, 'PLT-0901', 'PRD-42'], 0]);
  expect(await written(rename('PLT-0901', 'Seaside Two'))).toEqual([[id, 'PLT-0901', 'PRD-42'], 1]);
  expect(await written(rename('PRD-42', 'Seaside Three'))).toEqual([[id, 'PRD-42'], 1]);
  expect(await written(`update catalog_entry set owners = '{mats}' where id = 'PLT-0901'`)).toEqual([['PLT-0901'], 1]);
  await world.sql('drop trigger note_written on catalog_entry');
});

test('expire in batches', async () => {
  const ids = ['MAC-41001', 'MAC-41002', 'MAC-41003'];
  for (const id of ids) await seedCatalogApplication(world.app().database.db, { id });
  await world.sql(`update catalog_entry set ${all} where id like 'MAC-4100_'`);
  await world.sql('alter table catalog_entry disable trigger user');
  await world.sql(`update catalog_entry set target_date = current_date where id like 'MAC-4100_'`);
  await world.sql('alter table catalog_entry enable trigger user');
  await expireFacts(world.app().database.db, 2);
  expect(await world.sql(`select failing from catalog_entry where id like 'MAC-4100_'`)).toEqual(ids.map(() => ({ failing: ['dates'] })));
});

test('expire by night, and follow the platform', async () => {
  const id = 'MAC-40000';
  await seedCatalogApplication(world.app().database.db, { id });
  await world.sql(`update catalog_entry set ${all} where id = '${id}'`);
  // As time passes without a write.
  await world.sql('alter table catalog_entry disable trigger user');
  await world.sql(`update catalog_entry set seen_running_at = now() - interval '40 days', target_date = current_date where id = '${id}'`);
  await world.sql('alter table catalog_entry enable trigger user');
  const now = () => world.sql(`select is_valid, is_verified, failing from catalog_entry where id = '${id}'`);
  expect(await now()).toEqual([{ is_valid: true, is_verified: true, failing: [] }]);
  await expireFacts(world.app().database.db);
  expect(await now()).toEqual([{ is_valid: true, is_verified: false, failing: ['runs', 'dates'] }]);
  await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where id = 'PLT-0901'`);
  expect(await now()).toMatchObject([{ is_valid: false }]);
});
