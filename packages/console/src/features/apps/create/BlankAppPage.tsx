/** A blank app: no repository and no service, for those who bring an image. */
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { AppForm } from './AppForm.tsx';

const empty = { id: '', displayName: '', teamId: '', macId: '' };

export function Component() {
  usePageTitle(['Blank app']);
  return (
    <>
      <PageHeader isList hasSkip={false} name="Blank app" lede="A name, a team and a registry project. Services come when you add them." />
      <PageBody>
        <AppForm
          initial={empty}
          macIdHint={
            <>
              The number in the application catalogue. <Link href={paths.newAppCatalogue()}>Look it up</Link>
            </>
          }
        />
      </PageBody>
    </>
  );
}
