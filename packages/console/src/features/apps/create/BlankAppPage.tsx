/** Creates a blank app, without a repository or a service, for users who bring their own image. */
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { paths } from '#entities/paths.ts';
import { AppForm } from './AppForm.tsx';

const empty = { id: '', displayName: '', teamId: '', macId: '' };

export function Component() {
  return (
    <PlainPage name="Blank app" lede="A name, a team and a registry project. Services come when you add them.">
      <AppForm
        initial={empty}
        macIdHint={
          <>
            The number in the application catalogue. <Link href={paths.newAppCatalogue()}>Look it up</Link>
          </>
        }
      />
    </PlainPage>
  );
}
