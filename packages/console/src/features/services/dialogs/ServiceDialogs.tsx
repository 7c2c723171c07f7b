/** Dialogs about a service that have an address, `?open=call` or `?open=repository`, so that menus, the palette and other pages lead to them. */
import type { Service } from '@slipway/contract/service/service.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { lazy, Suspense } from 'react';
import { useUrlState } from '#kit/state/url-state.ts';

const CallServiceDialog = lazy(() => import('./CallServiceDialog.tsx'));
const RepositoryDialog = lazy(() => import('./RepositoryDialog.tsx'));

const defaults = { open: '' };
export type ServiceDialog = 'call' | 'repository';
/** Goes behind the address of any page of the service. */
export const dialogSearch = (dialog: ServiceDialog): string => `?open=${dialog}`;

/** Once on a page. */
export function ServiceDialogs({ service }: { service: Service }) {
  const { state, set } = useUrlState(defaults);
  const close = (): void => set(defaults, { replace: true });
  return (
    <Suspense fallback={null}>
      {state.open === 'call' && <CallServiceDialog service={service} onClose={close} />}
      {state.open === 'repository' && <RepositoryDialog service={service} onClose={close} />}
    </Suspense>
  );
}

/** The address of a dialog over the page that one is on. */
export const useDialogHref = (): ((dialog: ServiceDialog) => string) => {
  const { hrefOf } = useUrlState(defaults);
  return (dialog) => hrefOf({ open: dialog });
};

/** Beside the address of a service. */
export function CallServiceLink() {
  return (
    <Link className="in" href={useDialogHref()('call')}>
      Call it
    </Link>
  );
}
