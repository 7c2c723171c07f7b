// Every link of the design system goes through here. The app hands in its router's link once, so that ui needs no router.
import type { ComponentProps, ComponentType, ReactNode } from 'react';
import { createContext, use } from 'react';

export interface LinkProps extends ComponentProps<'a'> {
  href: string;
}

const LinkContext = createContext<ComponentType<LinkProps> | undefined>(undefined);

/** `component` gets anchor props with an in-app `href` and renders the router's link. */
export function LinkProvider({ component, children }: { component: ComponentType<LinkProps>; children: ReactNode }) {
  return <LinkContext value={component}>{children}</LinkContext>;
}

/** Other sites, mail and anchors stay plain anchors; other sites open in a tab of their own. */
export function Link({ href, ...rest }: LinkProps) {
  const RouterLink = use(LinkContext);
  if (/^(https?:)?\/\//.test(href)) return <a href={href} target="_blank" rel="noreferrer" {...rest} />;
  if (!RouterLink || /^(#|mailto:|tel:|blob:|data:)/.test(href) || rest.download !== undefined) return <a href={href} {...rest} />;
  return <RouterLink href={href} {...rest} />;
}
