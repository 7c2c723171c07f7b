/** The choice of how to begin a new app. */
import { PageBody } from '#lib/PageBody.tsx';
import { PageHeader } from '#lib/PageHeader.tsx';
import { usePageTitle } from '#lib/page-title.ts';
import { StartCards } from '#lib/StartCards.tsx';

export function Component() {
  usePageTitle(['New app']);
  return (
    <>
      <PageHeader
        isList
        hasSkip={false}
        name="New App"
        lede="An app holds your services, secrets and databases, once for development and once for production."
      />
      <PageBody>
        <StartCards />
      </PageBody>
    </>
  );
}
