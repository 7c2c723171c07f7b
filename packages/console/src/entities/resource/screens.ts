/** An entity's contribution to the console: its routes and its palette entries. The shell needs nothing else. */
import { filled } from '@slipway/contract/kinds.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import type { ReactNode } from 'react';
import type { RouteObject } from 'react-router';

type Params = Readonly<Record<string, string | undefined>>;
export interface ScreenLink {
  readonly label: string;
  readonly href: string;
  /** Additional search words. */
  readonly words?: string;
}
export interface FoundEntry {
  readonly label: string;
  readonly note: string;
  readonly words?: string;
  readonly href: string;
}

export interface Screens {
  readonly kind: Kind;
  /** Loads the route of the entity's list, when the user searches. */
  readonly list: () => Promise<RouteShape>;
  readonly icon: ReactNode;
  readonly routes: readonly RouteObject[];
  /** Returns links for the current place: for example, a team's entities have their list in the team. */
  readonly pages: (place: Params) => readonly ScreenLink[];
  readonly actions: (place: Params) => readonly ScreenLink[];
  /** Converts a list item to a palette entry. */
  readonly foundEntry: (view: never, place: Params) => FoundEntry;
}

type LoadPage = () => Promise<{ readonly Component: () => ReactNode }>;

export interface ScreensOptions<View> {
  readonly kind: Kind;
  readonly list: () => Promise<RouteShape>;
  readonly icon: ReactNode;
  /** Load its pages, at the paths of the kind. The list has no page of its own if it is part of another page. */
  readonly listPage?: LoadPage;
  readonly newPage: LoadPage;
  readonly page: LoadPage;
  /** True if the page has tabs, at paths below its own. */
  readonly hasTabs?: boolean;
  readonly moreRoutes?: readonly RouteObject[];
  /** Returns name and title of an item. */
  readonly nameOf: (view: View) => { readonly name: string; readonly title: string };
}

/** `/team/{team}` → `team/:team`. */
const routeOf = (path: string): string => path.slice(1).replace(/\{(\w+)\}/g, ':$1');

const linkOf = (path: string | undefined, place: Params, label: string, words: string): ScreenLink[] => {
  const href = path === undefined ? undefined : filled(path, place);
  return href === undefined ? [] : [{ label, href, words }];
};

/**
 * Derives the screens from the kind's paths. The palette offers the list and the form of an entity whose list is a page; otherwise the page
 * with the list offers them, subject to permission. An entity overrides the parts that differ.
 */
export const resourceScreens = <View>(options: ScreensOptions<View> & Partial<Pick<Screens, 'pages' | 'actions'>>): Screens => {
  const { kind, list, icon, listPage, newPage, page, hasTabs = false, moreRoutes = [], nameOf, ...own } = options;
  const name = kind.names.at(-1) ?? '';
  const word = kind.label.toLowerCase();
  const at = (path: string | undefined, lazy: LoadPage | undefined, below = ''): RouteObject[] =>
    path === undefined || lazy === undefined ? [] : [{ path: routeOf(path) + below, lazy }];
  return {
    kind,
    list,
    icon,
    routes: [
      ...at(kind.listPath, listPage),
      ...at(kind.newPath, newPage),
      ...at(kind.path, page),
      ...(hasTabs ? at(kind.path, page, '/:tab') : []),
      ...moreRoutes,
    ],
    pages: (place) => (listPage ? linkOf(kind.listPath, place, kind.plural, word) : []),
    actions: (place) => (listPage ? linkOf(kind.newPath, place, `New ${word}`, 'create') : []),
    foundEntry: (view: View, place) => {
      const { name: id, title } = nameOf(view);
      return { label: title, note: id, words: id, href: filled(kind.path ?? '', { ...place, [name]: id }) ?? '' };
    },
    ...own,
  };
};
