// The floating part of a tooltip with its positioning, loaded when the first tooltip is about to open.
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import css from './Tooltip.module.css';

export interface TooltipPopupProps {
  id: string;
  anchor: Element | null;
  isOpen: boolean;
  /** Called on Escape or a press elsewhere. */
  onClose: () => void;
  side: 'top' | 'bottom' | 'left' | 'right';
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  children: ReactNode;
}

export default function TooltipPopup({ id, anchor, isOpen, onClose, side, children, ...pointer }: TooltipPopupProps): ReactNode {
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(isNowOpen, details) => {
        // Escape also closes the surrounding dialog: users do not press it to dismiss a tooltip that opened by itself.
        if (details.reason === 'escape-key') details.allowPropagation();
        if (!isNowOpen) onClose();
      }}
    >
      <Base.Portal>
        <Base.Positioner anchor={anchor} side={side} sideOffset={6} className={css.positioner}>
          <Base.Popup id={id} role="tooltip" className={css.popup} {...pointer}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
