// A button with only an icon. Its name is read by screen readers, and shown on hover and focus.
import { useRef } from 'react';
import { Button, type ButtonProps, iconOnlyClass } from './Button.tsx';
import { classNames } from '../class-names.ts';
import { Tooltip } from '../overlay/Tooltip.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'busyLabel' | 'reasonPlacement' | 'ref'> {
  label: string;
  icon: ButtonProps['icon'];
}

export function IconButton({ label, className, ...rest }: IconButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  const isOff = rest.disabledReason !== undefined;
  const kept = useKeptFocus(isOff, () => element.current, rest);
  const button = <Button aria-label={label} className={classNames(iconOnlyClass, className)} {...rest} {...kept} ref={element} />;
  if (isOff) return button;
  return (
    <Tooltip content={label} isDescription={false}>
      {button}
    </Tooltip>
  );
}
