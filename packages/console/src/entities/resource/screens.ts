/** What an entity shows in the console, as one value: its pages, and what the palette knows of it. The shell asks for nothing else. */
import { filled } from '@slipway/contract/kernel/kinds.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import type { ReactNode } from 'react';
import type { RouteObject } from 'react-router';

type Params = Readonly<Record<string, string | undefined>>;
export interface ScreenLink {
  readonly label: string;
  readonly href: string;
  /** What one may call it instead. */
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
  /** The route of its list; the shell loads it when somebody searches. */
  readonly list: () => Promise<RouteShape>;
  readonly icon: ReactNode;
  readonly routes: readonly RouteObject[];
  /** Of the place where the person is: what lies in a team has its list there. */
  readonly pages: (place: Params) => readonly ScreenLink[];
  readonly actions: (place: Params) => readonly ScreenLink[];
  /** An answer of its list, as the palette shows it. */
  readonly foundEntry: (view: never, place: Params) => FoundEntry;
}

/** What `resourcePages` makes, in a chunk of its own. */
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
  /** Name and title of one. */
  readonly nameOf: (view: View) => { readonly name: string; readonly title: string };
}

/** `/team/{team}` → `team/:team`. */
const routeOf = (path: string): string => path.slice(1).replace(/\{(\w+)\}/g, ':$1');

const linkOf = (path: string | undefined, place: Params, label: string, words: string): ScreenLink[] => {
  const href = path === undefined ? undefined : filled(path, place);
  return href === undefined ? [] : [{ label, href, words }];
};

/** From the paths of its kind. An entity with pages of its own replaces what differs. */
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
