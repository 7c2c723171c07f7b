// One line of text, with an optional unit or prefix in the same frame.
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldControl } from './Field.tsx';
import css from './Input.module.css';

export interface InputProps extends ComponentProps<'input'> {
  /** After the text ("MB"). */
  unit?: ReactNode;
  /** Before the text ("https://"). */
  lead?: ReactNode;
  isMono?: boolean;
}

/** Class of the frame, for controls that are not a plain input. */
export const inputClass = css.input;

/** Adds a unit or prefix to any control with `inputClass`. */
export function Affix({ unit, lead, children }: Pick<InputProps, 'unit' | 'lead'> & { children: ReactNode }) {
  if (unit === undefined && lead === undefined) return children;
  return (
    <div className={css.affix}>
      {lead !== undefined && <span className={css.lead}>{lead}</span>}
      {children}
      {unit !== undefined && <span className={css.unit}>{unit}</span>}
    </div>
  );
}

export function Input({ unit, lead, isMono = false, className, ...rest }: InputProps) {
  const control = useFieldControl(rest);
  return (
    <Affix unit={unit} lead={lead}>
      <input type="text" autoComplete="off" {...rest} {...control} className={classNames(css.input, isMono && css.mono, className)} />
    </Affix>
  );
}
