/**
 * Dialogs about a service with their own URL, `?open=call` or `?open=repository`, so that menus, the palette and other pages can link to
 * them.
 */
import type { Service } from '@slipway/contract/service/service.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { lazy, Suspense } from 'react';
import { useUrlState } from '#kit/state/url-state.ts';

const CallServiceDialog = lazy(() => import('./CallServiceDialog.tsx'));
const RepositoryDialog = lazy(() => import('./RepositoryDialog.tsx'));

const defaults = { open: '' };
export type ServiceDialog = 'call' | 'repository';
/** Search string to append to the URL of any page of the service. */
export const dialogSearch = (dialog: ServiceDialog): string => `?open=${dialog}`;

/** Render this once per page. */
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

/** Returns the URL that opens a dialog over the current page. */
export const useDialogHref = (): ((dialog: ServiceDialog) => string) => {
  const { hrefOf } = useUrlState(defaults);
  return (dialog) => hrefOf({ open: dialog });
};

/** Shown beside the URL of a service. */
export function CallServiceLink() {
  return (
    <Link className="in" href={useDialogHref()('call')}>
      Call it
    </Link>
  );
}
