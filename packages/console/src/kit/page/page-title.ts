/** The window's title, `entity · app · env · Slipway`, with what runs here in front of it. */
import { useEffect } from 'react';
import { createStore } from '#kit/state/store.ts';

export type TabState = 'running' | 'failed' | 'done';

/** The page's own words; the shell adds the state of pipelines. */
export const pageTitle = createStore('Slipway');
/** The pipeline of the page in view, if it has one: it decides title and icon before all others. */
export const pageTabState = createStore<TabState | undefined>(undefined);

export const titleOf = (parts: readonly (string | undefined)[]): string => [...parts.filter(Boolean), 'Slipway'].join(' · ');

/** `usePageTitle(['berth-api', 'berth', 'production'])`. `state` marks the tab by the pipeline that this page is about. */
export const usePageTitle = (parts: readonly (string | undefined)[], state?: TabState): void => {
  const title = titleOf(parts);
  useEffect(() => pageTitle.set(title), [title]);
  useEffect(() => {
    pageTabState.set(state);
    return () => pageTabState.set(undefined);
  }, [state]);
};
