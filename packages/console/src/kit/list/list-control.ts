/** A list's state in the URL: search, filters, sort order and page. */
import { useUrlState, type UrlState, type UrlStateControl } from '#kit/state/url-state.ts';

/** An empty sort means the server's default order. */
export const listDefaults = { query: '', sort: '', page: 0 };
export type ListState = UrlState & Readonly<typeof listDefaults>;

/** Query parameters of a list route. */
export interface ListFilter {
  page: number;
  size: number;
  query?: string;
  sort?: string;
}

export interface ListControl<S extends ListState = ListState> extends UrlStateControl<S> {
  filter: ListFilter;
  /** True if a search or a filter is active. */
  isFiltered: boolean;
  clear: () => void;
}

const usualSize = 25;

/** `defaults` must be a constant outside the component: `listDefaults` plus a sort order or further filters. */
export const useListControl = <S extends ListState>(defaults: S, size = usualSize): ListControl<S> => {
  const control = useUrlState(defaults);
  const { state } = control;
  const { page, query, sort } = state;
  const hides = (name: string): boolean => name !== 'page' && name !== 'sort' && String(state[name]) !== String(defaults[name]);
  return {
    ...control,
    filter: listFilter({ page, query, sort }, size),
    isFiltered: Object.keys(defaults).some(hides),
    clear: () => control.set(defaults),
  };
};

/** Also used to prefetch a list. */
export const listFilter = ({ page, query, sort }: Readonly<typeof listDefaults> = listDefaults, size = usualSize): ListFilter => ({
  page,
  size,
  ...(query === '' ? {} : { query }),
  ...(sort === '' ? {} : { sort }),
});
