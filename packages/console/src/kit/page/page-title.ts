/** The window's title, `entity · app · env · Slipway`, prefixed with the state of running pipelines. */
import { useEffect } from 'react';
import { createStore } from '#kit/state/store.ts';

export type TabState = 'running' | 'failed' | 'done';

/** The page's own title; the shell adds the state of pipelines. */
export const pageTitle = createStore('Slipway');
/** State of the pipeline that the page shows, if any. It takes precedence over other pipelines in the title and icon. */
export const pageTabState = createStore<TabState | undefined>(undefined);

export const titleOf = (parts: readonly (string | undefined)[]): string => [...parts.filter(Boolean), 'Slipway'].join(' · ');

/** Sets the title: `usePageTitle(['berth-api', 'berth', 'production'])`. `state` is that of the pipeline the page shows. */
export const usePageTitle = (parts: readonly (string | undefined)[], state?: TabState): void => {
  const title = titleOf(parts);
  useEffect(() => pageTitle.set(title), [title]);
  useEffect(() => {
    pageTabState.set(state);
    return () => pageTabState.set(undefined);
  }, [state]);
};
