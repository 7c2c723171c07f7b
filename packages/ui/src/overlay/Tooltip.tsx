// A short remark on hover and focus. Never put information only in a tooltip: touch users cannot open it.
import { cloneElement, lazy, Suspense, useId, type FocusEvent, type PointerEvent, type ReactElement, type ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { popupLoader } from './popup-loader.ts';
import { useTooltipState } from './use-tooltip-state.ts';

const loadPopup = popupLoader(() => import('./TooltipPopup.tsx'));
// If the popup fails to load, the control still has its label.
const TooltipPopup = lazy(() => loadPopup().catch(() => ({ default: () => null })));

export interface TooltipProps {
  content: ReactNode;
  /** The focusable element that it describes. */
  children: ReactElement<Record<string, unknown>>;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** False if the element already names or describes itself, so that screen readers do not read the text twice. */
  isDescription?: boolean;
}

type Handler<E> = ((event: E) => void) | undefined;

export function Tooltip({ content, children, side = 'top', isDescription = true }: TooltipProps) {
  const id = useId();
  const { isOpen, hasOpened, anchor, openSoon, openNow, closeSoon, closeNow, keepOpen } = useTooltipState();
  const own = children.props as Record<string, Handler<never>>;
  /** Runs the element's own handler first. */
  const after = <E,>(name: string, handle: (event: E) => void) => ({
    [name]: (event: E) => {
      (own[name] as Handler<E>)?.(event);
      handle(event);
    },
  });
  const element = cloneElement(children, {
    ...after<PointerEvent>('onPointerEnter', ({ currentTarget, pointerType }) => {
      if (pointerType === 'touch') return;
      void loadPopup().catch(() => undefined);
      openSoon(currentTarget);
    }),
    ...after('onPointerLeave', closeSoon),
    ...after('onPointerDown', closeNow),
    ...after<FocusEvent>('onFocus', ({ currentTarget }) => currentTarget.matches(':focus-visible') && openNow(currentTarget)),
    ...after('onBlur', closeNow),
    ...(isDescription && isOpen ? { 'aria-describedby': classNames(children.props['aria-describedby'] as string | undefined, id) } : {}),
  });
  return (
    <>
      {element}
      {hasOpened && (
        <Suspense>
          <TooltipPopup
            id={id}
            anchor={anchor}
            isOpen={isOpen}
            onClose={closeNow}
            side={side}
            onPointerEnter={keepOpen}
            onPointerLeave={closeSoon}
          >
            {content}
          </TooltipPopup>
        </Suspense>
      )}
    </>
  );
}
