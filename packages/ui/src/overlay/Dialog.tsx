// A modal dialog. Moves focus in and restores it. Escape and the scrim close the dialog unless it is busy.
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type FormEvent, type ReactNode, type RefObject } from 'react';
import { classNames } from '../class-names.ts';
import css from './Dialog.module.css';
import { IconButton } from '../form/IconButton.tsx';

export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  /** Called after the closing animation, so that the caller can unmount the dialog. */
  onClosed?: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the right: cancel first, the action last. */
  actions?: ReactNode;
  /** Text at the left of the buttons. */
  footNote?: ReactNode;
  /** Turns the dialog into a form: Enter submits. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  /** `square`: 400 by 400 px, for a single choice. */
  size?: 'square' | 'sm' | 'md' | 'lg';
  /** True while the action runs: the dialog cannot be closed. */
  isBusy?: boolean;
  isAlert?: boolean;
  hasClose?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  /** Receives focus on close, for a dialog opened by a URL. Defaults to the element that opened the dialog. */
  finalFocus?: RefObject<HTMLElement | null>;
}

const focusable = ':is(input, select, textarea, button, summary, a[href], [tabindex]):not(:disabled, [type="hidden"], [tabindex="-1"])';
/**
 * Returns the initial focus target. Skips the close button, although it comes first in the DOM, because it is rarely what the user wants.
 */
const firstOf = (body: Element | null, actions: Element | null): HTMLElement | true =>
  body?.querySelector<HTMLElement>(focusable) ?? [...(actions?.querySelectorAll<HTMLElement>(focusable) ?? [])].at(-1) ?? true;

export function Dialog(props: DialogProps) {
  const {
    isOpen,
    onClose,
    onClosed,
    title,
    description,
    children,
    actions,
    footNote,
    onSubmit,
    size = 'md',
    isBusy = false,
    isAlert,
    hasClose,
    initialFocus,
    finalFocus,
  } = props;
  const body = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLSpanElement>(null);
  const content = (
    <>
      <div className={css.head}>
        <div className={css.words}>
          <Base.Title className={css.title}>{title}</Base.Title>
          {description !== undefined && <Base.Description className="quiet">{description}</Base.Description>}
        </div>
        {hasClose && <IconButton label="Close" variant="quiet" size="sm" icon={<X aria-hidden="true" />} onClick={onClose} />}
      </div>
      {children !== undefined && (
        <div ref={body} className={css.body}>
          {children}
        </div>
      )}
      {(actions !== undefined || footNote !== undefined) && (
        <div className={css.foot}>
          {footNote !== undefined && <span className={css.footNote}>{footNote}</span>}
          <span ref={foot} className={css.actions}>
            {actions}
          </span>
        </div>
      )}
    </>
  );
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => !open && !isBusy && onClose()}
      onOpenChangeComplete={(open) => !open && onClosed?.()}
      disablePointerDismissal={isAlert}
    >
      <Base.Portal>
        <Base.Backdrop className={css.scrim} />
        <Base.Viewport className={css.viewport}>
          <Base.Popup
            className={classNames(css.dialog, css[size])}
            role={isAlert ? 'alertdialog' : 'dialog'}
            finalFocus={finalFocus}
            initialFocus={initialFocus ?? (hasClose ? () => firstOf(body.current, foot.current) : undefined)}
          >
            {onSubmit === undefined ? (
              content
            ) : (
              <form className={css.form} noValidate onSubmit={onSubmit}>
                {content}
              </form>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
