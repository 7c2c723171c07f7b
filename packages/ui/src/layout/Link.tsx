// Every link of the design system uses this component. The app supplies its router's link once, so the ui package needs no router.
import type { ComponentProps, ComponentType, ReactNode } from 'react';
import { createContext, createElement, use } from 'react';

export interface LinkProps extends ComponentProps<'a'> {
  href: string;
}

const LinkContext = createContext<ComponentType<LinkProps> | undefined>(undefined);

/** `component` receives anchor props with an in-app `href` and renders the router's link. */
export function LinkProvider({ component, children }: { component: ComponentType<LinkProps>; children: ReactNode }) {
  return <LinkContext value={component}>{children}</LinkContext>;
}

const OTHER_SITE = /^(https?:)?\/\//;
const NOT_A_PAGE = /^(#|mailto:|tel:|blob:|data:)/;

/** Links to other sites, mail addresses, files and anchors are plain anchors. Other sites open in a new tab. */
export function Link({ href, children, ...rest }: LinkProps) {
  const routerLink = use(LinkContext);
  const isPage = !OTHER_SITE.test(href) && !NOT_A_PAGE.test(href) && rest.download === undefined;
  if (isPage && routerLink) return createElement(routerLink, { href, ...rest }, children);
  const tab = OTHER_SITE.test(href) ? { target: '_blank', rel: 'noreferrer' } : {};
  return (
    <a href={href} {...tab} {...rest}>
      {children}
    </a>
  );
}
