// Two lines of a table's cell: what it is, and below it, smaller and quieter, what belongs to it.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import css from './TwoLines.module.css';

export interface TwoLinesProps {
  children: ReactNode;
  below?: ReactNode;
  /** The second line begins where the words of a status begin, after its mark. */
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
