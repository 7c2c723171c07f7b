// A button with only an icon. Its name is read by screen readers, and shown on hover and focus.
import { useCallback, useRef } from 'react';
import { Button, type ButtonProps, iconOnlyClass } from './Button.tsx';
import { classNames } from '../class-names.ts';
import { Tooltip } from '../overlay/Tooltip.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'busyLabel' | 'reasonPlacement'> {
  label: string;
  icon: ButtonProps['icon'];
}

export function IconButton({ label, className, ref, ...rest }: IconButtonProps) {
  const element = useRef<HTMLButtonElement>(null);
  // A menu positions its popup at the element that this ref gives it.
  const setElement = useCallback(
    (button: HTMLButtonElement | null) => {
      element.current = button;
      if (typeof ref === 'function') ref(button);
      else if (ref) ref.current = button;
    },
    [ref],
  );
  const isOff = rest.disabledReason !== undefined;
  const kept = useKeptFocus(isOff, () => element.current, rest);
  const button = <Button aria-label={label} className={classNames(iconOnlyClass, className)} {...rest} {...kept} ref={setElement} />;
  if (isOff) return button;
  return (
    <Tooltip content={label} isDescription={false}>
      {button}
    </Tooltip>
  );
}
