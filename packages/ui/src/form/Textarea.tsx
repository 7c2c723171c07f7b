// Several lines of text, in the same frame as Input.
import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldControl } from './Field.tsx';
import { inputClass } from './Input.tsx';
import css from './Textarea.module.css';

export interface TextareaProps extends ComponentProps<'textarea'> {
  isMono?: boolean;
}

export function Textarea({ className, isMono = false, rows = 4, ...rest }: TextareaProps) {
  const control = useFieldControl(rest);
  return <textarea rows={rows} {...rest} {...control} className={classNames(inputClass, css.area, isMono && css.mono, className)} />;
}
