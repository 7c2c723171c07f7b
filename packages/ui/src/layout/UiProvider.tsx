// Wraps an app once with everything the design system needs: the router's link, messages, and no style elements because of the CSP.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { lazy, Suspense, useSyncExternalStore, type ComponentType, type ReactNode } from 'react';
import { LinkProvider, type LinkProps } from './Link.tsx';
import { loadToasts } from '../overlay/load-toasts.ts';
import { toastsWanted } from '../overlay/toast.ts';

const Toasts = lazy(() => loadToasts().catch(() => ({ default: () => null })));

export function UiProvider({ link, children }: { link: ComponentType<LinkProps>; children: ReactNode }) {
  const hasToasts = useSyncExternalStore(toastsWanted.subscribe, toastsWanted.get, toastsWanted.get);
  return (
    <CSPProvider disableStyleElements>
      <LinkProvider component={link}>
        {children}
        {hasToasts && (
          <Suspense>
            <Toasts />
          </Suspense>
        )}
      </LinkProvider>
    </CSPProvider>
  );
}
