// Keeps the focus on a button that becomes disabled or enabled: the wrapper for the reason makes it a different DOM element.
import type { FocusEvent, FocusEventHandler } from 'react';
import { useLayoutEffect, useRef } from 'react';

interface Handlers {
  onFocus?: FocusEventHandler<HTMLButtonElement> | undefined;
  onBlur?: FocusEventHandler<HTMLButtonElement> | undefined;
}

/** Returns handlers for the button. `own`: the button's own handlers. */
export const useKeptFocus = (isOff: boolean, find: () => HTMLElement | null | undefined, own: Handlers): Required<Handlers> => {
  const hasFocus = useRef(false);
  const found = useRef(find);
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) found.current()?.focus({ preventScroll: true });
  }, [isOff]);
  return {
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      hasFocus.current = true;
      own.onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      hasFocus.current = false;
      own.onBlur?.(event);
    },
  };
};
