/** Options of applications, in their order. */
import type { CatalogOptions, OptionList } from '@slipway/contract/catalog/directory.ts';
import type { Db } from '#db/database.ts';

export const optionsNow = async (db: Db): Promise<CatalogOptions> => {
  const rows = await db.selectFrom('catalog_option').selectAll().orderBy('position').execute();
  const of = (list: OptionList) => rows.filter((row) => row.list === list).map(({ id, name }) => ({ id, name }));
  return {
    strategicIntents: of('strategicIntents'),
    mipLayers: of('mipLayers'),
    informationClassifications: of('informationClassifications'),
    criticalityCategories: of('criticalityCategories'),
  };
};
