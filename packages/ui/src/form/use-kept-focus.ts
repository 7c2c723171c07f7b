// Keeps the focus on a button that goes off or on again: with its reason around it, it is another element of the page.
import type { FocusEvent, FocusEventHandler } from 'react';
import { useLayoutEffect, useRef } from 'react';

interface Handlers {
  onFocus?: FocusEventHandler<HTMLButtonElement> | undefined;
  onBlur?: FocusEventHandler<HTMLButtonElement> | undefined;
}

/** The answer goes onto the button. `own`: what it does by itself. */
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
