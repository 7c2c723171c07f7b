// Mark and word, the only way a status is shown. Healthy words stay ink; only problems take colour, so that it is the one loud thing.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { StatusIcon } from './StatusIcon.tsx';
import css from './Status.module.css';
import type { MarkShape, Tone } from '../tone.ts';

export interface StatusProps {
  tone: Tone;
  shape?: MarkShape;
  children: ReactNode;
  /** Colours the word for every tone; for places where the status is the only thing of its row. */
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
