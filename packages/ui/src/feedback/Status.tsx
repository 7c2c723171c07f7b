// Mark and word; statuses are shown only this way. Healthy words keep the text color; only problems get a color, so that they stand out.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { StatusIcon } from './StatusIcon.tsx';
import css from './Status.module.css';
import type { MarkShape, Tone } from '../tone.ts';

export interface StatusProps {
  tone: Tone;
  shape?: MarkShape;
  children: ReactNode;
  /** Colors the word for every tone; for places where the status is the only content of its row. */
  isTinted?: boolean;
  className?: string;
}

export function Status({ tone, shape, children, isTinted = false, className }: StatusProps) {
  return (
    <span className={classNames(css.status, className)} data-tone={tone} data-tinted={isTinted || undefined}>
      <StatusIcon tone={tone} shape={shape} />
      <span className={css.word}>{children}</span>
    </span>
  );
}
