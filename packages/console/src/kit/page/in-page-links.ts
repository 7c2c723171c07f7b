/** Keeps the scroll position for links that only change the query, such as a pipeline's step or a log's line. */
import { useCallback, type MouseEvent } from 'react';
import { useNavigate } from 'react-router';

const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** Returns a handler for `onClickCapture` of the element around such links. */
export const useInPageLinks = (): ((event: MouseEvent) => void) => {
  const navigate = useNavigate();
  return useCallback(
    (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || !isPlain(event) || link.origin !== location.origin || link.pathname !== location.pathname) return;
      event.preventDefault();
      void navigate(link.pathname + link.search + link.hash, { preventScrollReset: true });
    },
    [navigate],
  );
};
