// A button that shows only an icon. Its name is spoken, and shown on hover and focus.
import { Button, type ButtonProps, iconOnlyClass } from './Button.tsx';
import { classNames } from '../class-names.ts';
import { Tooltip } from '../overlay/Tooltip.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'busyLabel' | 'reasonPlacement'> {
  label: string;
  icon: ButtonProps['icon'];
}

export function IconButton({ label, className, ...rest }: IconButtonProps) {
  const button = <Button aria-label={label} className={classNames(iconOnlyClass, className)} {...rest} />;
  if (rest.disabledReason !== undefined) return button;
  return (
    <Tooltip content={label} isDescription={false}>
      {button}
    </Tooltip>
  );
}
