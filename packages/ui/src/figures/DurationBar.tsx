// A duration as a bar relative to the longest, with a tick at the usual duration.
import { cssVars, percent } from '../css-vars.ts';
import css from './DurationBar.module.css';

export interface DurationBarProps {
  /** Share of the track, 0 to 1. */
  value: number;
  /** Usual share, drawn as the tick. */
  usual?: number;
  state?: 'failed' | 'over';
  size?: 'sm' | 'lg';
  /** Text alternative. Without it the bar is decoration next to a written duration. */
  label?: string;
}

export function DurationBar({ value, usual, state, size = 'sm', label }: DurationBarProps) {
  const aria = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <span
      className={css.track}
      data-state={state}
      data-size={size}
      style={cssVars({ '--value': percent(value), '--usual': percent(usual ?? 0) })}
      {...aria}
    >
      <i />
      {usual !== undefined && <b />}
    </span>
  );
}
