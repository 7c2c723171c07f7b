/** Shortcuts of the message list: j and k for next and previous, l for live, Escape to return to the list. */
import { useEffect, useEffectEvent } from 'react';

interface Keys {
  next: () => void;
  previous: () => void;
  /** Undefined if no message is open. Escape then has its usual effect. */
  close: (() => void) | undefined;
  live: () => void;
}

/** False while the user types or a dialog, menu or list box is open. The docked message panel does not count as a dialog. */
const isFree = (target: EventTarget | null): boolean =>
  !(target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="textbox"]')) &&
  document.querySelector(':is([role="dialog"], [role="alertdialog"]):not([data-type]), [role="menu"], [role="listbox"]') === null;

export const useMessageKeys = (keys: Keys): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    // Events from an editor are retargeted to its host, which is not an input.
    const [first = null] = event.composedPath();
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || !isFree(first)) return;
    if (event.key === 'j') keys.next();
    else if (event.key === 'k') keys.previous();
    else if (event.key === 'l') keys.live();
    else if (event.key === 'Escape' && keys.close) {
      // Escape would otherwise leave the page.
      event.preventDefault();
      event.stopImmediatePropagation();
      keys.close();
    }
  });
  useEffect(() => {
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
};
