// A native checkbox with its label; facets add a mark and a count.
import type { ComponentProps, ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import css from './Checkbox.module.css';
import { classNames } from '../class-names.ts';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  label: ReactNode;
  /** A StatusIcon before the label. */
  mark?: ReactNode;
  /** Count or short text at the end of the line. */
  count?: number | string | undefined;
  isIndeterminate?: boolean;
}

export function Checkbox({ label, mark, count, isIndeterminate = false, className, ...rest }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = isIndeterminate;
  }, [isIndeterminate]);
  return (
    <label className={classNames(css.check, className)}>
      <input type="checkbox" ref={input} {...rest} />
      {mark}
      <span className={css.label}>{label}</span>
      {count !== undefined && <span className={css.count}>{typeof count === 'number' ? count.toLocaleString('en') : count}</span>}
    </label>
  );
}
