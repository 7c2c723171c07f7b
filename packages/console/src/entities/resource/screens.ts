/** An entity's contribution to the console: its routes and its palette entries. The shell needs nothing else. */
import { filled } from '@slipway/contract/kernel/kinds.ts';
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

/** The result of `resourcePages`, in its own chunk. */
interface Pages {
  readonly ListPage: () => ReactNode;
  readonly NewPage: () => ReactNode;
  readonly Page: () => ReactNode;
}

export interface ScreensOptions<View> {
  readonly kind: Kind;
  readonly list: () => Promise<RouteShape>;
  readonly icon: ReactNode;
  readonly load: () => Promise<Pages>;
  /** Returns name and title of an item. */
  readonly nameOf: (view: View) => { readonly name: string; readonly title: string };
}

/** `/team/{team}` → `team/:team`. */
const routeOf = (path: string): string => path.slice(1).replace(/\{(\w+)\}/g, ':$1');

const linkOf = (path: string | undefined, place: Params, label: string, words: string): ScreenLink[] => {
  const href = path === undefined ? undefined : filled(path, place);
  return href === undefined ? [] : [{ label, href, words }];
};

/** Derives the screens from the kind's paths. An entity with its own pages overrides the parts that differ. */
export const resourceScreens = <View>({ kind, list, icon, load, nameOf, ...own }: ScreensOptions<View> & Partial<Screens>): Screens => {
  const name = kind.names.at(-1) ?? '';
  const word = kind.label.toLowerCase();
  const page = (path: string | undefined, which: keyof Pages): RouteObject[] =>
    path === undefined ? [] : [{ path: routeOf(path), lazy: async () => ({ Component: (await load())[which] }) }];
  return {
    kind,
    list,
    icon,
    routes: [...page(kind.listPath, 'ListPage'), ...page(kind.newPath, 'NewPage'), ...page(kind.path, 'Page')],
    pages: (place) => linkOf(kind.listPath, place, kind.plural, word),
    actions: (place) => linkOf(kind.newPath, place, `New ${word}`, 'create'),
    foundEntry: (view: View, place) => {
      const { name: id, title } = nameOf(view);
      return { label: title, note: id, words: id, href: filled(kind.path ?? '', { ...place, [name]: id }) ?? '' };
    },
    ...own,
  };
};
