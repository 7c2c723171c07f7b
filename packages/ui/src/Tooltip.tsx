// A short remark on hover and focus. Never the only place of a piece of information: touch users do not get it.
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import { useId, useState } from 'react';
import css from './Tooltip.module.css';

export interface TooltipProps {
  content: ReactNode;
  /** The one focusable element it belongs to. */
  children: ReactElement<Record<string, unknown>>;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** False where the element names or describes itself already, so that nothing is read twice. */
  isDescription?: boolean;
}

export function Tooltip({ content, children, side = 'top', isDescription = true }: TooltipProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(isNowOpen, details) => {
        // Escape means the dialog around it, too: nobody presses it for a remark that came by itself.
        if (details.reason === 'escape-key') details.allowPropagation();
        setOpen(isNowOpen);
      }}
    >
      <Base.Trigger render={children} delay={300} {...(isDescription && isOpen ? { 'aria-describedby': id } : {})} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className={css.positioner}>
          <Base.Popup id={id} role="tooltip" className={css.popup}>
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
