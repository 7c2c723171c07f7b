/** Prefetches a page: its code immediately, and its queries when the pointer or the focus rests on a link. */
import { matchRoutes, type Params, type RouteObject } from 'react-router';
import { whileAsking } from '#kit/later/page-ready.ts';

/** Delay, so that a pointer that passes over a list does not request every row. */
const restMs = 80;

/** Exports that a page may have besides `Component`. */
interface PageModule {
  preload?: (params: Params) => void;
}

/** Set at startup to break a cycle: the routes import the shell, the shell imports links, and links prefetch. */
let routes: RouteObject[] = [];
export const prefetchFrom = (all: RouteObject[]): void => {
  routes = all;
};

interface Match {
  load: () => Promise<PageModule>;
  params: Params;
}

const matchesOf = (pathname: string): Match[] =>
  (matchRoutes(routes, pathname) ?? []).flatMap(({ route, params }) =>
    typeof route.lazy === 'function' ? [{ load: route.lazy as () => Promise<PageModule>, params }] : [],
  );

export const prefetch = (pathname: string): void => {
  for (const { load } of matchesOf(pathname)) whileAsking(load()).catch(() => undefined);
};

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Prefetches for a link under the pointer or with the focus; the next link replaces it. */
export const prefetchOnRest = (pathname: string): void => {
  prefetch(pathname);
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    for (const { load, params } of matchesOf(pathname)) {
      load().then(
        (page) => page.preload?.(params),
        () => undefined,
      );
    }
  }, restMs);
};
