/** Keys of the message list: j and k for the next and the previous one, l for live, Escape back to the list. */
import { useEffect, useEffectEvent } from 'react';

interface Keys {
  next: () => void;
  previous: () => void;
  /** Undefined where nothing is open: then the key goes where it goes on every page. */
  close: (() => void) | undefined;
  live: () => void;
}

/** Not while somebody types, nor while something lies over the page; a message at its edge is no such thing. */
const isFree = (target: EventTarget | null): boolean =>
  !(target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="textbox"]')) &&
  document.querySelector(':is([role="dialog"], [role="alertdialog"]):not([data-type]), [role="menu"], [role="listbox"]') === null;

export const useMessageKeys = (keys: Keys): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    // In an editor the event comes from its host, which is no field.
    const [first = null] = event.composedPath();
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || !isFree(first)) return;
    if (event.key === 'j') keys.next();
    else if (event.key === 'k') keys.previous();
    else if (event.key === 'l') keys.live();
    else if (event.key === 'Escape' && keys.close) {
      // The page itself would be left by it.
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
