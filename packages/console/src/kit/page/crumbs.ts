/** Derives breadcrumbs from the path alone (specification §2), so that pages don't have to declare them. */
import type { Crumb } from '@slipway/ui/layout/Crumbs.tsx';
import { useLocation, useParams } from 'react-router';

/** Route parameters whose values are shown as words: `production` → `Production`. */
const worded: ReadonlySet<string> = new Set(['tab', 'env', 'plural', 'page']);

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Path segments whose spelling differs from the product's. */
const spelled: Readonly<Record<string, string>> = { catalogue: 'Catalog' };

/** `copy-service` → `Copy Service`. */
const words = (text: string): string =>
  spelled[text] ??
  text
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Returns no crumbs for a path of one segment; the last crumb has no link. */
export const crumbsOf = (pathname: string, params: Readonly<Record<string, string | undefined>>): Crumb[] => {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length <= 1) return [];
  const names = new Set(Object.entries(params).flatMap(([name, value]) => (value !== undefined && !worded.has(name) ? [value] : [])));
  return segments.map((segment, index) => {
    const text = decoded(segment);
    const label = names.has(text) ? text : words(text);
    if (index === segments.length - 1) return { label };
    const href = index === 0 && segment === 'app' ? '/' : `/${segments.slice(0, index + 1).join('/')}`;
    return { label, href };
  });
};

/** Returns undefined if there are no crumbs, as `Strip` expects. */
export const useCrumbs = (): Crumb[] | undefined => {
  const { pathname } = useLocation();
  const crumbs = crumbsOf(pathname, useParams());
  return crumbs.length > 0 ? crumbs : undefined;
};
