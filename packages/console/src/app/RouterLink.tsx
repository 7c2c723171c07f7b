/** Connects the design system's links to the router. Paths that the server handles outside the console stay plain links. */
import type { LinkProps } from '@slipway/ui/layout/Link.tsx';
import { Link } from 'react-router';
import { prefetchOnRest } from './prefetch.ts';

const isOutside = (href: string): boolean => /^\/(docs|api|git|v2|oidc|openapi\.json|metrics|healthz|readyz)(\/|$|\?)/.test(href);

export function RouterLink({ href, onPointerEnter, onFocus, children, ...rest }: LinkProps) {
  if (isOutside(href)) {
    return (
      <a href={href} onPointerEnter={onPointerEnter} onFocus={onFocus} {...rest}>
        {children}
      </a>
    );
  }
  const path = href.replace(/[?#].*$/, '');
  return (
    <Link
      to={href}
      onPointerEnter={(event) => {
        prefetchOnRest(path);
        onPointerEnter?.(event);
      }}
      onFocus={(event) => {
        prefetchOnRest(path);
        onFocus?.(event);
      }}
      {...rest}
    >
      {children}
    </Link>
  );
}
