// A pipeline in the menu of the top bar: name, place, current step, duration. Used as `content` of a menu item.
import type { ReactNode } from 'react';
import { DurationBar } from './DurationBar.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './PipeRow.module.css';
import type { Tone } from '../tone.ts';

export interface PipeRowProps {
  tone: Tone;
  name: ReactNode;
  note: ReactNode;
  time: ReactNode;
  /** Completed share, 0 to 1. No bar without it. */
  progress?: number;
}

export function PipeRow({ tone, name, note, time, progress }: PipeRowProps) {
  return (
    <span className={css.pipe}>
      <StatusIcon tone={tone} />
      <strong className="ell">{name}</strong>
      <span className="meta num">{time}</span>
      <span className={css.note}>{note}</span>
      {progress !== undefined && (
        <span className={css.bar}>
          <DurationBar value={progress} />
        </span>
      )}
    </span>
  );
}
