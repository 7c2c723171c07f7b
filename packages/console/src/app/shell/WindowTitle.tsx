/** The browser tab's title and its icon by pipeline state, and a screen reader announcement when the page changes. */
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useEffect, useState } from 'react';
import { pageTabState, pageTitle, type TabState } from '#kit/page/page-title.ts';
import { useStore } from '#kit/state/store.ts';
import { useRunningPipelines } from './use-running-pipelines.ts';

const words: Readonly<Record<TabState, string>> = { running: 'Running', failed: 'Failed', done: 'Done' };

/** State for pages without a pipeline: running ones in the header, and how they ended while the tab was hidden. */
const useShellState = (): TabState | undefined => {
  const { running, failed } = useRunningPipelines();
  const count = running.length;
  const [known, setKnown] = useState(count);
  const [ended, setEnded] = useState<TabState>();
  if (count !== known) {
    setKnown(count);
    setEnded(count === 0 && document.hidden ? (failed.length > 0 ? 'failed' : 'done') : undefined);
  }
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) setEnded(undefined);
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return count > 0 ? 'running' : ended;
};

export function WindowTitle() {
  const title = useStore(pageTitle);
  const ofPage = useStore(pageTabState);
  const ofShell = useShellState();
  const state = ofPage ?? ofShell;
  // Only the page's own pipeline, or news while the tab is hidden, is shown in the title.
  const prefix = ofPage ?? (ofShell === 'running' ? undefined : ofShell);
  useEffect(() => {
    document.title = prefix ? `${words[prefix]} · ${title}` : title;
  }, [title, prefix]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = state ? `/favicon-${state}.svg` : '/favicon.svg';
  }, [state]);
  return <VisuallyHidden role="status">{title}</VisuallyHidden>;
}
