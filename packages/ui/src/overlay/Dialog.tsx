// A dialog over the page. Focus moves in and returns; Escape and the scrim close it unless it is busy.
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type FormEvent, type ReactNode, type RefObject } from 'react';
import { classNames } from '../class-names.ts';
import css from './Dialog.module.css';
import { IconButton } from '../form/IconButton.tsx';

export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  /** After the way out is over, for whoever then takes it off the page. */
  onClosed?: () => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the right: the way out first, the action last. */
  actions?: ReactNode;
  /** Words at the left of the buttons. */
  footNote?: ReactNode;
  /** Makes the dialog a form: Enter submits. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  /** `square`: 400 by 400, for one choice. */
  size?: 'square' | 'sm' | 'md' | 'lg';
  /** Nothing closes it while the action runs. */
  isBusy?: boolean;
  isAlert?: boolean;
  hasClose?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  /** Where focus goes afterwards, for a dialog that an address opened; else to what opened it. */
  finalFocus?: RefObject<HTMLElement | null>;
}

const focusable = ':is(input, select, textarea, button, summary, a[href], [tabindex]):not(:disabled, [type="hidden"], [tabindex="-1"])';
/** Where the dialog's matter begins. The cross in its head comes first in the order of the page, and is the last thing one came for. */
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
