/** Filter, sort, page and tab live in the address, so that links, Back and reload keep them. */
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';

export type UrlState = Readonly<Record<string, string | number | readonly string[]>>;

const valueOf = (search: URLSearchParams, name: string, fallback: UrlState[string]): UrlState[string] => {
  if (Array.isArray(fallback)) return search.has(name) ? search.getAll(name) : fallback;
  const text = search.get(name);
  if (text === null) return fallback;
  if (typeof fallback !== 'number') return text;
  const value = Number(text);
  return Number.isInteger(value) && value >= 0 ? value : fallback;
};

export const parseUrlState = <S extends UrlState>(search: URLSearchParams, defaults: S): S =>
  Object.fromEntries(Object.entries(defaults).map(([name, fallback]) => [name, valueOf(search, name, fallback)])) as S;

const isSame = (a: UrlState[string], b: UrlState[string]): boolean => String(a) === String(b);

/** The query string for a state: defaults are left out, parameters of others stay. Any change but the page goes back to the first page. */
export const urlSearch = <S extends UrlState>(search: URLSearchParams, defaults: S, patch: Partial<S>): string => {
  const next = new URLSearchParams(search);
  const base = parseUrlState(search, defaults);
  const state: UrlState = { ...base, ...('page' in base && !('page' in patch) ? { page: defaults['page'] ?? 0 } : {}), ...patch };
  for (const name of Object.keys(defaults)) {
    next.delete(name);
    const value = state[name];
    if (value === undefined || isSame(value, defaults[name] ?? '')) continue;
    for (const item of Array.isArray(value) ? value : [value]) next.append(name, String(item));
  }
  const text = next.toString();
  return text === '' ? '' : `?${text}`;
};

export interface UrlStateControl<S> {
  state: S;
  /** `replace` for typing, so that Back does not go letter by letter. */
  set: (patch: Partial<S>, options?: { replace?: boolean }) => void;
  /** The address of this page in another state, for links. */
  hrefOf: (patch: Partial<S>) => string;
}

/** Give `defaults` from outside the component, or it is a new state with every render. */
export const useUrlState = <S extends UrlState>(defaults: S): UrlStateControl<S> => {
  const { pathname, search: text } = useLocation();
  const navigate = useNavigate();
  const search = new URLSearchParams(text);
  const set = useCallback(
    (patch: Partial<S>, { replace = false }: { replace?: boolean } = {}) =>
      void navigate({ search: urlSearch(new URLSearchParams(location.search), defaults, patch) }, { replace, preventScrollReset: true }),
    [navigate, defaults],
  );
  return {
    state: parseUrlState(search, defaults),
    set,
    hrefOf: (patch) => pathname + urlSearch(search, defaults, patch),
  };
};

const restMs = 200;

/** Text of a search field: at once on screen, in the address after a short rest. */
export const useSearchText = (value: string, commit: (text: string) => void): [text: string, setText: (text: string) => void] => {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // Back, a link or "Clear the filter" changed the address: the field follows.
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  const rest = useEffectEvent(commit);
  useEffect(() => {
    const next = text.trim();
    if (next === value) return;
    const timer = setTimeout(() => rest(next), next === '' ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText];
};
