// A link that looks like a button, so middle click and "open in a new tab" work.
import { useId } from 'react';
import { buttonClass, type ButtonLook } from './Button.tsx';
import { classNames } from '../class-names.ts';
import { Link, type LinkProps } from '../layout/Link.tsx';
import { Tooltip } from '../overlay/Tooltip.tsx';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export interface LinkButtonProps extends LinkProps, ButtonLook {
  /** Why the link is disabled. A disabled link stays focusable and shows the reason. */
  disabledReason?: string;
}

export function LinkButton({ variant, size, icon, className, children, href, disabledReason, ...rest }: LinkButtonProps) {
  const reasonId = useId();
  const look = classNames(buttonClass({ variant, size }, children === undefined), className);
  if (disabledReason === undefined) {
    return (
      <Link href={href} className={look} {...rest}>
        {icon}
        {children}
      </Link>
    );
  }
  return (
    <>
      <Tooltip content={disabledReason} isDescription={false}>
        <a {...rest} className={look} role="link" tabIndex={0} aria-disabled="true" aria-describedby={reasonId}>
          {icon}
          {children}
        </a>
      </Tooltip>
      <VisuallyHidden id={reasonId}>{disabledReason}</VisuallyHidden>
    </>
  );
}
