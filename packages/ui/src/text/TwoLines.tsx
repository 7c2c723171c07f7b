// A table cell with two lines: the main text, and below it smaller, muted details.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import css from './TwoLines.module.css';

export interface TwoLinesProps {
  children: ReactNode;
  below?: ReactNode;
  /** Aligns the second line with the text of a status, after its mark. */
  isUnderStatus?: boolean;
}

export function TwoLines({ children, below, isUnderStatus = false }: TwoLinesProps) {
  return (
    <span className={css.two}>
      <span>{children}</span>
      {below !== undefined && below !== '' && <small className={classNames(css.below, isUnderStatus && css.inset)}>{below}</small>}
    </span>
  );
}
