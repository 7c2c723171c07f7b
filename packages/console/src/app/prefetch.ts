/** Loads a page before it is opened: its code at once, and, where a link is touched for a moment, what it will ask the server. */
import { matchRoutes, type Params, type RouteObject } from 'react-router';
import { whileAsking } from '#kit/later/page-ready.ts';

/** A pointer that only passes over a list must not ask for every row. */
const restMs = 80;

/** What a page may export beside `Component`. */
interface PageModule {
  preload?: (params: Params) => void;
}

/** Given at the start: the routes hold the shell, the shell holds links, and links prefetch. */
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

/** For a link that the pointer or the focus rests on; the next one takes its place. */
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
