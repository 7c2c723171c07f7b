// The button. A disabled button always says why: `disabledReason` keeps it focusable and available to screen readers.
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { useId, useLayoutEffect, useRef } from 'react';
import css from './Button.module.css';
import { classNames } from '../class-names.ts';
import { cssVars } from '../css-vars.ts';
import { Tooltip } from '../overlay/Tooltip.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export type ButtonVariant = 'default' | 'primary' | 'danger' | 'quiet';
export type ButtonSize = 'sm' | 'md' | 'lg';

export interface ButtonLook {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: ReactNode;
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'>, ButtonLook {
  /** Keeps the label, appends "…" and ignores clicks. `busyLabel` replaces the label ("Saving"). */
  isBusy?: boolean;
  busyLabel?: string;
  /** Why the button is disabled. */
  disabledReason?: string;
  /** Place of the reason for sighted users: on hover and focus, or always on a line below. */
  reasonPlacement?: 'tooltip' | 'below';
}

/** Returns the class of anything that looks like a button. */
export function buttonClass({ variant = 'default', size = 'md' }: ButtonLook, isIconOnly = false): string | undefined {
  return classNames(css.button, css[variant], css[size], isIconOnly && css.iconOnly);
}

/** Square, for a button with only an icon. */
export const iconOnlyClass = css.iconOnly;

/** Keeps at least the current width while busy, so that nothing next to the button moves. */
function useKeptWidth(isBusy: boolean) {
  const label = useRef<HTMLSpanElement>(null);
  const width = useRef(0);
  useLayoutEffect(() => {
    if (!isBusy) width.current = label.current?.parentElement?.offsetWidth ?? 0;
  });
  return { label, width };
}

export function Button(props: ButtonProps) {
  const {
    variant,
    size,
    icon,
    isBusy = false,
    busyLabel,
    disabledReason,
    reasonPlacement = 'tooltip',
    className,
    children,
    onClick,
    ...rest
  } = props;
  const reasonId = useId();
  const { label, width } = useKeptWidth(isBusy);
  const isOff = disabledReason !== undefined;
  const kept = useKeptFocus(isOff, () => label.current?.parentElement, rest);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBusy || isOff) event.preventDefault();
    else onClick?.(event);
  };
  const describedBy = classNames(rest['aria-describedby'], isOff && reasonId);
  const button = (
    <button
      type="button"
      {...rest}
      {...kept}
      className={classNames(buttonClass({ variant, size }), className)}
      style={isBusy ? { ...rest.style, ...cssVars({ '--kept-width': `${width.current}px` }) } : rest.style}
      aria-busy={isBusy || undefined}
      aria-disabled={isOff || undefined}
      aria-describedby={describedBy}
      onClick={press}
    >
      {isBusy ? <span className={css.spinner} aria-hidden="true" /> : icon}
      <span className={css.label} ref={label}>
        {isBusy ? (busyLabel ?? children) : children}
        {isBusy && '…'}
      </span>
    </button>
  );
  if (!isOff) return button;
  const isBelow = reasonPlacement === 'below';
  return (
    <span className={isBelow ? css.withReason : css.wrapped}>
      {isBelow ? (
        button
      ) : (
        <Tooltip content={disabledReason} isDescription={false}>
          {button}
        </Tooltip>
      )}
      <span id={reasonId} className={isBelow ? css.reason : 'sr'}>
        {disabledReason}
      </span>
    </span>
  );
}
