/** A PUT or PATCH without a field leaves that field as it is. */
import { beforeAll, expect, test } from 'vitest';
import { catalogApplicationPatch, catalogApplicationUpdate, catalogApplicationView } from '@slipway/contract/catalog/application.ts';
import { catalogLabelCreate, catalogLabelUpdate } from '@slipway/contract/catalog/directory.ts';
import { catalogPlatformPatch, catalogPlatformUpdate, catalogPlatformView } from '@slipway/contract/catalog/platform.ts';
import { catalogPortfolioPatch, catalogPortfolioUpdate, catalogPortfolioView } from '@slipway/contract/catalog/portfolio.ts';
import { catalogProductPatch, catalogProductUpdate, catalogProductView } from '@slipway/contract/catalog/product.ts';
import { catalogWorld } from './catalog.fixture.ts';

const world = catalogWorld();
const kinds = [
  ['application', 'appId', 'Mac-App-Id', catalogApplicationView, catalogApplicationUpdate, catalogApplicationPatch],
  ['platform', 'platformId', 'Mac-Platform-Id', catalogPlatformView, catalogPlatformUpdate, catalogPlatformPatch],
  ['portfolio', 'portfolioId', 'Mac-Portfolio-Id', catalogPortfolioView, catalogPortfolioUpdate, catalogPortfolioPatch],
  ['product', 'productId', 'Mac-Product-Id', catalogProductView, catalogProductUpdate, catalogProductPatch],
] as const;

beforeAll(async () => {
  const { id } = await world.good<{ id: string }>('administrator', catalogLabelCreate, {
    body: { name: 'gdpr', properties: { law: 'eu' } },
  });
  await world.sql(`insert into catalog_entry (id, kind, name, description, status, owners, code, type, platform_id, source, created_by, modified_by)
    select 'PRD-0901', 'product', 'Berth windows', description, 'ACTIVE', owners, 'BERTH', 'INTERNAL', id, 'API', 'olga', 'olga'
    from catalog_entry where kind = 'platform' order by id limit 1`);
  await world.sql(
    `update catalog_entry set owners = '{olga}', ea_contacts = case kind when 'portfolio' then '{ada}'::text[] else '{}' end, labels = $1`,
    [[id]],
  );
  await world.sql(`update catalog_entry set criticality = 'important', classification = 'INTERNAL', mip_layer = 'process', intent = 'keep',
    target_date = '2031-05-01', exploration_app = true, production_deployed = true where kind = 'application'`);
});

test.each(kinds)('%s', async (kind, param, header, view, put, patch) => {
  const [{ id } = { id: '' }] = await world.sql<{ id: string }>(`select id from catalog_entry where kind = $1 order by id limit 1`, [kind]);
  const params = { [param]: id };
  const stored = async () => {
    const {
      version: _version,
      modifiedBy: _by,
      modifiedDate: _at,
      ...fields
    } = await world.good<Record<string, unknown>>('owner', view, { params });
    return fields;
  };
  const before = await stored();
  expect(before).toMatchObject({ owners: [{ id: 'olga' }], labels: [{ name: 'gdpr' }] });
  const write = (route: typeof put | typeof patch, body: object) => world.call('owner', route, { params, headers: { [header]: id }, body });
  // The specification requires some fields of a PUT: their absence is an error at the field. Nothing else is required.
  const { errors } = (await write(put, {})).body as { errors: { field: string; code: string }[] };
  expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'Required'));
  const valueOf = (field: string): unknown =>
    field === 'owners' ? ['olga'] : (before[field] ?? (before[field.replace(/Id$/, '')] as Record<string, unknown> | null)?.[field]);
  const required = Object.fromEntries(errors.map(({ field }) => [field, valueOf(field)]));
  expect(await write(put, required)).toMatchObject({ status: 200 });
  expect(await stored()).toEqual(before);
  expect(await write(patch, {})).toMatchObject({ status: 200 });
  expect(await stored()).toEqual(before);
});

test('label', async () => {
  const body = { name: 'sox', description: 'Audited', properties: { law: 'us' } };
  const label = await world.good<{ id: string }>('administrator', catalogLabelCreate, { body });
  expect(await world.good('administrator', catalogLabelUpdate, { params: { labelId: label.id }, body: {} })).toEqual(label);
});
