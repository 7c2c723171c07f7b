// A row of links that scrolls on phones: the one that is current may lie outside of it, and is brought to its middle.
import { useEffect, useRef, type RefObject } from 'react';

/** `words`: what the row says; when it becomes wider, the current one may be pushed out again. */
export function useCurrentInView<Row extends HTMLElement>(current: string | undefined, words: string): RefObject<Row | null> {
  const list = useRef<Row>(null);
  useEffect(() => {
    const row = list.current;
    const link = row?.querySelector<HTMLElement>('[aria-current]');
    if (row && link && row.scrollWidth > row.clientWidth) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current, words]);
  return list;
}
