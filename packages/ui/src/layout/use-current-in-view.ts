// Scrolls the current link of a scrolling row (on phones) to the middle if it is out of view.
import { useEffect, useRef, type RefObject } from 'react';

/** `words`: the row's text. When it gets wider, the current link may move out of view again. */
export function useCurrentInView<Row extends HTMLElement>(current: string | undefined, words: string): RefObject<Row | null> {
  const list = useRef<Row>(null);
  useEffect(() => {
    const row = list.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && link && row.scrollWidth > row.clientWidth) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current, words]);
  return list;
}
