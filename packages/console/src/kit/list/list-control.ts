/** What a list shows, as it stands in the address: what is searched, its filters, its order and its page. */
import { useUrlState, type UrlState, type UrlStateControl } from '#kit/state/url-state.ts';

/** An empty sort is the server's own order. */
export const listDefaults = { query: '', sort: '', page: 0 };
export type ListState = UrlState & Readonly<typeof listDefaults>;

/** As the query of a list's route. */
export interface ListFilter {
  page: number;
  size: number;
  query?: string;
  sort?: string;
}

export interface ListControl<S extends ListState = ListState> extends UrlStateControl<S> {
  filter: ListFilter;
  /** A search or a filter hides some. */
  isFiltered: boolean;
  clear: () => void;
}

const usualSize = 25;

/** `defaults` come from outside the component: `listDefaults` with an order, or with filters of their own. */
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

/** Also what a page reads ahead. */
export const listFilter = ({ page, query, sort }: Readonly<typeof listDefaults> = listDefaults, size = usualSize): ListFilter => ({
  page,
  size,
  ...(query === '' ? {} : { query }),
  ...(sort === '' ? {} : { sort }),
});
