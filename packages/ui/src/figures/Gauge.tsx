// Usage relative to a limit. A thin tick marks the limit if it is not the end of the scale. From 85 % the bar is darker, never red.
import type { ReactNode } from 'react';
import { cssVars, percent } from '../css-vars.ts';
import css from './Gauge.module.css';

const USUALLY_HOT = 0.85;

export interface GaugeProps {
  /** Text alternative: "CPU 212 of 500 m". */
  label: string;
  value: number;
  of: number;
  /** The current limit in the same unit, if the scale ends elsewhere. */
  limit?: number;
  /** Share of the limit from which the bar is darker. */
  hotFrom?: number;
  /** Written value at the right. */
  children?: ReactNode;
}

export function Gauge({ label, value, of, limit, hotFrom = USUALLY_HOT, children }: GaugeProps) {
  return (
    <span className={css.cell}>
      <span
        className={css.gauge}
        role="img"
        aria-label={label}
        data-hot={value / (limit ?? of) >= hotFrom || undefined}
        style={cssVars({ '--value': percent(value, of), '--limit': percent(limit ?? 0, of) })}
      >
        <i />
        {limit !== undefined && <b />}
      </span>
      {children !== undefined && <span className={css.words}>{children}</span>}
    </span>
  );
}
