// What the design system needs around an app, once: the router's link, tooltips, toasts, and no style elements for the sake of the CSP.
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import type { ComponentType, ReactNode } from 'react';
import { LinkProvider, type LinkProps } from './Link.tsx';
import { ToastProvider } from './ToastProvider.tsx';

export function UiProvider({ link, children }: { link: ComponentType<LinkProps>; children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <LinkProvider component={link}>
        <Tooltip.Provider>
          <ToastProvider>{children}</ToastProvider>
        </Tooltip.Provider>
      </LinkProvider>
    </CSPProvider>
  );
}
