/** Keeps filter, sort, page and tab in the URL, so that links, Back and reload preserve them. */
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

/** Returns the query string of a state. Omits defaults and keeps foreign parameters. Any change but the page resets the page. */
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
  /** Use `replace` while typing, so that Back does not go letter by letter. */
  set: (patch: Partial<S>, options?: { replace?: boolean }) => void;
  /** Returns the URL of this page in another state, for links. */
  hrefOf: (patch: Partial<S>) => string;
}

/** `defaults` must be a constant outside the component; otherwise every render creates a new state. */
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

/** Text of a search field: shown immediately, written to the URL after a short pause. */
export const useSearchText = (value: string, commit: (text: string) => void): [text: string, setText: (text: string) => void] => {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The URL changed through Back, a link or "Clear the filter": update the field.
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
