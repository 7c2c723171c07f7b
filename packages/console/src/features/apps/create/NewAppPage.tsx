/** The page that offers the ways to start a new app. */
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { StartCards } from './StartCards.tsx';

export function Component() {
  return (
    <PlainPage name="New App" lede="An app holds your services, secrets and databases, once for development and once for production.">
      <StartCards />
    </PlainPage>
  );
}
