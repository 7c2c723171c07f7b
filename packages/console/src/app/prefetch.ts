/** Loads a page's code before it is opened: when its link is touched, and at the start for the address in the bar. */
import { matchRoutes } from 'react-router';
import { routes } from './routes.tsx';

export const prefetch = (pathname: string): void => {
  for (const { route } of matchRoutes(routes, pathname) ?? []) {
    if (typeof route.lazy === 'function') route.lazy().catch(() => undefined);
  }
};
