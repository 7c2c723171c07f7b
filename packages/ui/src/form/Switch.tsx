// An on/off switch that takes effect immediately. In forms with a save button use a Checkbox, or show the previous value with the switch.
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldControl } from './Field.tsx';
import css from './Switch.module.css';

export interface SwitchProps extends Omit<ComponentProps<'input'>, 'type'> {
  /** Label next to the switch. Omit it inside a Field. */
  label?: ReactNode;
}

export function Switch({ label, className, ...rest }: SwitchProps) {
  const control = useFieldControl(rest);
  // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- a native checkbox tells its state by itself
  const input = <input type="checkbox" role="switch" {...rest} {...control} className={classNames(css.switch, className)} />;
  if (label === undefined) return input;
  return (
    <label className={css.row}>
      {input}
      <span>{label}</span>
    </label>
  );
}
