// Every link of the design system goes through here. The app hands in its router's link once, so that ui needs no router.
import type { ComponentProps, ComponentType, ReactNode } from 'react';
import { createContext, createElement, use } from 'react';

export interface LinkProps extends ComponentProps<'a'> {
  href: string;
}

const LinkContext = createContext<ComponentType<LinkProps> | undefined>(undefined);

/** `component` gets anchor props with an in-app `href` and renders the router's link. */
export function LinkProvider({ component, children }: { component: ComponentType<LinkProps>; children: ReactNode }) {
  return <LinkContext value={component}>{children}</LinkContext>;
}

const OTHER_SITE = /^(https?:)?\/\//;
const NOT_A_PAGE = /^(#|mailto:|tel:|blob:|data:)/;

/** Other sites, mail, files and anchors stay plain anchors; other sites open in a tab of their own. */
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
