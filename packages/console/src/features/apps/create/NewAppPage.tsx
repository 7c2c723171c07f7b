/** The choice of how to begin a new app. */
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { StartCards } from './StartCards.tsx';

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
