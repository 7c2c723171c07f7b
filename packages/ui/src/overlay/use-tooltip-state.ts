// Opens and closes a tooltip: after a delay on hover, immediately from the keyboard or right after another tooltip.
import { useEffect, useRef, useState } from 'react';

const REST_MS = 300;
/** Lets the pointer cross the gap to the popup, so that its text can be selected. */
const GRACE_MS = 100;
/** Within this time after a tooltip has closed, the next one opens without delay. */
const SERIES_MS = 400;
let closedAt = -Infinity;

export function useTooltipState() {
  const [anchor, setAnchor] = useState<Element | null>(null);
  const [isOpen, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => clearTimeout(timer.current);
  useEffect(() => stop, []);
  const later = (ms: number, run: () => void): void => {
    stop();
    timer.current = setTimeout(run, ms);
  };
  const openNow = (element: Element): void => {
    stop();
    setAnchor(element);
    setOpen(true);
  };
  const closeNow = (): void => {
    stop();
    if (isOpen) closedAt = performance.now();
    setOpen(false);
  };
  return {
    isOpen,
    hasOpened: anchor !== null,
    anchor,
    openNow,
    openSoon: (element: Element) => later(performance.now() - closedAt < SERIES_MS ? 0 : REST_MS, () => openNow(element)),
    closeNow,
    closeSoon: () => later(GRACE_MS, closeNow),
    keepOpen: stop,
  };
}
