/** The catalog as a tree, and the use of its options. */
import { expect, test } from 'vitest';
import { catalogOptionUses } from '@slipway/contract/catalog/directory.ts';
import { catalogTreeView, treePageSize, type CatalogTree, type CatalogTreeNode } from '@slipway/contract/catalog/tree.ts';
import { catalogWorld, platform } from './catalog.fixture.ts';

const world = catalogWorld();
const tree = (query: Record<string, unknown> = {}) => world.good<CatalogTree>('stranger', catalogTreeView, { query });
const ids = ({ nodes }: CatalogTree) => nodes.map(({ id }) => id);
/** Inserts applications `from` to `to` below the platform. */
const seed = (from: number, to: number, more = '') =>
  world.sql(`insert into catalog_entry (id, kind, name, norm, description, status, owners, platform_id, portfolio_id, created_by, modified_by,
      seen_running_at, criticality)
    select 'MAC-5' || lpad(n::text, 4, '0'), 'application', 'Tree ' || lpad(n::text, 4, '0'), 'tree ' || lpad(n::text, 4, '0'), 'Grows', 'ACTIVE',
      '{olga,mats}', '${platform}', portfolio_id, 'olga', 'olga', now(), 'mission-critical'
    from generate_series(${from}, ${to}) n, catalog_entry place where place.id = '${platform}' ${more}`);

test('goes from portfolios to platforms, products and applications, with counts of what is below', async () => {
  await seed(1, 3);
  await world.sql(`insert into catalog_entry (id, kind, name, description, status, owners, platform_id, portfolio_id, created_by, modified_by)
    select 'PRD-0901', 'product', 'Windows', 'Groups', 'ACTIVE', '{olga}', id, portfolio_id, 'olga', 'olga' from catalog_entry where id = '${platform}'`);
  await world.sql(`update catalog_entry set product_id = 'PRD-0901' where id in ('MAC-50001', 'MAC-50002')`);
  await world.sql(`update catalog_entry set owners = '{}' where id = 'MAC-50002'`);

  const roots = await tree();
  expect(roots).toMatchObject({ parent: null, next: null, more: 0 });
  const [portfolio] = roots.nodes;
  const platforms = await tree({ parent: portfolio?.id });
  expect(platforms.parent).toEqual(portfolio);
  const node = platforms.nodes.find(({ id }) => id === platform) as CatalogTreeNode;
  expect(node).toMatchObject({ kind: 'platform', hasChildren: true, below: { mostCritical: 3, withoutOwner: 1 } });
  const children = await tree({ parent: platform.toLowerCase() });
  expect(ids(children)).toEqual(['PRD-0901', 'MAC-1', 'MAC-50003']);
  expect(children.nodes[0]).toMatchObject({ hasChildren: true, below: { applications: 2, withoutOwner: 1, verified: 1 } });
  const product = await tree({ parent: 'PRD-0901' });
  expect(product.nodes).toMatchObject([
    { id: 'MAC-50001', verified: true, below: null, hasChildren: false, owners: [{ id: 'olga' }, { id: 'mats' }] },
    { id: 'MAC-50002', owners: [] },
  ]);
});

test('only problems keeps the entries above them', async () => {
  expect(ids(await tree({ problems: true }))).toHaveLength(1);
  expect(ids(await tree({ parent: platform, problems: true }))).toContain('PRD-0901');
  expect(ids(await tree({ parent: 'PRD-0901', problems: true }))).toEqual(['MAC-50002']);
});

test('thousands of children come in pages, each once', async () => {
  await seed(1000, 2199);
  const found: string[] = [];
  let after: string | undefined;
  let page = await tree({ parent: platform });
  expect(page.more).toBe(1203 - treePageSize);
  for (;;) {
    found.push(...ids(page));
    if (page.next === null) break;
    after = page.next;
    page = await tree({ parent: platform, after });
  }
  expect(page.more).toBe(0);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toHaveLength(1203);
});

test('hides decommissioned entries, and knows no others', async () => {
  await world.sql(`update catalog_entry set status = 'DECOMMISSIONED' where id = 'MAC-50003'`);
  expect(ids(await tree({ parent: platform }))).not.toContain('MAC-50003');
  expect(await world.errors('stranger', catalogTreeView, { query: { parent: 'MAC-1' } })).toEqual([404, 'undefined: EntryDoesNotExist']);
  expect(await world.errors('stranger', catalogTreeView, { query: { after: 'none' } })).toEqual([400, 'after: InvalidValue']);
});

test('counts the uses of options for administrators', async () => {
  const uses = await world.good<Record<string, { id: string; uses: number }[]>>('administrator', catalogOptionUses);
  const found = uses['criticalityCategories']?.find(({ id }) => id === 'mission-critical');
  expect(found?.uses).toBeGreaterThan(1200);
  expect(uses['strategicIntents']?.map(({ uses: n }) => n)).toEqual([0, 0, 0, 0]);
  expect(await world.errors('owner', catalogOptionUses)).toEqual([403, 'undefined: NotAnAdministrator']);
});
