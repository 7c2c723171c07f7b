// The pill next to a name in the header strip. List rows use Status instead.
import type { ReactNode } from 'react';
import css from './Badge.module.css';
import { StatusIcon } from './StatusIcon.tsx';
import type { MarkShape, Tone } from '../tone.ts';

export function Badge({ tone, shape, children }: { tone: Tone; shape?: MarkShape; children: ReactNode }) {
  return (
    <span className={css.badge} data-tone={tone}>
      <StatusIcon tone={tone} shape={shape} />
      {children}
    </span>
  );
}
