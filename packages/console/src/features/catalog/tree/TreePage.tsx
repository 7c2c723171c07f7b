/** All portfolios of the catalog, with what is below each. */
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import { CatalogTree } from './CatalogTree.tsx';

export function Component() {
  return (
    <>
      <CatalogHeader part="Tree" />
      <PageBody>
        <CatalogTree title="Portfolios, platforms and applications" />
      </PageBody>
    </>
  );
}
